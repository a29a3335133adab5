/** The projector: one pass over the log for all live views, each batch committed together with its checkpoint. */
import { demandLogId } from '../eventstore/log-id.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import type { Checkpoint, DocumentWrite, ReadModels, StoredView } from '../readmodels/read-models.js';
import type { Projection } from '../projections/projection.js';
import { aborted, pause, type BatchDelay } from './batch-delay.js';
import { batches, type Batch } from './batches.js';
import { foldBatch, handlersOf, PoisonEventError, type BatchFold } from './fold.js';
import { LeaseLostError, type Lease } from './lease.js';
import { dropOldStorages, readOldStorages, unparkOldStorages } from './old-storages.js';
import { overTombstones, readParked, withParked, type ParkedStream } from './parked.js';
import { ForeignViewsError, NewerViewsError, openCheckpoint } from './start.js';
import {
  countUnknown,
  initialStatus,
  type BuildProgress,
  type ProjectorFault,
  type ProjectorStatus,
} from './status.js';
import {
  checkpointName,
  storagesOf,
  storedIn,
  storedViews,
  moveCheckpoint,
  type FoldedViews,
  type ProjectorJobs,
  type Switched,
  type ViewsWriter,
} from './storage.js';

export interface ProjectorOptions {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly projections: readonly Projection[];
  /** After each commit is visible to every reader, and when the status changes otherwise. */
  readonly onProgress: (status: ProjectorStatus) => void;
  readonly onFault: (fault: ProjectorFault) => void;
  readonly signal: AbortSignal;
  /** Default: never waits. */
  readonly batchDelay?: Pick<BatchDelay, 'begin' | 'wait'>;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  /** Held while folding, where other processes may fold into the same views. */
  readonly lease?: Lease;
  /** What to do with views that were folded from another log, see `openCheckpoint`. Default: rebuild. */
  readonly foreignViews?: 'rebuild' | 'refuse';
  /** What is to be done between two batches. Default: nothing. */
  readonly jobs?: ProjectorJobs;
  /** Builds all views up to the head. Default: they are folded in the ordinary way, from the first event on. */
  readonly buildInitially?: (build: InitialBuild) => Promise<Checkpoint | null>;
  /** Milliseconds that readers have to notice that a storage is live no more. Default 10,000. */
  readonly dropAfter?: number;
}

export interface InitialBuild extends FoldedViews {
  readonly onProgress: (progress: BuildProgress) => void;
}

/** How often a batch with a poison event is folded before the event's stream is parked. */
const poisonAttempts = 3;
const poisonPauseMs = 20;
const backOffMs = { first: 50, most: 5_000 };
/** How long readers have to notice that the views are reset: they ask at least once a second. */
const settleMs = 2_000;

const noJobs: ProjectorJobs = { isWaiting: () => false, onAdded: () => undefined, next: async () => undefined };

interface Run extends ViewsWriter {
  readonly options: ProjectorOptions;
  readonly jobs: ProjectorJobs;
  handlers: ReadonlyMap<string, readonly Projection[]>;
  checkpoint: Checkpoint | null;
  parked: ReadonlyMap<string, ParkedStream>;
  status: ProjectorStatus;
  epoch: number | undefined;
  failures: number;
}

/** Folds until the signal aborts, then finishes the batch and resolves. Never rejects: a failure is reported and tried again. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { signal, lease, readModels, jobs = noJobs } = options;
  const run: Run = {
    options,
    readModels,
    jobs,
    check: () => lease?.check(),
    handlers: new Map(),
    checkpoint: null,
    parked: new Map(),
    status: { ...initialStatus, led: lease === undefined },
    epoch: undefined,
    failures: 0,
  };
  while (!signal.aborted) {
    let fault: ProjectorFault = { kind: 'unavailable', message: 'the subscription ended' };
    try {
      await runSession(run);
    } catch (error) {
      fault = faultOf(error);
      // A process that can fold these views may take over.
      if (error instanceof ForeignViewsError || error instanceof NewerViewsError) await lease?.yield();
    }
    if (aborted(signal)) return;
    run.failures += 1;
    // A lost lease is no fault: another process folds.
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

/** From the checkpoint on, until the subscription ends or something fails. */
async function runSession(run: Run): Promise<void> {
  const { signal } = run.options;
  if (!(await takeOver(run))) return;
  await begin(run);
  const ended = new AbortController();
  dropLater(run, { views: await readOldStorages(run.readModels), signal: ended.signal });
  try {
    do {
      while (run.jobs.isWaiting())
        await run.jobs.next({ ...run.options, ...run }, (switched) => useSwitched(run, switched, ended.signal));
      await follow(run);
    } while (run.jobs.isWaiting() && !aborted(signal));
  } finally {
    ended.abort();
  }
}

async function takeOver(run: Run): Promise<boolean> {
  const { lease, signal } = run.options;
  if (lease === undefined) return true;
  if (!lease.isHeld()) report(run, { standby: true, caughtUp: false });
  const epoch = await lease.hold(signal, () => !run.status.led && report(run, { led: true }));
  if (epoch === null) return false;
  run.epoch = epoch;
  if (run.status.standby) report(run, { standby: false, led: true });
  return true;
}

async function begin(run: Run): Promise<void> {
  const { options, readModels } = run;
  const { reader, projections, signal, lease, foreignViews = 'rebuild', buildInitially = prepareAll } = options;
  const stored = await openCheckpoint({
    ...run,
    reader,
    views: projections,
    foreignViews,
    // A follower that is slow waits for positions anyway.
    settle: () => (lease === undefined ? Promise.resolve() : pause(settleMs, signal)),
    onRebuild: (kind, message) => options.onFault({ kind, message }),
  });
  if (stored === null) {
    report(run, { position: '', rebuilding: true, fault: null });
    run.checkpoint = await buildInitially({ ...run, reader, projections, signal, onProgress: buildReport(run) });
  } else {
    await unparkOldStorages(run, stored);
    run.checkpoint = stored;
  }
  run.parked = await readParked(readModels);
  const live = run.checkpoint?.storages ?? storagesOf(projections);
  run.handlers = handlersOf(storedIn(projections, live));
  report(run, {
    position: run.checkpoint?.position ?? '',
    parked: [...run.parked.values()],
    live,
    missing: projections.filter(({ name }) => live[name] === undefined).map(({ name }) => name),
    fault: null,
  });
}

export async function prepareAll({ readModels, projections }: InitialBuild): Promise<null> {
  for (const view of projections) await readModels.prepare(view);
  return null;
}

function buildReport(run: Run): (progress: BuildProgress) => void {
  const before = run.status.folded;
  return ({ events, at, unknown, parked }) => {
    for (const stream of parked) tellParked(run, stream);
    const counted = countUnknown(run.status.unknown, unknown);
    report(run, { at: at ?? run.status.at, folded: before + events, unknown: counted });
  };
}

/** Once every reader has noticed that they are live no more. Folding goes on meanwhile; what fails is tried again. */
function dropLater(run: Run, old: { readonly views: readonly StoredView[]; readonly signal: AbortSignal }): void {
  const { views, signal } = old;
  if (views.length === 0) return;
  const check = (): void => {
    signal.throwIfAborted();
    run.check();
  };
  const drop = (): void =>
    void dropOldStorages({ ...run, check }, views).catch((error: unknown) => {
      if (signal.aborted) return;
      run.options.onFault(faultOf(error));
      dropLater(run, old);
    });
  const timer = setTimeout(drop, run.options.dropAfter ?? 10_000);
  signal.addEventListener('abort', () => clearTimeout(timer));
}

async function useSwitched(run: Run, { checkpoint, old }: Switched, signal: AbortSignal): Promise<void> {
  const { storages: live } = checkpoint;
  run.checkpoint = checkpoint;
  run.parked = await readParked(run.readModels);
  run.handlers = handlersOf(storedIn(run.options.projections, live));
  const missing = run.status.missing.filter((name) => live[name] === undefined);
  report(run, { live, missing, parked: [...run.parked.values()] });
  dropLater(run, { views: storedViews(old), signal });
}

/** One subscription, until it ends, something fails, the lease is lost or a job is added. */
async function follow(run: Run): Promise<void> {
  const { reader, signal, lease, batchDelay } = run.options;
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  lease?.onLost(interrupt);
  run.jobs.onAdded(interrupt);
  if (run.jobs.isWaiting()) interrupt();
  const ended = AbortSignal.any([signal, interruption.signal]);
  for await (const batch of batches(reader, { after: run.checkpoint?.position ?? '', signal: ended })) {
    batchDelay?.begin();
    await foldAndCommit(run, batch);
    if (signal.aborted) return;
    await batchDelay?.wait(batch.events.length);
  }
  // If the loss of the lease ended the subscription, no commit has noticed it yet.
  if (!signal.aborted) run.check();
}

async function foldAndCommit(run: Run, { events, caughtUp }: Batch): Promise<void> {
  const last = events.at(-1);
  const rebuilding = run.status.rebuilding && !caughtUp;
  if (last === undefined) {
    if (run.status.caughtUp !== caughtUp) report(run, { caughtUp, rebuilding });
    return;
  }
  const fold = await foldWithRetry(run, events);
  await commit(run, last, await overTombstones(run.readModels, fold.writes));
  run.parked = withParked(run.parked, fold.parked);
  for (const stream of fold.parked) tellParked(run, stream);
  report(run, {
    position: last.position,
    ...(fold.parked.length > 0 ? { parked: [...run.parked.values()] } : {}),
    at: fold.at ?? run.status.at,
    caughtUp,
    folded: run.status.folded + events.length,
    unknown: countUnknown(run.status.unknown, fold.unknown),
    rebuilding,
  });
}

async function commit(run: Run, last: StoredEvent, writes: readonly DocumentWrite[]): Promise<void> {
  const { checkpoint: previous, options } = run;
  const next: Checkpoint = {
    logId: previous?.logId ?? (await demandLogId(options.reader)),
    position: last.position,
    eventId: last.id,
    storages: previous?.storages ?? storagesOf(options.projections),
  };
  await moveCheckpoint(run, { name: checkpointName, previous, next }, writes);
  run.checkpoint = next;
  run.failures = 0;
}

/** Folds from freshly loaded documents each time; the last time a poison event parks its stream. */
async function foldWithRetry(run: Run, events: Batch['events']): Promise<BatchFold> {
  const { handlers, readModels, parked, options } = run;
  for (let attempt = 1; ; attempt++) {
    try {
      return await foldBatch({ events, handlers, readModels, parked, park: attempt >= poisonAttempts });
    } catch (error) {
      if (!(error instanceof PoisonEventError)) throw error;
      await pause(poisonPauseMs * attempt, options.signal);
    }
  }
}

const tellParked = (run: Run, { view, stream, position, reason }: ParkedStream): void =>
  run.options.onFault({
    kind: 'parked',
    message: `View ${view} parks stream ${stream} at position ${position}: ${reason}. Only a rebuild folds it again.`,
  });

function report(run: Run, change: Partial<ProjectorStatus>): void {
  run.status = { ...run.status, ...change };
  run.options.onProgress(run.status);
}
