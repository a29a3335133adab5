/** What the operator sees: readiness, log lines, the start banner, and why a start was refused. Nothing personal, no key but the generated one in the banner. */
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { RequestLine } from './api/call.js';
import type { Readiness } from './api/health.js';
import { ConfigurationError } from './config.js';
import { groupsStream, listsStream, tagsStream } from './events/streams.js';
import { StoreUnavailableError, WriterLockedError } from './eventstore/event-store.js';
import type { SqliteEventStore } from './eventstore/sqlite.js';
import type { MailerReport } from './mailer/job.js';
import type { MailerStatus } from './mailer/mailer.js';
import type { OwnWrites } from './projections/own-writes.js';
import type { ProjectorStatus } from './projections/projector.js';

/** Ready means that what was written so long ago is shown. */
const readyLagMs = 5_000;

export interface Parts {
  readonly store: Pick<SqliteEventStore, 'head' | 'isWritable'>;
  readonly own: OwnWrites;
  readonly projector: ProjectorStatus;
  readonly mailer: MailerStatus;
}

/** Ready: the stores answer, the views have caught up with the start and keep up since, and no catalogue is parked. */
export async function readiness({ store, own, projector, mailer }: Parts): Promise<Readiness> {
  const head = await store.head().catch(() => undefined);
  const { position, rebuilding, fault, parked, unknown } = projector;
  const lag = Math.round(own.lag());
  const parkedCatalogues = parked.filter(({ stream }) => [groupsStream, listsStream, tagsStream].includes(stream));
  const caughtUp = own.reached() && lag < readyLagMs && !rebuilding;
  return {
    ready:
      head !== undefined &&
      store.isWritable() &&
      fault === null &&
      caughtUp &&
      parkedCatalogues.length === 0 &&
      mailer.worklistReadable,
    parts: {
      event_store: { reachable: head !== undefined, writable: store.isWritable(), head: head ?? null },
      read_models: { reachable: fault === null && mailer.worklistReadable },
      projections: {
        caught_up: caughtUp,
        rebuilding,
        position,
        lag_ms: lag,
        unknown_events: unknown,
        parked: parked.map(({ view, stream, position: at, reason }) => ({ view, stream, position: at, reason })),
      },
      mailer: { running: mailer.running, worklist_readable: mailer.worklistReadable },
    },
  };
}

/** Where finished lines go. */
export interface Lines {
  write(line: string): unknown;
}

/**
 * One line a request, in pino's format but put together here: every value is a number, a constant or checked before, and
 * pino's own way costs a tenth of a GET. Faults of the server go through pino, with their cause.
 */
export function requestLog(logger: Logger, lines: Lines): (line: RequestLine) => void {
  const isOn = logger.isLevelEnabled('info');
  return ({ error, ...line }) => {
    if (error !== undefined) logger.error({ ...line, err: error }, 'request failed');
    else if (isOn) lines.write(requestLine(line));
  };
}

function requestLine({ request_id, method, route, status, duration, actor }: RequestLine): string {
  const who = actor === undefined ? '' : `,"actor":"${actor}"`;
  return `{"level":30,"time":${Date.now()},"request_id":"${request_id}","method":"${method}","route":"${route}","duration":${duration}${who},"status":${status},"msg":"request"}\n`;
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
export function printAddress(address: string, folder: string): void {
  process.stdout.write(`audience-ledger listens on ${address}, its data is in ${folder}\n`);
}

/** Once, when it is made: whatever the start comes to, the operator has it. */
export function printKey(key: string, folder: string): void {
  process.stdout.write(`API key (shown this once, kept in ${folder}/api-key.txt): ${key}\n`);
}

/** What stops a start, in the operator's words; anything else is a fault of ours and keeps its stack. */
export function explain(error: unknown): string {
  if (
    error instanceof ConfigurationError ||
    error instanceof WriterLockedError ||
    error instanceof StoreUnavailableError
  )
    return error.message;
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.message : (error.stack ?? error.message);
}
