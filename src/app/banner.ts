/** What the operator reads at a start: where the service listens, where the generated key is, or why the start was refused. */
import type { AddressInfo } from 'node:net';
import { printable } from '../events/printable.js';
import { isatty } from 'node:tty';
import { ServerRefusedError } from '../stores/await-server.js';
import { ConfigurationError, type Config } from '../stores/config.js';
import { ServiceError } from '../errors.js';
import { UnknownEventTypeError, UnreadableEventError } from '../events/codec.js';
import { StoreUnavailableError, WriterLockedError } from '../eventstore/event-store.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import { ForeignViewsError } from '../projector/start.js';
import { RegisterError } from '../recovery/register.js';
import { ReadModelsUnavailableError, ViewMissingError } from '../readmodels/read-models.js';

export function addressOf(bound: AddressInfo | string | null, { host, tls }: Pick<Config, 'host' | 'tls'>): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}`;
}

export const startBanner = (address: string, places: readonly string[], folder: string): string =>
  `audience-ledger listens on ${address}, ${[...places, `its data is in ${folder}`].join(', ')}\n`;

/** Shown once, when the key is made; the key itself only on a terminal, because elsewhere standard output is a log. */
export function keyBanner(key: string, folder: string): string {
  const file = `${folder}/api-key.txt`;
  return isatty(1) ? `API key (shown this once, kept in ${file}): ${key}\n` : `An API key was made: ${file}\n`;
}

/** Their messages are for the operator and complete: no stack. */
const plainErrors = [
  AlteredLogError,
  RegisterError,
  ConfigurationError,
  ServerRefusedError,
  WriterLockedError,
  StoreUnavailableError,
  UnknownEventTypeError,
  UnreadableEventError,
];

function withoutViews(error: ReadModelsUnavailableError): string {
  if (error instanceof ViewMissingError) return `${error.message}: the next start of the service builds it`;
  return `the views cannot be reached: ${error.message}`;
}

/** Why a start failed, for the operator; an error that is not foreseen keeps its stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ForeignViewsError)
    return `${error.message}. Nothing was changed. If this is the wrong log, or it lost its end, put the right one back. If you put this log back from a backup, remove the views (drop the MongoDB database of MONGODB_URL, or delete views.db in DATA_DIR), which are built again from the log, and run audience restore --in-place before the next start. Without that, erased people are shown again and open emails are sent again.`;
  // A store that failed after it had been opened.
  if (error instanceof ServiceError && error.cause !== undefined) return explain(error.cause);
  if (error instanceof ReadModelsUnavailableError) return withoutViews(error);
  if (plainErrors.some((kind) => error instanceof kind)) return printable(error.message);
  return 'code' in error && typeof error.code === 'string' ? printable(error.message) : (error.stack ?? error.message);
}
