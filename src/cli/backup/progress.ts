/** A bar for as long as a backup is made, verified or restored: bytes while it is copied, events while it is verified. */
import type { ReportProgress } from '../../flow/progress.js';
import type { CommandLine } from '../shared/command-line.js';
import { createProgressBar } from '../shared/progress-bar.js';

export async function whileBackingUp<Result>(
  { stderr, monotonic }: CommandLine,
  work: (onProgress: ReportProgress) => Promise<Result>,
): Promise<Result> {
  const bars = { copying: createProgressBar(stderr, monotonic, 'bytes'), other: createProgressBar(stderr, monotonic) };
  const report: ReportProgress = (progress) =>
    (progress.phase === 'copying' ? bars.copying : bars.other).report(progress);
  return await work(report).finally(() => {
    bars.copying.clear();
    bars.other.clear();
  });
}
