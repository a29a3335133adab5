/** The projector: one pass over the log for all live views. Takes over, opens the views, and switches live storages between two batches; `follow.ts` folds. */
import type { Checkpoint, StoredView } from '../readmodels/read-models.js';
import { aborted, pause } from './batch-delay.js';
import { foldingFrom, follow, tellParked, type Folding, type FollowOptions, type FollowSession } from './follow.js';
import { LeaseLostError } from './lease.js';
import { dropOldStorages, switchStorages, readOldStorages, unparkOldStorages } from './old-storages.js';
import { ForeignViewsError, NewerViewsError, openCheckpoint } from './start.js';
import {
  countUnknown,
  createStatusReporter,
  initialStatus,
  type BuildProgress,
  type ProjectorFault,
  type ProjectorStatus,
  type StatusReporter,
} from './status.js';
import {
  storagesOf,
  type FoldedViews,
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
  /** Builds all views up to the head. Default: they are folded in the ordinary way, from the first event on. */
  readonly buildInitially?: (build: InitialBuild) => Promise<Checkpoint | null>;
  /** Milliseconds that readers have to notice that a storage is live no more. Default 10,000. */
  readonly dropAfter?: number;
}

export interface InitialBuild extends FoldedViews {
  readonly onProgress: (progress: BuildProgress) => void;
}

const backOffMs = { first: 50, most: 5_000 };
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
    const most = Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(failures - 1, 16));
    await pause(most * (0.5 + options.random() / 2), signal);
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

async function begin({ options, writer, reporter }: Session): Promise<Folding> {
  const { reader, projections, signal, lease, foreignViews = 'rebuild', buildInitially = prepareAll } = options;
  const stored = await openCheckpoint({
    ...writer,
    reader,
    views: projections,
    foreignViews,
    // A follower that is slow waits for positions anyway.
    settle: () => (lease === undefined ? Promise.resolve() : pause(settleMs, signal)),
    onRebuild: (kind, message) => options.onFault({ kind, message }),
  });
  let checkpoint = stored;
  if (stored === null) {
    reporter.report({ position: '', rebuilding: true, fault: null });
    const onProgress = buildReport(options, reporter);
    checkpoint = await buildInitially({ ...writer, reader, projections, signal, onProgress });
  } else await unparkOldStorages(writer, stored);
  const folding = await foldingFrom(options, checkpoint);
  const live = checkpoint?.storages ?? storagesOf(projections);
  reporter.report({
    position: checkpoint?.position ?? '',
    parked: [...folding.parked.values()],
    live,
    missing: projections.filter(({ name }) => live[name] === undefined).map(({ name }) => name),
    fault: null,
  });
  return folding;
}

export async function prepareAll({ readModels, projections }: InitialBuild): Promise<null> {
  for (const view of projections) await readModels.prepare(view);
  return null;
}

function buildReport(options: ProjectorOptions, reporter: StatusReporter): (progress: BuildProgress) => void {
  const before = reporter.status().folded;
  return ({ events, at, unknown, parked }) => {
    for (const stream of parked) tellParked(options, stream);
    const { at: last, unknown: counts } = reporter.status();
    reporter.report({ at: at ?? last, folded: before + events, unknown: countUnknown(counts, unknown) });
  };
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
  before: Checkpoint,
  to: { readonly storages: Storages; readonly unparks: boolean },
): Promise<Folding> {
  const { options, writer, reporter } = session;
  const { checkpoint, old } = await switchStorages(writer, before, to);
  const { storages: live } = checkpoint;
  const folding = await foldingFrom(options, checkpoint);
  const missing = options.projections.map(({ name }) => name).filter((name) => live[name] === undefined);
  reporter.report({ live, missing, parked: [...folding.parked.values()] });
  dropLater(session, old);
  return folding;
}
