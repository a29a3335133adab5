/** Reads the embedded log back from its file and verifies it: in this thread if it is short, otherwise in a worker thread. */
import { createSecretKey } from 'node:crypto';
import { z } from 'zod';
import { openSqliteEventReader, type SqliteEventReader } from '../eventstore/sqlite/reader.js';
import { formatPosition } from '../eventstore/sqlite/schema.js';
import { leafOf, type Hash } from '../eventstore/leaf.js';
import type { NumberedEvent } from '../eventstore/log-source.js';
import {
  blockOf,
  createGrowingTree,
  eventsPerBlock,
  rootOf,
  type Frontier,
  type GrowingTree,
} from '../eventstore/tree.js';
import { startWorkerThread } from '../flow/worker-thread.js';
import type { ComparedSeal } from './compare-seals.js';
import { inWords } from './findings.js';
import { restBetween, verifyLog, type ReadPace } from './verify.js';

const frontier = z.object({ count: z.number(), nodes: z.array(z.string()).readonly() });
const knownSeal = z.object({
  ...{ log_id: z.string(), seq: z.number(), restores: z.number().nullable(), count: z.number(), root: z.string() },
  ...{ final: z.boolean(), sealed_at: z.string(), public_key: z.string() },
});

/** Each job has the largest share of one core to use. */
const common = { file: z.string(), share: z.number() };

/** Plain data that crosses threads. */
export const integrityJob = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('read_back'),
    ...common,
    /** The tree over the events that were read back before. */
    from: frontier,
    /** The tree over the events that were committed, as the writer grew it. */
    to: frontier,
  }),
  z.object({
    kind: z.literal('verify'),
    ...common,
    /** Number of events to verify. */
    count: z.number(),
    seals: z.array(knownSeal).readonly(),
    restoredKey: z.instanceof(Uint8Array),
  }),
]);
type ReadBackJob = Extract<IntegrityJob, { kind: 'read_back' }>;
type IntegrityJob = Readonly<z.output<typeof integrityJob>>;

/** `fault`: what differs, for the operator; undefined if nothing does. Names no person. */
interface JobResult {
  readonly fault: string | undefined;
  /** The seals of a verification, in the order of the job. */
  readonly seals?: readonly Pick<ComparedSeal, 'state' | 'reason'>[];
}

/** Reading this many events takes less time than starting a thread. */
const eventsInThisThread = 4_000;

type RunOptions = Pick<ReadPace, 'urgent'> & { readonly signal: AbortSignal };

/**
 * Runs the job. A difference is reported only if a second pass, which opens the file again, finds it as well, because a disk
 * may give a wrong answer once. A file that SQLite calls damaged is a difference.
 * @throws Error if the log cannot be read; the reason of the signal if it aborts
 */
export async function runIntegrityJob(job: IntegrityJob, options: RunOptions): Promise<JobResult> {
  const first = await runOnce(job, options);
  return first.fault === undefined ? first : await runOnce(job, options);
}

async function runOnce(job: IntegrityJob, options: RunOptions): Promise<JobResult> {
  const { signal } = options;
  signal.throwIfAborted();
  const events = job.kind === 'verify' ? job.count : job.to.count - job.from.count;
  try {
    if (events > eventsInThisThread) return await runInThread(job, options);
    return await doIntegrityJob(job, options);
  } catch (error) {
    signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    if (/malformed|not a database/.test(message)) return { fault: `the file is damaged: ${message}` };
    throw error;
  }
}

export type FromIntegrityThread = JobResult | { readonly failed: string };
export type ToIntegrityThread = 'urgent' | 'stop';

function runInThread(job: IntegrityJob, { signal, urgent }: RunOptions): Promise<JobResult> {
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
  const thread = startWorkerThread<FromIntegrityThread, ToIntegrityThread>(
    { name: 'integrity', beside: import.meta.url },
    {
      workerData: job,
      onMessage: (message) => ('failed' in message ? reject(new Error(message.failed)) : resolve(message)),
      onExit: (error = 'its thread ended') => reject(new Error(error)),
    },
  );
  const stop = (): void => void thread.close(0);
  const hurry = (): void => thread.send('urgent');
  signal.addEventListener('abort', stop);
  urgent?.addEventListener('abort', hurry);
  if (urgent?.aborted === true) hurry();
  return promise.finally(() => {
    signal.removeEventListener('abort', stop);
    urgent?.removeEventListener('abort', hurry);
  });
}

/** Does the job in this thread. Only a read-back speeds up. */
export async function doIntegrityJob(job: IntegrityJob, { signal, urgent }: Partial<RunOptions>): Promise<JobResult> {
  const log = openSqliteEventReader({ file: job.file, pollMs: 0 });
  try {
    if (job.kind === 'read_back') return { fault: await readBackFault(log, job, { share: job.share, signal, urgent }) };
    const { count, seals, restoredKey, share } = job;
    const { difference, seals: compared } = await verifyLog({
      source: log,
      until: formatPosition(count),
      seals,
      restoredKey: createSecretKey(restoredKey),
      share,
      signal,
    });
    const states = new Map(compared.map(({ seal, state, reason }) => [seal, { state, reason }]));
    return {
      fault: difference === null ? undefined : inWords(difference),
      seals: seals.flatMap((seal) => states.get(seal) ?? []),
    };
  } finally {
    await log.close();
  }
}

async function readBackFault(
  log: SqliteEventReader,
  { from, to }: ReadBackJob,
  pace: ReadPace,
): Promise<string | undefined> {
  const { signal } = pace;
  const rest = restBetween(pace);
  const tree = createGrowingTree(from);
  const roots = await log.tree.blockRoots(Math.floor(to.count / eventsPerBlock));
  const after = formatPosition(from.count);
  for await (const events of log.readEvents({ after, ...(signal && { signal }) })) {
    for (const event of events.slice(0, to.count - tree.count())) {
      const fault = addTo(tree, event, roots);
      if (fault === 'missing') return `event ${tree.count() + 1} is missing`;
      if (fault === 'different') return differsIn(tree.count(), from);
    }
    if (tree.count() === to.count) break;
    await rest();
  }
  signal?.throwIfAborted();
  if (tree.count() < to.count) return `the log ends after event ${tree.count()}, but ${to.count} events were appended`;
  return tree.root() === rootOf(to) ? undefined : differsIn(to.count, from);
}

/** Adds the next event to the tree. Returns why the log differs, or undefined if it does not. */
function addTo(tree: GrowingTree, event: NumberedEvent, roots: readonly Hash[]): 'missing' | 'different' | undefined {
  const ordinal = tree.count() + 1;
  if (event.ordinal !== ordinal) return 'missing';
  const root = tree.add(leafOf(ordinal, event));
  return root === undefined || root === roots[blockOf(ordinal)] ? undefined : 'different';
}

/** Names the block of an event, and the first event in it that was not read back before. */
function differsIn(ordinal: number, from: Frontier): string {
  const block = blockOf(ordinal);
  const first = Math.max(from.count, block * eventsPerBlock) + 1;
  return `block ${block} differs: the difference is at or after event ${first}, up to event ${ordinal}`;
}
