/** Asks which views to rebuild, and what then. */
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../answers.js';
import { Confirm } from '../../parts/dialog.js';
import { Choice } from '../../parts/field.js';

interface StartRebuildProps {
  /** All there are; undefined: nothing is asked. */
  readonly views: readonly string[] | undefined;
  onClose(): void;
  onStarted(): void;
}

type Then = 'check' | 'switch' | 'accept';
const thens: readonly (readonly [Then, string])[] = [
  ['check', 'compare only, and switch nothing'],
  ['switch', 'switch if they are equal'],
  ['accept', 'switch even if they differ: the live views were damaged'],
];

export function StartRebuild({ views, onClose, onStarted }: StartRebuildProps) {
  const [chosen, setChosen] = useState('all');
  const [then, setThen] = useState<Then>('check');
  const action = useAction((client) =>
    client.startRebuild({
      path: { name: chosen },
      body: { dry_run: then === 'check', accept_differences: then === 'accept' },
    }),
  );
  useEffect(() => {
    if (views !== undefined) setThen('check');
  }, [views]);

  return (
    <Confirm
      title="Rebuild views"
      verb="Start"
      isDangerous={then === 'accept'}
      isOpen={views !== undefined}
      action={action}
      onClose={onClose}
      onConfirm={() =>
        void action.run().then((isStarted) => {
          if (isStarted) onStarted();
        })
      }
    >
      <p>
        The views are built again from the first event, beside the live ones, which go on answering. Nothing is appended
        and nothing is sent. Erasures wait until it is over.
      </p>
      <Choice
        label="Views"
        value={chosen}
        options={['all', ...(views ?? [])].map((name) => [name, name] as const)}
        onChange={(name) => setChosen(name)}
      />
      <Choice label="Then" value={then} options={thens} onChange={(value) => setThen(value)} />
    </Confirm>
  );
}
