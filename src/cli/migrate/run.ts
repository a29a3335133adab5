/** A migration on a terminal: progress, the result in words or as JSON, and what a program is told of a failure. */
import type { CommandLine, ExitCode } from '../command-line.js';
import { UsageError } from '../../transfer/failures.js';
import type { MigrateArguments } from './arguments.js';
import { asJson, failureAsJson, inWords } from './report.js';
import { MigrationRefusedError } from '../../transfer/migration.js';
import { patienceOf } from '../../transfer/with-retry.js';
import { createProgressBar } from '../progress-bar.js';
import { runMigration } from '../../transfer/run-migration.js';
import { adviceOnSecret } from './secret-advice.js';

export type MigrationLine = Pick<CommandLine, 'stdout' | 'stderr' | 'env' | 'signal' | 'clock' | 'monotonic'>;

/** @throws UsageError */
export async function migrate(migration: MigrateArguments, line: MigrationLine): Promise<ExitCode> {
  const { stdout, stderr, env, signal, clock, monotonic } = line;
  const begun = monotonic();
  const bar = createProgressBar(stderr, monotonic);
  try {
    const result = await runMigration(migration, {
      clock,
      patience: patienceOf(monotonic),
      signal,
      report: bar.report,
      onNotice(notice) {
        bar.clear();
        stderr.write(`${notice}\n`);
      },
    });
    bar.clear();
    const { from, to } = migration;
    const advice = adviceOnSecret({ from, to, log: result.log, environment: env });
    const report = { migration, result, advice, milliseconds: monotonic() - begun };
    await stdout.write(migration.json ? asJson(report) : inWords(report));
    return result.outcome === 'identical' || result.outcome === 'checked' ? 0 : 1;
  } catch (error) {
    bar.clear();
    if (error instanceof UsageError) throw error;
    const failure = failureOf(error, signal);
    // Standard output may be what failed.
    if (migration.json) await stdout.write(failureAsJson(migration, failure)).catch(() => undefined);
    stderr.write(`${failure.message}\n`);
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
