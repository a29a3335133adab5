/** The projector: one pass over the log for all live views. Takes over, opens the views, and switches live storages between two batches; `follow.ts` folds. */
import type { Checkpoint, StoredView } from '../readmodels/read-models.js';
import { pause } from '../flow/abort.js';
import { backOff, equalJitter } from '../flow/backoff.js';
import { aborted } from './batch-delay.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { demandLogId } from '../eventstore/log-id.js';
import { batchBounds } from './batches.js';
import type { ParkedStream } from './parked.js';
import {
  foldAndCommit,
  foldingFrom,
  follow,
  tellParked,
  type Folding,
  type FollowOptions,
  type FollowSession,
} from './follow.js';
import { LeaseLostError } from './lease.js';
import { dropOldStorages, switchStorages, readOldStorages, unparkOldStorages } from './old-storages.js';
import { ForeignViewsError, NewerViewsError, openCheckpoint } from './start.js';
import {
  createStatusReporter,
  initialStatus,
  type ProjectorFault,
  type ProjectorStatus,
  type StatusReporter,
} from './status.js';
import {
  checkpointName,
  commitUnderLease,
  storagesOf,
  type LiveStorages,
  type WaitingSwitches,
  type Storages,
  type ViewsWriter,
} from './storage.js';

interface ProjectorOptions extends FollowOptions {
  /** After each commit is visible to every reader, and when the status changes otherwise. */
  readonly onProgress: (status: ProjectorStatus) => void;
  /** 0 to 1, for jitter. */
  readonly random: () => number;
  /** What to do with views that were folded from another log, see `openCheckpoint`. Default: rebuild. */
  readonly foreignViews?: 'rebuild' | 'refuse';
  /** Default: none. */
  readonly switches?: WaitingSwitches;
  /** A log without views that exceeds these bounds is left to a rebuild, which is faster. Default: the bounds of a batch. */
  readonly shortLog?: LogBounds;
  /** Milliseconds that readers have to notice that a storage is live no more. Default 10,000. */
  readonly dropAfter?: number;
}

export interface LogBounds {
  readonly events: number;
  /** Characters of data. */
  readonly characters: number;
}

const pauses = { first: 50, most: 5_000 };
/** How long readers have to notice that the views are reset: they ask at least once a second. */
const settleMs = 2_000;

const noSwitches: WaitingSwitches = { isWaiting: () => false, onAdded: () => undefined, next: async () => undefined };

interface Session extends FollowSession {
  readonly options: ProjectorOptions;
  /** Aborts when the session has ended. */
  readonly ended: AbortSignal;
}

/** Folds until the signal aborts, then finishes the batch and resolves. Never rejects: a failure is reported and tried again. */
export async function runProjector(options: ProjectorOptions): Promise<void> {
  const { signal, lease } = options;
  const reporter = createStatusReporter({ ...initialStatus, led: lease === undefined }, options.onProgress);
  let failures = 0;
  const onCommit = (): void => {
    failures = 0;
  };
  while (!signal.aborted) {
    let fault: ProjectorFault = { kind: 'unavailable', message: 'the subscription ended' };
    try {
      await runSession(options, reporter, onCommit);
    } catch (error) {
      fault = faultOf(error);
      // A process that can fold these views may take over.
      if (error instanceof ForeignViewsError || error instanceof NewerViewsError) await lease?.yield();
    }
    if (aborted(signal)) return;
    failures += 1;
    // A lost lease is no fault: another process folds.
    reporter.report({ fault: fault.kind === 'lease_lost' ? null : fault.message, caughtUp: false });
    options.onFault(fault);
    await pause(equalJitter(backOff(failures - 1, pauses), options.random), signal);
  }
}

function faultOf(error: unknown): ProjectorFault {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected failure';
  return { kind: error instanceof LeaseLostError ? 'lease_lost' : 'unavailable', message };
}

/** From the checkpoint on, until the subscription ends or something fails. */
async function runSession(options: ProjectorOptions, reporter: StatusReporter, onCommit: () => void): Promise<void> {
  const { signal, readModels, switches = noSwitches } = options;
  const writer = await takeOver(options, reporter);
  if (writer === undefined) return;
  const ending = new AbortController();
  const session: Session = { options, writer, switches, reporter, onCommit, ended: ending.signal };
  try {
    let folding = await begin(session);
    dropLater(session, await readOldStorages(readModels));
    do {
      while (switches.isWaiting()) folding = await switchNext(session, folding);
      folding = await follow(session, folding);
    } while (switches.isWaiting() && !aborted(signal));
  } finally {
    ending.abort();
  }
}

/** Undefined: the signal has aborted. */
async function takeOver(
  { lease, readModels, signal }: ProjectorOptions,
  { status, report }: StatusReporter,
): Promise<ViewsWriter | undefined> {
  if (lease === undefined) return { readModels, check: () => undefined };
  if (!lease.isHeld()) report({ standby: true, caughtUp: false });
  const epoch = await lease.hold(signal, () => !status().led && report({ led: true }));
  if (epoch === null) return undefined;
  if (status().standby) report({ standby: false, led: true });
  return { readModels, epoch, check: () => lease.check() };
}

async function begin(session: Session): Promise<Folding> {
  const { options, writer } = session;
  const { reader, projections, signal, lease, foreignViews = 'rebuild' } = options;
  const stored = await openCheckpoint({
    ...writer,
    reader,
    views: projections,
    foreignViews,
    // A follower that is slow waits for positions anyway.
    settle: () => (lease === undefined ? Promise.resolve() : pause(settleMs, signal)),
    onRebuild: (kind, message) => options.onFault({ kind, message }),
  });
  if (stored === null) return await beginWithoutViews(session);
  await unparkOldStorages(writer, stored);
  return beginFrom(session, await foldingFrom(options, stored));
}

function beginFrom({ options, reporter }: Session, folding: Folding, progress: Partial<ProjectorStatus> = {}): Folding {
  const { checkpoint, parked } = folding;
  const live = checkpoint?.storages ?? storagesOf(options.projections);
  const missing = missingIn(live, options);
  // Without any storage, a rebuild builds all views.
  const rebuilding = reporter.status().rebuilding || missing.length === options.projections.length;
  const position = checkpoint?.position ?? '';
  reporter.report({ ...progress, position, parked: [...parked.values()], live, missing, rebuilding, fault: null });
  return folding;
}

const missingIn = (live: Storages, { projections }: ProjectorOptions): readonly string[] =>
  projections.map(({ name }) => name).filter((name) => live[name] === undefined);

/** Folds a short log at once. Leaves a long one to a rebuild. */
async function beginWithoutViews(session: Session): Promise<Folding> {
  const { options, reporter } = session;
  const { readModels, projections, shortLog = batchBounds } = options;
  reporter.report({ position: '', rebuilding: true, fault: null });
  const events = await wholeLog(options, shortLog);
  if (events === undefined) return beginFrom(session, await foldingFrom(options, await leaveToRebuild(session)));
  for (const view of projections) await readModels.prepare(view);
  // Report nothing before the views show all events, because readers would miss some.
  const quiet = createStatusReporter(reporter.status(), () => undefined);
  const begun = await foldingFrom(options, null);
  const folding = await foldAndCommit({ ...session, reporter: quiet }, begun, { events, caughtUp: false });
  return beginFrom(session, folding, quiet.status());
}

/** Returns all events of the log, or undefined if they exceed the bounds. */
async function wholeLog({ reader }: ProjectorOptions, bounds: LogBounds): Promise<readonly StoredEvent[] | undefined> {
  const events: StoredEvent[] = [];
  let characters = 0;
  for await (const page of reader.readAll()) {
    events.push(...page);
    for (const { data } of page) characters += data.length;
    if (events.length > bounds.events || characters > bounds.characters) return undefined;
  }
  return events;
}

/** Commits a checkpoint at the end of the log that names no storages, so that a rebuild builds all views up to there. */
async function leaveToRebuild({ options: { reader }, writer }: Session): Promise<Checkpoint> {
  for await (const [last] of reader.readAll({ direction: 'backwards', limit: 1 })) {
    if (last === undefined) break;
    const { position, id: eventId } = last;
    const next = { logId: await demandLogId(reader), position, eventId, storages: {} };
    await commitUnderLease(writer, { name: checkpointName, previous: null, next });
    return next;
  }
  throw new Error('the log is empty by now');
}

/** Once every reader has noticed that they are live no more. Folding goes on meanwhile; what fails is tried again. */
function dropLater(session: Session, old: readonly StoredView[]): void {
  const { options, writer, ended } = session;
  if (old.length === 0) return;
  const check = (): void => {
    ended.throwIfAborted();
    writer.check();
  };
  const drop = (): void =>
    void dropOldStorages({ ...writer, check }, old).catch((error: unknown) => {
      if (ended.aborted) return;
      options.onFault(faultOf(error));
      dropLater(session, old);
    });
  const timer = setTimeout(drop, options.dropAfter ?? 10_000);
  ended.addEventListener('abort', () => clearTimeout(timer));
}

async function switchNext(session: Session, before: Folding): Promise<Folding> {
  const { reader, projections, signal } = session.options;
  const { checkpoint } = before;
  let folding = before;
  const liveAt = (live: Checkpoint): LiveStorages => ({
    checkpoint: live,
    async switchTo(fresh, { unparks }) {
      folding = await switchLive(session, live, { storages: { ...live.storages, ...fresh }, unparks });
    },
    async discard(damaged) {
      const kept = Object.entries(live.storages).filter(([name, storage]) => damaged[name] !== storage);
      if (kept.length === Object.keys(live.storages).length) return;
      // The rebuild parks streams again that still cannot be folded.
      folding = await switchLive(session, live, { storages: Object.fromEntries(kept), unparks: true });
    },
  });
  const live = checkpoint === null ? null : liveAt(checkpoint);
  await session.switches.next({ ...session.writer, reader, projections, signal, live });
  return folding;
}

async function switchLive(
  session: Session,
  previous: Checkpoint,
  to: { readonly storages: Storages; readonly unparks: boolean },
): Promise<Folding> {
  const { options, writer, reporter } = session;
  const { checkpoint, old } = await switchStorages(writer, previous, to);
  const folding = await foldingFrom(options, checkpoint);
  const { storages: live } = checkpoint;
  const isNew = ({ view, storage }: ParkedStream): boolean =>
    storage === live[view] && storage !== previous.storages[view];
  for (const stream of folding.parked.values()) if (isNew(stream)) tellParked(options, stream);
  reporter.report({ live, missing: missingIn(live, options), parked: [...folding.parked.values()] });
  dropLater(session, old);
  return folding;
}
