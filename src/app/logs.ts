/** The service's own log, JSON lines on standard output, and its traces where a collector is named. */
import { randomUUID } from 'node:crypto';
import { pino, type Logger } from 'pino';
import { openStandardOutput, type LogDestination } from '../flow/log-destination.js';
import type { Config } from '../stores/config.js';
import type { Traces } from '../traces/traces.js';
import { checkTraceVariables } from '../traces/variables.js';
import { version } from './version.js';

export interface Logs {
  readonly logger: Logger;
  readonly lines: LogDestination;
}

export interface Observers extends Logs {
  /** Absent if no traces are made. */
  readonly traces?: Traces | undefined;
}

/** `traceId` returns the id of the trace in which a line is written. Absent if no traces are made. */
function openLogs({ logLevel }: Pick<Config, 'logLevel'>, traceId?: () => string | undefined): Logs {
  const lines = openStandardOutput();
  const mixin = traceId && (() => ({ trace_id: traceId() }));
  return { logger: pino({ level: logLevel, base: null, ...(mixin && { mixin }) }, lines), lines };
}

/** Opens the log and the traces. Lines of the log name the trace in which they are written. */
export async function openObservers(config: Pick<Config, 'logLevel'>): Promise<Observers> {
  const { isOn, wrong } = checkTraceVariables(process.env);
  // The SDK reads the environment itself, so remove wrong variables. Their defaults then hold.
  for (const name of wrong.keys()) Reflect.deleteProperty(process.env, name);
  const traces = isOn
    ? (await import('../traces/traces.js')).openTraces({
        ...{ version, instance: randomUUID(), clock: Date.now, monotonic: () => performance.now() },
        say: (level, about, message) => logs.logger[level](about, message),
      })
    : undefined;
  const logs = openLogs(config, traces?.traceId);
  for (const [name, fault] of wrong)
    logs.logger.warn({ fault: `${name} ${fault}` }, 'a variable of OpenTelemetry is not understood, and ignored');
  return { ...logs, traces };
}
