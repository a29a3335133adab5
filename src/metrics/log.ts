/** Transactions of the embedded log. */
import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { LogCommit } from '../flow/observe.js';

export function countCommits(registry: Registry): (commit: LogCommit) => void {
  const durations = new Histogram({
    name: 'audience_log_commit_seconds',
    help: 'Transactions of the embedded log, each with its fsync.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    registers: [registry],
  });
  const sizes = new Histogram({
    name: 'audience_log_commit_appends',
    help: 'Appends in one transaction of the embedded log: many where many clients write at the same time.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'audience_log_failed_commits_total',
    help: 'Transactions of the embedded log that failed: the disk is full or broken, or another program holds the file.',
    registers: [registry],
  });
  return ({ appends, milliseconds }) => {
    if (milliseconds === undefined) return failures.inc();
    durations.observe(milliseconds / 1_000);
    sizes.observe(appends);
  };
}
