/** `npm run migrate`: copies the event log into another store. Composition root of this command: the process, its clock and its signals. */
import { existsSync } from 'node:fs';
import { UsageError } from '../../transfer/failures.js';
import { readArguments, usage } from './arguments.js';
import { createOutput } from '../output.js';
import { migrate } from './run.js';

async function main(): Promise<number> {
  // A log that is made here holds personal data: for the owner only.
  process.umask(0o077);
  if (existsSync('.env')) process.loadEnvFile('.env');
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
  try {
    const migration = readArguments(process.argv.slice(2), process.env);
    if (migration !== undefined)
      return await migrate(migration, {
        stdout: createOutput(process.stdout),
        stderr: process.stderr,
        env: process.env,
        signal: abort.signal,
        clock: Date.now,
        monotonic: () => performance.now(),
      });
    process.stdout.write(usage);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    return 2;
  }
}

process.exitCode = await main();
