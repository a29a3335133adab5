/** The state of each part of the service, and whether it is ready: the answer of /health/ready. Nothing personal in it. */
import { catalogueStreams } from '../events/streams.js';
import { pause } from '../flow/abort.js';
import type { Clocks } from '../flow/subscriber.js';
import type { ReadBack } from '../integrity/log-watch.js';
import type { Erasures } from '../privacy/erasures.js';
import type { OwnWrites } from '../projector/read-your-writes.js';
import type { ViewsStatus } from '../projector/views-status.js';
import type { Role } from '../stores/config.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { ClockStatus } from '../stores/trusted-clock.js';
import type { Readiness } from './resources/parts.js';

/** Ready: the views show what was written this long ago. */
const readyLagMs = 5_000;

interface ShownViews {
  readonly ownWrites: OwnWrites;
  status(): ViewsStatus;
  damaged(): readonly string[];
}

interface ReadinessSources {
  readonly store: Pick<OpenEventStore, 'head' | 'isWritable'>;
  readonly views: ShownViews;
  /** Returns undefined if another process reads the log back. */
  readonly readBack: () => ReadBack | undefined;
  readonly mailer: { readonly running: number; readonly canLook: boolean; readonly relay: object } | undefined;
  readonly erasures: Pick<Erasures, 'isCaughtUp' | 'waiting'>;
  readonly reports: { counts(): object };
  readonly headLag: HeadLag;
  /** Lines of the log. */
  readonly lines: { dropped(): number };
  readonly clock: ClockStatus;
  readonly roles: ReadonlySet<Role>;
}

/** Ready: the stores answer, the views caught up with the log of the start and keep up since, no catalogue is parked, and what was to be erased at the start is, or has failed several times: one erasure does not stop all else. */
export async function readiness({
  store,
  views,
  readBack,
  mailer,
  erasures,
  reports,
  headLag,
  lines,
  clock,
  roles,
}: ReadinessSources): Promise<Readiness> {
  const head = await store.head().catch(() => undefined);
  const status = views.status();
  const projections = viewsPart(views, status, headLag(head, views.ownWrites.visiblePosition()));
  const eventStore = { reachable: head !== undefined, writable: store.isWritable(), head: head ?? null };
  const reachable = status.fault === null && (mailer?.canLook ?? true);
  return {
    ready: eventStore.reachable && eventStore.writable && reachable && isComplete({ projections, status, erasures }),
    parts: {
      roles: { api: roles.has('api'), projector: roles.has('projector'), mailer: roles.has('mailer') },
      event_store: eventStore,
      read_models: { reachable },
      projections,
      ...integrityPart(readBack()),
      ...erasuresPart(erasures),
      email_reports: reports.counts(),
      log_lines: { dropped: lines.dropped() },
      clock,
      ...mailerPart(mailer),
    },
  };
}

const pollMs = 10;
/** Longer than a projector's lease takes to run out. */
const stalledMs = 10_000;

interface WaitOptions extends Pick<Clocks, 'monotonic'> {
  readonly views: ShownViews;
  readonly signal: AbortSignal;
}

/** Resolves with true when the service is ready; with false when it has come no closer for ten seconds, or the signal is aborted. */
export async function untilReady(
  ask: () => Promise<Readiness>,
  { views, monotonic, signal }: WaitOptions,
): Promise<boolean> {
  let position = '';
  let movedAt = monotonic();
  while (!signal.aborted) {
    const { rebuilding } = views.status();
    // Asking costs a read of the log: not while the answer is known.
    if (views.ownWrites.reached() && !rebuilding && (await ask()).ready) return true;
    const shown = views.ownWrites.visiblePosition();
    if (shown !== position || rebuilding) movedAt = monotonic();
    if (monotonic() - movedAt > stalledMs) return false;
    position = shown;
    await pause(pollMs, signal);
  }
  return false;
}

/** As many as the answer names. */
const mostNamed = 100;

/** Absent where another process carries erasures through. */
function erasuresPart(erasures: ReadinessSources['erasures']) {
  const waiting = erasures.waiting();
  return waiting === undefined ? {} : { erasures: { waiting: waiting.length, why: waiting.slice(0, mostNamed) } };
}

/** Absent where another process sends. A relay that refuses is no reason to take no requests. */
function mailerPart(mailer: ReadinessSources['mailer']) {
  if (mailer === undefined) return {};
  const { running, canLook, relay } = mailer;
  return { mailer: { running, worklist_readable: canLook, relay } };
}

function integrityPart(readBack: ReadBack | undefined) {
  if (readBack === undefined) return {};
  const { count: read_back_count, at, fault = null } = readBack;
  return {
    integrity: { read_back_count, read_back_at: at === undefined ? null : new Date(at).toISOString(), fault },
  };
}

function viewsPart({ ownWrites: own, damaged }: ShownViews, status: ViewsStatus, behindHead: number) {
  const { rebuilding, missing, parked, unknown, projector, led } = status;
  const lag = Math.round(Math.max(own.lag(), behindHead));
  const isWhole = missing.length === 0 && damaged().length === 0;
  return {
    caught_up: own.reached() && lag < readyLagMs && !rebuilding && isWhole && led,
    rebuilding,
    missing,
    damaged: damaged(),
    projector,
    position: own.visiblePosition(),
    lag_ms: lag,
    unknown_events: unknown,
    parked: parked.map(({ view, stream, position, reason }) => ({ view, stream, position, reason })),
  };
}

function isComplete({ projections, status, erasures }: Pick<ReadinessSources, 'erasures'> & ReadinessAnswer): boolean {
  return projections.caught_up && !catalogueIsParked(status) && erasures.isCaughtUp();
}

interface ReadinessAnswer {
  readonly projections: { readonly caught_up: boolean };
  readonly status: ViewsStatus;
}

const catalogueIsParked = ({ parked }: ViewsStatus): boolean =>
  parked.some(({ stream }) => catalogueStreams.has(stream));

/** Milliseconds for which the views have not shown a head of the log that was seen. */
type HeadLag = (head: string | undefined, shown: string) => number;

/** Other processes may write to the log: only its head tells that the views are behind. */
export function createHeadLag(now: () => number): HeadLag {
  let unseen: { readonly head: string; readonly since: number } | undefined;
  return (head, shown) => {
    if (unseen !== undefined && shown >= unseen.head) unseen = undefined;
    if (head !== undefined && shown < head) unseen ??= { head, since: now() };
    return unseen === undefined ? 0 : now() - unseen.since;
  };
}
