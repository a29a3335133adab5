/** Releases or cancels all e-mails of a state, after their number is shown; it can be stopped. */
import { useRef, useState } from 'preact/hooks';
import { AudienceError, type AudienceClient } from '../../../client/client.js';
import { useAction, useLongAction, type LongAction } from '../../answers.js';
import { ErrorNote, Searching } from '../../parts/answer.js';
import { Confirm } from '../../parts/dialog.js';
import { formatNumber } from '../../parts/text.js';
import type { State } from './states.js';

type What = 'release' | 'cancel';

const possible: Partial<Record<State, readonly What[]>> = {
  held: ['release', 'cancel'],
  failed: ['release'],
  in_doubt: ['cancel'],
  deferred: ['cancel'],
  requested: ['cancel'],
};

const verbs = { release: 'Release', cancel: 'Cancel' } as const;
const meanings = {
  release: 'They are sent again, each at most once more than they were.',
  cancel: 'They end here and are never sent.',
} as const;

interface Progress {
  readonly done: number;
  /** Their state had changed meanwhile. */
  readonly refused: number;
}

export function ChangeMany({ state, onDone }: { readonly state: State; readonly onDone: () => void }) {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [what, setWhat] = useState<What>();
  const [progress, setProgress] = useState<Progress>();
  const isStopped = useRef(false);

  const count = useLongAction(async (client, watch, wanted: What) => {
    const found: string[] = [];
    const query = { state, limit: 200 };
    for await (const { email_id } of client.all('listEmails', { query, ...watch })) found.push(email_id);
    setIds(found);
    setWhat(wanted);
  });
  const action = useAction(async (client) => {
    isStopped.current = false;
    let counts: Progress = { done: 0, refused: 0 };
    for (const id of ids) {
      if (isStopped.current || what === undefined) break;
      const isDone = await change(client, what, id);
      counts = isDone ? { ...counts, done: counts.done + 1 } : { ...counts, refused: counts.refused + 1 };
      setProgress(counts);
    }
  });

  function close(): void {
    isStopped.current = true;
    setWhat(undefined);
    setProgress(undefined);
    onDone();
  }

  return (
    <>
      <Offered state={state} count={count} />
      <Confirm
        title={`${verbs[what ?? 'cancel']} ${formatNumber(ids.length)} e-mails`}
        verb={`${verbs[what ?? 'cancel']} them`}
        isDangerous={what === 'cancel'}
        isOpen={what !== undefined}
        isReady={ids.length > 0 && progress === undefined}
        action={action}
        onClose={close}
        onConfirm={() => void action.run()}
      >
        <p>
          {formatNumber(ids.length)} e-mails are in this state now. {meanings[what ?? 'cancel']}
        </p>
        {progress !== undefined && (
          <p role="status">
            {formatNumber(progress.done)} of {formatNumber(ids.length)} done
            {progress.refused > 0 && `, ${formatNumber(progress.refused)} had changed meanwhile`}.{' '}
            {action.isRunning && 'The button Cancel stops here.'}
          </p>
        )}
      </Confirm>
    </>
  );
}

interface OfferedProps {
  readonly state: State;
  readonly count: LongAction<[What]>;
}

/** The actions for all emails of the state. Their ids are read first. */
function Offered({ state, count }: OfferedProps) {
  const offered = possible[state] ?? [];
  if (offered.length === 0) return null;
  return (
    <>
      <p class="buttons">
        {offered.map((one) => (
          <button key={one} type="button" disabled={count.isRunning} onClick={() => void count.run(one)}>
            {verbs[one]} all …
          </button>
        ))}
      </p>
      <ErrorNote error={count.error} />
      {count.progress !== undefined && <Searching progress={count.progress} onStop={count.stop} />}
    </>
  );
}

/** False: it cannot be changed any more. */
async function change(client: AudienceClient, what: What, email_id: string): Promise<boolean> {
  try {
    if (what === 'release') await client.releaseEmail({ path: { email_id } });
    else await client.cancelEmail({ path: { email_id } });
    return true;
  } catch (error) {
    if (error instanceof AudienceError && [404, 409].includes(error.statusCode)) return false;
    throw error;
  }
}
