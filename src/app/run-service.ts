/** The life of the process: environment, log, start, and the ways it ends, each within a bound. */
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { unlessAborted, within } from '../flow/abort.js';
import { explain } from './banner.js';
import { openObservers, type Observers } from './logs.js';
import type { Logger } from 'pino';
import { startService, type Service } from './start-service.js';
import { readConfig, type Config } from '../stores/config.js';

/** A stop takes at most this long, whatever a store does: all that was acknowledged is safe. */
const stopMs = 25_000;
/** A start that gets a stop signal takes at most this long to end: nothing has been acknowledged yet. */
const abandonStartMs = 2_000;

export async function runService(signal: AbortSignal): Promise<void> {
  // Logs, views and outbox hold personal data: for the owner only.
  process.umask(0o077);
  // A closed standard error is no reason to end.
  process.stderr.on('error', () => undefined);
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const config = readConfig(process.env);
    const observers = await openObservers(config);
    const code = await serve({ config, observers, signal });
    await observers.traces?.close();
    await observers.lines.close();
    process.exit(code);
  } catch (error) {
    process.stderr.write(`audience-ledger cannot start: ${explain(error)}\n`);
    process.exit(1);
  }
}

interface Run {
  readonly config: Config;
  readonly observers: Observers;
  readonly signal: AbortSignal;
}

/**
 * Makes V8 allocate every object in the young generation. Otherwise V8 allocates objects in the old generation if a hundred of
 * their kind survived one collection, and those of requests keep whole requests in memory until a major collection. The heap
 * was 4 times as large then. Called after the start, because the code that Node has cached does not fit changed flags.
 */
function keepYoungObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** @returns the exit code @throws what keeps the service from starting */
async function serve({ config, observers, signal }: Run): Promise<number> {
  const { logger } = observers;
  const starting = startService(config, observers, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  const service = await unlessAborted(starting, signal, () => undefined);
  if (service === undefined) {
    logger.info({ signal: String(signal.reason) }, 'stopping before the start is complete');
    const closed = starting.then((late) => late?.close());
    await within(abandonStartMs, closed, () => undefined);
    return 0;
  }
  keepYoungObjectsYoung();
  const altered = await unlessAborted(service.altered ?? new Promise<never>(() => undefined), signal, () => undefined);
  if (altered === undefined) logger.info({ signal: String(signal.reason) }, 'stopping');
  else logger.fatal({ err: altered }, 'stopping: the event log was altered');
  const isClosed = await stop(service, logger);
  return isClosed && altered === undefined ? 0 : 1;
}

async function stop(service: Service, logger: Logger): Promise<boolean> {
  try {
    const closed = service.close().then(() => true);
    const isClosed = await within(stopMs, closed, () => false);
    if (isClosed) logger.info('stopped');
    else logger.error('the stop took too long: a store does not answer');
    return isClosed;
  } catch (error) {
    logger.error({ err: error }, 'the stop failed');
    return false;
  }
}
