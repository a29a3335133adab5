/** The service's own log: JSON lines on standard output. */
import { pino, type Logger } from 'pino';
import type { Config } from '../stores/config.js';
import { openStandardOutput, type LogDestination } from './log-destination.js';

export interface Logs {
  readonly logger: Logger;
  readonly lines: LogDestination;
}

export function openLogs({ logLevel }: Pick<Config, 'logLevel'>): Logs {
  const lines = openStandardOutput();
  return { logger: pino({ level: logLevel, base: null }, lines), lines };
}
