/** The service's own log: JSON lines on standard output. */
import { pino, type Logger } from 'pino';
import { openStandardOutput, type LogDestination } from '../flow/log-destination.js';
import type { Config } from '../stores/config.js';

export interface Logs {
  readonly logger: Logger;
  readonly lines: LogDestination;
}

/** `traceId`: of what is under way while a line is written. Absent where no traces are made. */
export function openLogs({ logLevel }: Pick<Config, 'logLevel'>, traceId?: () => string | undefined): Logs {
  const lines = openStandardOutput();
  const mixin = traceId && (() => ({ trace_id: traceId() }));
  return { logger: pino({ level: logLevel, base: null, ...(mixin && { mixin }) }, lines), lines };
}
