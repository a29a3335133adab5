/** How a command ends: an action returns its exit code, or throws an error that bears one. */
import { CommandFailedError, NotCheckedError } from '../../failures.js';
import type { CommandLine, ExitCode } from './command-line.js';

/** Of an action that may end otherwise than with 0. */
export const withExitCode =
  <Words extends readonly unknown[]>(
    line: Pick<CommandLine, 'exitWith'>,
    action: (...words: Words) => Promise<ExitCode>,
  ) =>
  async (...words: Words): Promise<void> =>
    line.exitWith(await action(...words));

/** A script must not take what could not be read for what was altered. @throws NotCheckedError except where the failure is the answer and bears its exit code */
export async function checked<Result>(check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof CommandFailedError && error.exitCode !== undefined) throw error;
    throw new NotCheckedError(error);
  }
}
