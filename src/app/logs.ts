/** The service's own log: JSON lines on standard output. */
import { pino, type Logger } from 'pino';
import { openStandardOutput, type LogDestination } from '../flow/log-destination.js';
import type { Config } from '../stores/config.js';

export interface Logs {
  readonly logger: Logger;
  readonly lines: LogDestination;
}

export function openLogs({ logLevel }: Pick<Config, 'logLevel'>): Logs {
  const lines = openStandardOutput();
  return { logger: pino({ level: logLevel, base: null }, lines), lines };
}
