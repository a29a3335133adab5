/** What imports and migration share on a terminal: progress while they copy, and what to do when they fail. */
import type { CopyOptions } from '../../copy/copy.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { commandRetry } from '../../eventstore/with-retry.js';
import type { CommandLine } from '../shared/command-line.js';
import { createProgressBar, keepMemorySmall } from '../shared/progress-bar.js';

/** @throws CommandFailedError with what to do, UsageError; the signal's reason when it aborts. */
export async function copyOnTerminal<Result>(
  { stderr, signal, monotonic }: CommandLine,
  copy: (options: CopyOptions) => Promise<Result>,
  counted = 'events',
): Promise<{ readonly result: Result; readonly milliseconds: number }> {
  keepMemorySmall();
  const begun = monotonic();
  const bar = createProgressBar(stderr, monotonic, counted);
  const onNotice = (notice: string): void => {
    bar.clear();
    stderr.write(`${notice}\n`);
  };
  try {
    const result = await copy({ retry: commandRetry, signal, report: bar.report, onNotice });
    return { result, milliseconds: monotonic() - begun };
  } catch (error) {
    if (signal.aborted) onNotice('Stopped. The same command again goes on where this one was.');
    if (signal.aborted || error instanceof CommandFailedError || error instanceof UsageError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailedError(
      `Failed: ${reason}. When the cause is removed, the same command goes on where this one was.`,
      { cause: error },
    );
  } finally {
    bar.clear();
  }
}
