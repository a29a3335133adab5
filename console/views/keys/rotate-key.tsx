/** Gives a key a new secret; the one before holds for a while. */
import { useState } from 'preact/hooks';
import type { components } from '../../../client/client.js';
import { useAction } from '../../answers.js';
import { Confirm, Dialog } from '../../parts/dialog.js';
import { Choice } from '../../parts/field.js';
import { Secret } from '../../parts/secret.js';
import { Time, Written } from '../../parts/text.js';

interface RotateKeyProps {
  /** Undefined: none is asked for. */
  readonly apiKey: components['schemas']['ApiKey'] | undefined;
  onClose(): void;
}

type Overlap = '0' | '3600' | '86400' | '604800' | '2592000';
const overlaps: readonly (readonly [Overlap, string])[] = [
  ['0', 'not at all: it ends at once'],
  ['3600', 'for an hour'],
  ['86400', 'for a day'],
  ['604800', 'for a week'],
  ['2592000', 'for thirty days'],
];

export function RotateKey({ apiKey, onClose }: RotateKeyProps) {
  const [overlap, setOverlap] = useState<Overlap>('86400');
  const [rotated, setRotated] = useState<components['schemas']['RotatedApiKey']>();
  const action = useAction(async (client) => {
    const path = { key_id: apiKey?.key_id ?? '' };
    setRotated((await client.rotateApiKey({ path, body: { overlap_seconds: Number(overlap) } })).data);
  });

  function close(): void {
    setRotated(undefined);
    onClose();
  }

  if (rotated !== undefined)
    return (
      <Dialog title="The key has a new secret" isOpen onClose={close}>
        <Secret label="API key" value={rotated.secret} />
        <p>
          The secret before holds until <Time at={rotated.previous_until} isExact />.
        </p>
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </Dialog>
    );

  return (
    <Confirm
      title="Rotate a key"
      verb="Rotate"
      isOpen={apiKey !== undefined}
      action={action}
      onClose={close}
      onConfirm={() => void action.run()}
    >
      <p>
        <Written text={apiKey?.name} /> gets a new secret, which is shown once. It keeps its scopes and its end.
      </p>
      <Choice
        label="The secret before still holds"
        value={overlap}
        options={overlaps}
        onChange={(value) => setOverlap(value)}
      />
    </Confirm>
  );
}
