/** `npm run migrate`: copies the event log into another store. Composition root of this command: the process, its clock and its signals. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from './failures.js';
import { readArguments, usage, type MigrateArguments } from './migrate-arguments.js';
import { asJson, failureAsJson, inWords } from './migration-report.js';
import { MigrationRefusedError, phaseTitles } from './migration.js';
import type { Patience } from './patience.js';
import { createProgressBar } from './progress-bar.js';
import { runMigration } from './run-migration.js';
import { adviceOnSecret } from './secret-advice.js';

/** A server may be restarted in the middle. */
const patience: Patience = {
  forMs: 60_000,
  now: () => performance.now(),
  random: Math.random,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

async function migrate(migration: MigrateArguments, signal: AbortSignal): Promise<number> {
  const begun = performance.now();
  const bar = createProgressBar(process.stderr, () => performance.now());
  try {
    const result = await runMigration(migration, {
      clock: Date.now,
      patience,
      signal,
      report: (progress) => bar.report({ ...progress, phase: phaseTitles[progress.phase] }),
      onNotice(notice) {
        bar.clear();
        process.stderr.write(`${notice}\n`);
      },
    });
    bar.clear();
    const { from, to } = migration;
    const advice = adviceOnSecret({ from, to, log: result.log, environment: process.env });
    const report = { migration, result, advice, milliseconds: performance.now() - begun };
    process.stdout.write(migration.json ? asJson(report) : inWords(report));
    return result.outcome === 'identical' || result.outcome === 'checked' ? 0 : 1;
  } catch (error) {
    bar.clear();
    if (error instanceof UsageError) throw error;
    const failure = failureOf(error, signal);
    if (migration.json) process.stdout.write(failureAsJson(migration, failure));
    process.stderr.write(`${failure.message}\n`);
    return 1;
  }
}

function failureOf(error: unknown, signal: AbortSignal): { outcome: string; message: string } {
  if (signal.aborted)
    return { outcome: 'stopped', message: 'Stopped. The same command again goes on where this one was.' };
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof MigrationRefusedError) return { outcome: 'refused', message: `Refused: ${reason}` };
  return {
    outcome: 'failed',
    message: `Failed: ${reason}. When the cause is removed, the same command goes on where this one was.`,
  };
}

async function main(): Promise<number> {
  // A log that is made here holds personal data: for the owner only.
  process.umask(0o077);
  if (existsSync('.env')) process.loadEnvFile('.env');
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
  try {
    const migration = readArguments(process.argv.slice(2), process.env);
    if (migration !== undefined) return await migrate(migration, abort.signal);
    process.stdout.write(usage);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    return 2;
  }
}

process.exitCode = await main();
