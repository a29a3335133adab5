/** The projector: one pass over the log for all live views, each batch committed together with its checkpoint. */
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import type { Checkpoint, DocumentWrite, ReadModels } from '../readmodels/read-models.js';
import { batches, type Batch } from './batches.js';
import {
  foldFeeds,
  loseFeeds,
  namedStorages,
  obey,
  type FeedingRun,
  type RebuildOrders,
} from '../rebuild/shadow-views.js';
import type { FillProgress, fillViews } from '../rebuild/bulk-build.js';
import { fillFirst } from '../rebuild/initial-build.js';
import { foldBatch, handlersOf, PoisonEventError, type Fold } from './fold.js';
import { LeaseLostError, type Lease } from './lease.js';
import { aborted, pause, type Pace } from './batch-delay.js';
import { overTombstones, readParked, withParked, type ParkedStream } from './parked.js';
import type { Projection } from '../projections/projection.js';
import { countUnknown, initialStatus, type ProjectorFault, type ProjectorStatus } from './status.js';
import { dropRetired, unparkRetired } from './old-storages.js';
import { sessionOf } from './session.js';
import { demandLogId, ForeignViewsError, NewerViewsError, openViews } from './start.js';
import { checkpointName, firstStorages } from './storage.js';

export interface ProjectorOptions {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly projections: readonly Projection[];
  /** After each commit is visible to every reader, and when the status changes otherwise. */
  readonly onProgress: (status: ProjectorStatus) => void;
  readonly onFault: (fault: ProjectorFault) => void;
  readonly signal: AbortSignal;
  /** Told when a batch begins, and awaited after it, so that the next one can grow. Default: never waits. */
  readonly pace?: Pick<Pace, 'begin' | 'next'>;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  /** Held while folding, where other processes may fold into the same views. */
  readonly lease?: Lease;
  /** What to do with views that were folded from another log, see `openViews`. Default: rebuild. */
  readonly foreignViews?: 'rebuild' | 'refuse';
  /**
   * Empty views are filled fast, and changed ones by a rebuild beside the others, which gives its orders here. Without it
   * everything is folded in the ordinary way, and a changed view begins all of them anew.
   */
  readonly rebuilds?: ProjectorRebuilds;
}

export interface ProjectorRebuilds extends RebuildOrders {
  readonly fill: typeof fillViews;
  /** Milliseconds that readers have to notice that a storage is live no more. */
  readonly retireAfter: number;
}

/** How often a batch with a poison event is folded before the event's stream is parked. */
const poisonAttempts = 3;
const poisonPauseMs = 20;
const backOffMs = { first: 50, most: 5_000 };
/** How long readers have to notice that the views are begun anew. */
const settleMs = 1_000;

/** What one run holds between batches. */
interface Run extends ProjectorOptions, FeedingRun {
  readonly rebuilds?: ProjectorRebuilds;
  status: ProjectorStatus;
  /** Of the lease. */
  epoch: number | undefined;
  /** Grows with each session and each switch: readers have the whole time to notice from then on. */
  term: number;
  /** Sessions that failed since the last commit. */
  failures: number;
}

/** Folds until the signal aborts, then finishes the batch and resolves. Never rejects: a failure is reported and tried again. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { signal } = options;
  const run: Run = {
    ...options,
    handlers: new Map(),
    live: [],
    feeds: [],
    status: initialStatus,
    checkpoint: null,
    epoch: undefined,
    parked: new Map(),
    term: 0,
    failures: 0,
  };
  while (!signal.aborted) {
    let fault: ProjectorFault = { kind: 'unavailable', message: 'the subscription ended' };
    try {
      await runSession(run);
    } catch (error) {
      fault = faultOf(error);
      // Whoever can fold these views shall not wait for who cannot.
      if (error instanceof ForeignViewsError || error instanceof NewerViewsError) await run.lease?.yield();
    }
    loseFeeds(run, fault.message);
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

const openViewsOf = ({ reader, readModels, projections, foreignViews = 'rebuild', lease, ...run }: Run) =>
  openViews({
    reader,
    readModels,
    views: projections,
    foreignViews,
    fillsBeside: run.rebuilds !== undefined,
    epoch: run.epoch,
    check: () => lease?.check(),
    // Followers ask several times a second; one that is slow waits for positions anyway.
    settle: () => (lease === undefined ? Promise.resolve() : pause(settleMs, run.signal)),
    onRebuild: (reason) => run.onFault({ kind: 'rebuild', message: `The views are rebuilt: ${reason}` }),
  });

/** From the checkpoint on, until the subscription ends or something fails. */
async function runSession(run: Run): Promise<void> {
  if (!(await takeOver(run))) return;
  await begin(run);
  run.term += 1;
  const retire = (): void => run.rebuilds?.orders.give({ type: 'retire', term: run.term });
  const retirement = setTimeout(retire, run.rebuilds?.retireAfter ?? 0);
  retirement.unref();
  try {
    do {
      await obeyAll(run, retirement);
      await follow(run);
    } while (run.rebuilds?.orders.isWaiting() === true && !aborted(run.signal));
  } finally {
    clearTimeout(retirement);
  }
}

/** Opens the views and, where there are none yet, fills them. */
async function begin(run: Run): Promise<void> {
  const { readModels, rebuilds, projections } = run;
  const { checkpoint, live, missing } = await openViewsOf(run);
  const retiring = { readModels, epoch: run.epoch, check: () => run.lease?.check() };
  if (checkpoint !== null) await unparkRetired(retiring, checkpoint);
  run.checkpoint = checkpoint;
  run.live = namedStorages(projections, live);
  run.handlers = handlersOf(run.live);
  if (rebuilds === undefined) await dropRetired(retiring, run.live);
  else if (checkpoint === null) {
    report(run, { position: '', rebuilding: true, fault: null });
    run.checkpoint = await fillFirst({
      ...run,
      fill: rebuilds.fill,
      check: () => run.lease?.check(),
      onProgress: fillingReport(run),
    });
  }
  run.parked = await readParked(readModels);
  report(run, {
    position: run.checkpoint?.position ?? '',
    parked: [...run.parked.values()],
    live,
    missing,
    rebuilding: checkpoint === null || run.status.rebuilding,
    fault: null,
  });
}

function fillingReport(run: Run): (progress: FillProgress) => void {
  const before = run.status.folded;
  return ({ events, at, unknown, parked }) => {
    for (const stream of parked) tellParked(run, stream);
    const counted = countUnknown(run.status.unknown, unknown);
    report(run, { at: at ?? run.status.at, folded: before + events, unknown: counted });
  };
}

/** What rebuilds have asked for meanwhile. */
async function obeyAll(run: Run, retirement: NodeJS.Timeout): Promise<void> {
  const { rebuilds, readModels, lease } = run;
  for (let order = rebuilds?.orders.take(); order !== undefined; order = rebuilds?.orders.take()) {
    if (order.type === 'retire') {
      // It was given while a switch was being carried out.
      if (order.term !== run.term) continue;
      run.feeds = run.feeds.filter(({ id }) => id !== undefined);
      await dropRetired({ readModels, epoch: run.epoch, check: () => lease?.check() }, run.live);
    } else if (await obey(run, order)) {
      const live = run.checkpoint?.live ?? {};
      const missing = run.status.missing.filter((name) => live[name] === undefined);
      report(run, { live, missing, parked: [...run.parked.values()] });
      run.term += 1;
      retirement.refresh();
    }
  }
}

/** One subscription, until it ends, something fails or an order is given. */
async function follow(run: Run): Promise<void> {
  const { reader, signal } = run;
  const session = sessionOf(run);
  try {
    for await (const batch of batches(reader, { after: run.checkpoint?.position ?? '', signal: session.signal })) {
      run.pace?.begin();
      await foldAndCommit(run, batch);
      if (signal.aborted) return;
      await run.pace?.next(batch.events.length);
    }
  } finally {
    session.end();
  }
  // Ended by the loss of the lease, and not by an event: nothing came that would have shown it.
  if (!signal.aborted) run.lease?.check();
}

async function foldAndCommit(run: Run, { events, caughtUp }: Batch): Promise<void> {
  const last = events.at(-1);
  const rebuilding = run.status.rebuilding && !caughtUp;
  if (last === undefined) {
    if (run.status.caughtUp !== caughtUp) report(run, { caughtUp, rebuilding });
    return;
  }
  const fold = await foldPatiently(run, events);
  const writes = fold.parked.length === 0 ? fold.writes : await overTombstones(run.readModels, fold.writes);
  await commit(run, last, run.feeds.length === 0 ? writes : [...writes, ...(await foldFeeds(run, events))]);
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

async function commit(run: Run, last: StoredEvent, writes: readonly DocumentWrite[]): Promise<void> {
  const { checkpoint: previous, epoch } = run;
  const next: Checkpoint = {
    logId: previous?.logId ?? (await demandLogId(run.reader)),
    position: last.position,
    eventId: last.id,
    live: previous?.live ?? firstStorages(run.projections),
  };
  run.lease?.check();
  await run.readModels.commit({
    writes,
    checkpoint: { name: checkpointName, previous, next, ...(epoch === undefined ? {} : { epoch }) },
  });
  run.checkpoint = next;
  run.failures = 0;
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
  run.parked = withParked(run.parked, fresh);
  run.status = { ...run.status, parked: [...run.parked.values()] };
  for (const stream of fresh) tellParked(run, stream);
}

const tellParked = (run: Run, { view, stream, position, reason }: ParkedStream): void =>
  run.onFault({
    kind: 'parked',
    message: `View ${view} parks stream ${stream} at position ${position}: ${reason}. Only a rebuild takes it up again.`,
  });

function report(run: Run, change: Partial<ProjectorStatus>): void {
  run.status = { ...run.status, ...change };
  run.onProgress(run.status);
}
