/** The projector: one pass over the log for all live views, each batch committed together with its checkpoint. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventReader } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModels } from '../readmodels/read-models.js';
import { batches, type Batch } from './batches.js';
import { foldBatch, handlersOf, PoisonEventError, type Fold } from './fold.js';
import { LeaseLostError, type Lease } from './lease.js';
import { parkedId, readParked, type ParkedStream } from './parked.js';
import type { Projection } from './projection.js';
import { checkpointName, liveVersions, openViews, readLogId } from './start.js';

/** A plain object: it crosses threads. */
export interface ProjectorStatus {
  /** Of the last event folded, `''` before the first. Every reader sees what was folded up to here. */
  readonly position: string;
  /** When the last event that a view handles happened; `null` before the first since the start. */
  readonly at: string | null;
  /** Nothing was waiting in the log after `position`. */
  readonly caughtUp: boolean;
  /** Events folded or skipped since the start. */
  readonly folded: number;
  /** Events of unknown types since the start, by type; from the 50th type on together, as `other`. */
  readonly unknown: Readonly<Record<string, number>>;
  readonly parked: readonly ParkedStream[];
  /** The views are filled from the first event and have not caught up yet. */
  readonly rebuilding: boolean;
  /** Another process folds into the views; this one takes over when that one ends. */
  readonly standby: boolean;
  /** Why it is not folding just now; it keeps trying. */
  readonly fault: string | null;
}

export const initialStatus: ProjectorStatus = {
  position: '',
  at: null,
  caughtUp: false,
  folded: 0,
  unknown: {},
  parked: [],
  rebuilding: false,
  standby: false,
  fault: null,
};

/** What an operator must hear of. Messages hold no personal data. */
export interface ProjectorFault {
  readonly kind: 'unavailable' | 'rebuild' | 'parked' | 'worker_died' | 'lease_lost';
  readonly message: string;
}

export interface ProjectorOptions {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly projections: readonly Projection[];
  /** After each commit is visible to every reader, and when the status changes otherwise. */
  readonly onProgress: (status: ProjectorStatus) => void;
  readonly onFault: (fault: ProjectorFault) => void;
  readonly signal: AbortSignal;
  /** Awaited after each batch of so many events, so that the next one can grow. Default: never waits. */
  readonly pace?: (events: number) => Promise<void> | undefined;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  /** Held while folding, where other processes may fold into the same views. */
  readonly lease?: Lease;
  /** What to do with views that were folded from another log, see `openViews`. Default: rebuild. */
  readonly foreignViews?: 'rebuild' | 'refuse';
}

/** How often a batch with a poison event is folded before the event's stream is parked. */
const poisonAttempts = 3;
const poisonPauseMs = 20;
const backOffMs = { first: 50, most: 5_000 };
const unknownTypes = 50;
/** How long readers have to notice that the views are begun anew. */
const settleMs = 1_000;

/** What one run holds between batches. */
interface Run extends ProjectorOptions {
  readonly handlers: ReadonlyMap<string, readonly Projection[]>;
  readonly live: Readonly<Record<string, number>>;
  status: ProjectorStatus;
  checkpoint: Checkpoint | null;
  /** Of the lease. */
  epoch: number | undefined;
  parked: ReadonlyMap<string, ParkedStream>;
  /** Sessions that failed since the last commit. */
  failures: number;
}

/** Folds until the signal aborts, then finishes the batch and resolves. Never rejects: a failure is reported and tried again. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { projections, signal } = options;
  const run: Run = {
    ...options,
    handlers: handlersOf(projections),
    live: liveVersions(projections),
    status: initialStatus,
    checkpoint: null,
    epoch: undefined,
    parked: new Map(),
    failures: 0,
  };
  while (!signal.aborted) {
    let fault: ProjectorFault = { kind: 'unavailable', message: 'the subscription ended' };
    try {
      await runSession(run);
    } catch (error) {
      fault = faultOf(error);
    }
    if (aborted(signal)) return;
    run.failures += 1;
    // Who has lost the lease is well, somebody else folds.
    report(run, { fault: fault.kind === 'lease_lost' ? null : fault.message, caughtUp: false });
    options.onFault(fault);
    const most = Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(run.failures - 1, 16));
    await pause(most * (0.5 + options.random() / 2), signal);
  }
}

function faultOf(error: unknown): ProjectorFault {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected failure';
  return { kind: error instanceof LeaseLostError ? 'lease_lost' : 'unavailable', message };
}

/** Waits until this process may fold. False when it is to stop instead. */
async function takeOver(run: Run): Promise<boolean> {
  if (run.lease === undefined) return true;
  if (!run.lease.isHeld()) report(run, { standby: true, caughtUp: false });
  const epoch = await run.lease.hold(run.signal);
  if (epoch === null) return false;
  run.epoch = epoch;
  if (run.status.standby) report(run, { standby: false });
  return true;
}

const openViewsOf = ({ reader, readModels, projections, foreignViews = 'rebuild', lease, signal, onFault }: Run) =>
  openViews({
    reader,
    readModels,
    views: projections,
    foreignViews,
    check: () => lease?.check(),
    // Followers ask several times a second; one that is slow waits for positions anyway.
    settle: () => (lease === undefined ? Promise.resolve() : pause(settleMs, signal)),
    onRebuild: (reason) => onFault({ kind: 'rebuild', message: `The views are rebuilt: ${reason}` }),
  });

/** One subscription, from the checkpoint on, until it ends or something fails. */
async function runSession(run: Run): Promise<void> {
  const { reader, readModels, signal } = run;
  if (!(await takeOver(run))) return;
  run.checkpoint = await openViewsOf(run);
  run.parked = await readParked(readModels);
  const position = run.checkpoint?.position ?? '';
  report(run, {
    position,
    parked: [...run.parked.values()],
    rebuilding: run.checkpoint === null || run.status.rebuilding,
    fault: null,
  });
  const session = sessionOf(run);
  try {
    for await (const batch of batches(reader, { after: position, signal: session.signal })) {
      await foldAndCommit(run, batch);
      if (signal.aborted) return;
      await run.pace?.(batch.events.length);
    }
  } finally {
    session.end();
  }
  // Ended by the loss of the lease, and not by an event: nothing came that would have shown it.
  if (!signal.aborted) run.lease?.check();
}

/** Aborts with the run, or when the lease is lost while nothing happens. */
function sessionOf({ signal, lease }: Run): { readonly signal: AbortSignal; end(): void } {
  const session = new AbortController();
  const abort = (): void => session.abort();
  lease?.onLost(abort);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return { signal: session.signal, end: () => signal.removeEventListener('abort', abort) };
}

async function foldAndCommit(run: Run, { events, caughtUp }: Batch): Promise<void> {
  const last = events.at(-1);
  const rebuilding = run.status.rebuilding && !caughtUp;
  if (last === undefined) {
    if (run.status.caughtUp !== caughtUp) report(run, { caughtUp, rebuilding });
    return;
  }
  const fold = await foldPatiently(run, events);
  const next: Checkpoint = {
    logId: run.checkpoint?.logId ?? (await demandLogId(run.reader)),
    position: last.position,
    eventId: last.id,
    live: run.live,
  };
  run.lease?.check();
  await run.readModels.commit({
    writes: fold.writes,
    checkpoint: {
      name: checkpointName,
      previous: run.checkpoint,
      next,
      ...(run.epoch === undefined ? {} : { epoch: run.epoch }),
    },
  });
  run.checkpoint = next;
  run.failures = 0;
  addParked(run, fold.parked);
  report(run, {
    position: last.position,
    at: fold.at ?? run.status.at,
    caughtUp,
    folded: run.status.folded + events.length,
    unknown: countUnknown(run.status.unknown, fold.unknown),
    rebuilding,
  });
}

/** Folds from freshly loaded documents each time; the last time a poison event parks its stream. */
async function foldPatiently(run: Run, events: Batch['events']): Promise<Fold> {
  const { handlers, readModels, parked, signal } = run;
  for (let attempt = 1; ; attempt++) {
    try {
      return await foldBatch({ events, handlers, readModels, parked, park: attempt >= poisonAttempts });
    } catch (error) {
      if (!(error instanceof PoisonEventError)) throw error;
      await pause(poisonPauseMs * attempt, signal);
    }
  }
}

function addParked(run: Run, fresh: readonly ParkedStream[]): void {
  if (fresh.length === 0) return;
  run.parked = new Map([
    ...run.parked,
    ...fresh.map((parked): [string, ParkedStream] => [parkedId(parked.view, parked.stream), parked]),
  ]);
  run.status = { ...run.status, parked: [...run.parked.values()] };
  for (const { view, stream, position, reason } of fresh)
    run.onFault({
      kind: 'parked',
      message: `View ${view} parks stream ${stream} at position ${position}: ${reason}. Only a rebuild takes it up again.`,
    });
}

/** The same object when there is nothing to count. */
function countUnknown(before: ProjectorStatus['unknown'], types: readonly string[]): ProjectorStatus['unknown'] {
  if (types.length === 0) return before;
  const counts = new Map(Object.entries(before));
  for (const type of types) {
    const name = counts.has(type) || counts.size < unknownTypes ? type : 'other';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

async function demandLogId(reader: EventReader): Promise<string> {
  const logId = await readLogId(reader);
  if (logId === undefined) throw new Error('the log does not say which log it is: it has no ServiceInitialised');
  return logId;
}

function report(run: Run, change: Partial<ProjectorStatus>): void {
  run.status = { ...run.status, ...change };
  run.onProgress(run.status);
}

/** Not narrowed by an earlier look: an abort happens between two awaits. */
const aborted = (signal: AbortSignal): boolean => signal.aborted;

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!aborted(signal)) throw error;
  }
}
