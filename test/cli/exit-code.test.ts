/** The exit code of a command: what its action returns, or what the error bears that it throws. */
import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { CommandLine, ExitCode } from '../../src/cli/shared/command-line.js';
import { checked, withExitCode } from '../../src/cli/shared/exit-code.js';
import { runProgram } from '../../src/cli/program.js';
import { CommandFailedError, UsageError } from '../../src/failures.js';

async function ended(action: () => Promise<ExitCode>) {
  let exitCode: ExitCode = 0;
  let err = '';
  const line = {
    signal: new AbortController().signal,
    stderr: { write: (text: string) => (err += text) },
    exitWith: (code: ExitCode) => void (exitCode = code),
  } as unknown as CommandLine;
  const program = new Command('audience').exitOverride();
  program.command('do').action(withExitCode(line, action));
  const code = await runProgram({ program, line, words: ['do'], explain: String, exitCode: () => exitCode });
  return { code, err };
}

test('an action returns it', async () => {
  expect(await ended(async () => 0)).toEqual({ code: 0, err: '' });
  expect(await ended(async () => 1)).toEqual({ code: 1, err: '' });
});

const failing = (error: Error) => async (): Promise<ExitCode> => {
  throw error;
};

test('a failure is 1, one of the command line 2, and an error may say another', async () => {
  expect(await ended(failing(new Error('broken')))).toEqual({ code: 1, err: 'Error: broken\n' });
  expect(await ended(failing(new CommandFailedError('no')))).toEqual({ code: 1, err: 'no\n' });
  expect(await ended(failing(new CommandFailedError('no', { exitCode: 2 })))).toEqual({ code: 2, err: 'no\n' });
  expect(await ended(failing(new UsageError('what?')))).toMatchObject({ code: 2 });
});

test('what keeps a check from an answer is 2, and an answer stays what it is', async () => {
  const checking = (error: Error) => ended(() => checked(failing(error)));
  expect(await checking(new Error('broken'))).toEqual({ code: 2, err: 'Error: broken\n' });
  expect(await checking(new CommandFailedError('no log'))).toEqual({ code: 2, err: 'no log\n' });
  expect(await checking(new CommandFailedError('altered', { exitCode: 1 }))).toEqual({ code: 1, err: 'altered\n' });
});
