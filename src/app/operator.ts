/** What the operator sees: readiness, log lines, the start banner, and why a start was refused. Nothing personal, no key but the generated one in the banner. */
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { RequestLine } from '../api/request-context.js';
import type { Readiness } from '../api/health.js';
import { ServerRefusedError } from '../stores/await-server.js';
import { ConfigurationError, type Role } from '../stores/config.js';
import { ServiceError } from '../errors.js';
import { UnknownEventTypeError, UnreadableEventError } from '../events/codec.js';
import { groupsStream, listsStream, tagsStream } from '../events/streams.js';
import { StoreUnavailableError, WriterLockedError } from '../eventstore/event-store.js';
import { AlteredLogError, type EvidenceGuard } from './evidence-guard.js';
import type { ChainHead } from '../eventstore/chain.js';
import type { MailerReport } from '../mailer/job.js';
import type { MailerStatus } from '../mailer/mailer.js';
import type { OwnWrites } from '../projector/read-your-writes.js';
import { ForeignViewsError } from '../projector/start.js';
import type { ReadSide, ViewsStatus } from './views.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';
import type { OpenEventStore, StoreSettings } from '../stores/stores.js';

/** Ready means that what was written so long ago is shown. */
const readyLagMs = 5_000;

export interface Parts {
  readonly store: Pick<OpenEventStore, 'head' | 'isWritable' | 'chainHead'>;
  readonly reads: Pick<ReadSide, 'ownWrites' | 'status' | 'evidence'>;
  /** Absent where the log is not this process's own. */
  readonly guard: Pick<EvidenceGuard, 'isVerified' | 'fault'> | undefined;
  /** Absent where mailing is not this process's part. */
  readonly mailer: MailerStatus | undefined;
  readonly headLag: HeadLag;
  readonly roles: ReadonlySet<Role>;
}

/** Ready: the stores answer, the views have caught up with the start and keep up since, and no catalogue is parked. */
export async function readiness({ store, reads, guard, mailer, headLag, roles }: Parts): Promise<Readiness> {
  const head = await store.head().catch(() => undefined);
  const status = reads.status();
  const views = viewsPart(reads.ownWrites, status, headLag(head, reads.ownWrites.shown()));
  const eventStore = { reachable: head !== undefined, writable: store.isWritable(), head: head ?? null };
  const worklistReadable = mailer?.worklistReadable ?? true;
  const reachable = status.fault === null && worklistReadable;
  return {
    ready: eventStore.reachable && eventStore.writable && reachable && views.caught_up && !catalogueIsParked(status),
    parts: {
      roles: { api: roles.has('api'), projector: roles.has('projector'), mailer: roles.has('mailer') },
      event_store: eventStore,
      read_models: { reachable },
      projections: views,
      ...evidencePart({ store, reads, guard }),
      ...(mailer === undefined ? {} : { mailer: { running: mailer.running, worklist_readable: worklistReadable } }),
    },
  };
}

/** Nothing where another process keeps the chain, or a fault keeps it from being read. */
function evidencePart({ store, reads, guard }: Pick<Parts, 'store' | 'reads' | 'guard'>) {
  const chain = chainHead(store) ?? reads.evidence();
  if (chain === undefined) return {};
  const { count, head, position } = chain;
  const verified = guard === undefined ? {} : { verified: guard.isVerified(), fault: guard.fault() };
  return { evidence: { count, head, position, ...verified } };
}

function chainHead(store: Parts['store']): ChainHead | undefined {
  try {
    return store.chainHead?.();
  } catch {
    return undefined;
  }
}

function viewsPart(own: OwnWrites, status: ViewsStatus, behindHead: number) {
  const { rebuilding, missing, parked, unknown, projector } = status;
  const lag = Math.round(Math.max(own.lag(), behindHead));
  return {
    caught_up: own.reached() && lag < readyLagMs && !rebuilding && missing.length === 0,
    rebuilding,
    missing,
    projector,
    position: own.shown(),
    lag_ms: lag,
    unknown_events: unknown,
    parked: parked.map(({ view, stream, position, reason }) => ({ view, stream, position, reason })),
  };
}

const catalogueIsParked = ({ parked }: ViewsStatus): boolean =>
  parked.some(({ stream }) => [groupsStream, listsStream, tagsStream].includes(stream));

/** Milliseconds since a head of the log was seen that the views still do not show; asked with what is seen now. */
export type HeadLag = (head: string | undefined, shown: string) => number;

/** Others may write what this process knows nothing of: only the head of the log tells that the views are behind. */
export function createHeadLag(now: () => number): HeadLag {
  let unseen: { readonly head: string; readonly since: number } | undefined;
  return (head, shown) => {
    if (unseen !== undefined && shown >= unseen.head) unseen = undefined;
    if (head !== undefined && shown < head) unseen ??= { head, since: now() };
    return unseen === undefined ? 0 : now() - unseen.since;
  };
}

/** Where finished lines go. */
export interface Lines {
  /** One line or more, each with its line end. */
  write(lines: string): unknown;
}

/**
 * One line a request, in pino's format but put together here: every value is a number, a constant or checked before, and
 * pino's own way costs a tenth of a GET. Faults of the server go through pino, with their cause. What the service itself
 * puts off (too many at once, views that lag, a parked stream) is none: a stack would only say where it is written.
 */
export function requestLog(logger: Logger, lines: Lines): (line: RequestLine) => void {
  const isOn = logger.isLevelEnabled('info');
  function report({ error, ...given }: RequestLine): void {
    const line = { ...given, duration: Number(milliseconds(given.duration)) };
    if (error instanceof ServiceError && error.code === 'unavailable' && error.cause === undefined)
      logger.warn(line, 'request put off');
    else logger.error({ ...line, err: error }, 'request failed');
  }
  return (line) => {
    if (line.error !== undefined) report(line);
    else if (isOn) lines.write(requestLine(line));
  };
}

function requestLine({ request_id, method, route, status, duration, actor }: RequestLine): string {
  const who = actor === undefined ? '' : `,"actor":"${actor}"`;
  return `{"level":30,"time":${Date.now()},"request_id":"${request_id}","method":"${method}","route":"${route}","duration":${milliseconds(duration)}${who},"status":${status},"msg":"request"}\n`;
}

/** With three decimals, put together of whole numbers: a fraction costs more to write than all the rest of the line. */
function milliseconds(duration: number): string {
  const microseconds = Math.round(duration * 1000);
  const rest = microseconds % 1000;
  return `${(microseconds - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}

/** One line a turn in an e-mail's life. */
export function mailReport(logger: Logger): (report: MailerReport) => void {
  return (report) => {
    if ('error' in report) {
      const { error, ...line } = report;
      logger.error({ ...line, err: error }, 'mailer');
    } else if (report.type === 'started' || (report.type === 'recorded' && report.outcome === 'sent'))
      logger.info(report, 'mailer');
    else logger.warn(report, 'mailer');
  };
}

export function addressOf(bound: AddressInfo | string | null, host: string): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** The start banner. */
export function printAddress(address: string, { events, views }: StoreSettings, folder: string): void {
  const onServers = [
    ...(events.kind === 'eventstoredb' ? ['its events are in EventStoreDB'] : []),
    ...(views.kind === 'mongodb' ? ['its views are in MongoDB'] : []),
    `its data is in ${folder}`,
  ];
  process.stdout.write(`audience-ledger listens on ${address}, ${onServers.join(', ')}\n`);
}

/** Once, when it is made: whatever the start comes to, the operator has it. */
export function printKey(key: string, folder: string): void {
  process.stdout.write(`API key (shown this once, kept in ${folder}/api-key.txt): ${key}\n`);
}

/** Their messages are for the operator and say all there is to say. */
const plainErrors = [
  AlteredLogError,
  ConfigurationError,
  ServerRefusedError,
  WriterLockedError,
  StoreUnavailableError,
  UnknownEventTypeError,
  UnreadableEventError,
];

/** What stops a start, in the operator's words; anything else is a fault of ours and keeps its stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ForeignViewsError)
    return `${error.message}. Nothing was changed. If the log lost its end, or is another one, by mistake, put the right one back. If it is the right one, remove the views (drop the MongoDB database of MONGODB_URL, or delete views.db in DATA_DIR): they are folded anew from the log.`;
  // A store that was there a moment ago.
  if (error instanceof ServiceError && error.cause !== undefined) return explain(error.cause);
  if (error instanceof ReadModelsUnavailableError) return `the views cannot be reached: ${error.message}`;
  if (plainErrors.some((kind) => error instanceof kind)) return error.message;
  return 'code' in error && typeof error.code === 'string' ? error.message : (error.stack ?? error.message);
}
