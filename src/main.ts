/** The process of the service: environment, log lines, signals, and how it ends. What it runs is put together in start-service.ts. */
import { existsSync } from 'node:fs';
import { readConfig } from './stores/config.js';
import { openLogs } from './app/logs.js';
import { explain } from './app/operator.js';
import { startService } from './app/start-service.js';

/** The whole stop, whatever a store does, takes at most this long. */
const stopPatienceMs = 25_000;

async function main(): Promise<void> {
  // Whatever is made here is for the owner only: logs, views and outbox hold personal data.
  process.umask(0o077);
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(process.env);
  const logs = openLogs(config);
  const { logger } = logs;
  const service = await startService(config, logs);
  let stopping = false;
  const stop = (signal: string, code = 0): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    // A store that hangs must not keep the process: all that was acknowledged is safe.
    setTimeout(() => {
      logger.error('the stop took too long, a store does not answer');
      logger.flush(() => process.exit(1));
    }, stopPatienceMs).unref();
    service.close().then(
      () => {
        logger.info('stopped');
        logger.flush(() => process.exit(code));
      },
      (error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        logger.flush(() => process.exit(1));
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  void service.altered?.then((error) => {
    logger.fatal({ err: error }, 'the event log was altered');
    stop('altered log', 1);
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`audience-ledger cannot start: ${explain(error)}\n`);
  process.exitCode = 1;
  process.exit();
});
