/** What imports and migration share on a terminal: progress while they copy, and what to do when they fail. */
import type { CopyOptions } from '../../copy/copy.js';
import type { ExaminedLog } from '../../copy/examine.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { commandRetry } from '../../eventstore/with-retry.js';
import { adviceOnSecret } from '../../stores/secret-of-log.js';
import type { LogSettings } from '../../stores/stores.js';
import type { CommandLine } from './command-line.js';
import { createProgressBar } from './progress-bar.js';
import { keepMemorySmall } from './memory.js';

interface CopiedLog<Result> {
  readonly result: Result;
  /** Where the secret of the log is, and what to do with it. */
  readonly advice: string;
  readonly milliseconds: number;
}

/** Copies a log and says where its secret is. @throws as `copyOnTerminal` */
export async function copyLogOnTerminal<Result>(
  line: CommandLine,
  { from, to }: { readonly from: LogSettings; readonly to: LogSettings },
  copy: (options: CopyOptions) => Promise<Result>,
): Promise<CopiedLog<Result>> {
  keepMemorySmall();
  let advice = '';
  const onExamined = (log: ExaminedLog): void => {
    advice = adviceOnSecret({ from, to, log, environment: line.env });
  };
  const copied = await copyOnTerminal(line, (options) => copy({ ...options, onExamined }));
  return { ...copied, advice };
}

/** @throws CommandFailedError with what to do, UsageError; the signal's reason when it aborts. */
export async function copyOnTerminal<Result>(
  { stderr, signal, monotonic }: CommandLine,
  copy: (options: CopyOptions) => Promise<Result>,
  counted = 'events',
): Promise<{ readonly result: Result; readonly milliseconds: number }> {
  const startedAt = monotonic();
  const bar = createProgressBar(stderr, monotonic, counted);
  const onNotice = (notice: string): void => {
    bar.clear();
    stderr.write(`${notice}\n`);
  };
  try {
    const result = await copy({ retry: commandRetry, signal, report: bar.report, onNotice });
    return { result, milliseconds: monotonic() - startedAt };
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
