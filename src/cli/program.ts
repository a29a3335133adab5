/** The program `audience`: its commands, its common options, and how a run ends. */
import { Command, CommanderError } from 'commander';
import { z } from 'zod';
import { UnreadableHistoryError } from '../audit/decoding.js';
import { errorCatalogue, ServiceError } from '../errors.js';
import { printable } from '../events/printable.js';
import type { CommandLine } from './shared/command-line.js';
import { withExamples } from './shared/options.js';
import { CommandFailedError, InterruptedError, NotCheckedError, UsageError } from '../failures.js';

const globalOptions = z.object({
  dataDir: z.string().optional(),
  url: z.string().optional(),
  json: z.boolean().default(false),
});
const envFileOption = z.object({ envFile: z.boolean() });
export type GlobalOptions = z.output<typeof globalOptions>;

interface ProgramOptions {
  readonly line: CommandLine;
  readonly version: string;
  /** Called before the command runs. What it throws ends the run. */
  readonly onOptions: (options: GlobalOptions, readsEnvFile: boolean) => void;
}

export function createProgram({ line, version, onOptions }: ProgramOptions): Command {
  const program = new Command('audience');
  // Before the commands, which inherit these.
  program
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void line.stdout.write(text).catch(() => undefined),
      writeErr: (text) => void line.stderr.write(text),
      // Written once, at the end of the run.
      outputError: () => undefined,
    })
    .configureHelp({ showGlobalOptions: true })
    .helpOption('-h, --help', 'this text');
  program
    .description(
      'For the operator, the auditor and the analyst of an audience-ledger: history, proof, rebuild, export.',
    )
    .version(version, '-V, --version', 'the version')
    .option('--data-dir <folder>', 'the data folder; its log is read even where EVENTSTORE_URL names another one')
    .option('--url <address>', 'the running service, where it is not the one of the data folder (AUDIENCE_URL)')
    .option('--no-env-file', 'ignores the file .env in the current folder')
    .option('--json', 'the answer, and what went wrong, as JSON on standard output')
    .hook('preAction', () => {
      const given: unknown = program.opts();
      onOptions(globalOptions.parse(given), envFileOption.parse(given).envFile);
    });
  withExamples(program, ['audience audit history ada@example.com', 'audience audit verify', 'audience help audit']);
  return program;
}

interface Run {
  readonly program: Command;
  readonly line: CommandLine;
  readonly words: readonly string[];
  readonly explain: (error: unknown) => string;
  /** What the action returned. */
  readonly exitCode: () => number;
}

/** Runs the command and returns the exit code: 0, 1, 2, 75, or that of the interruption. */
export async function runProgram(run: Run): Promise<number> {
  const { program, line, words, exitCode } = run;
  try {
    await program.parseAsync([...words], { from: 'user' });
    line.signal.throwIfAborted();
    return exitCode();
  } catch (error) {
    if (!handsOverReport(words)) return await fail(line.signal.aborted ? line.signal.reason : error, run);
    return (await fail(error, run)) === 0 ? 0 : tryAgain;
  }
}

/** Says what went wrong, and returns the exit code. */
async function fail(cause: unknown, { line, words, explain }: Run): Promise<number> {
  if (cause instanceof InterruptedError) return cause.exitCode;
  const failure = failureOf(cause, explain);
  if (failure === undefined) return cause instanceof CommanderError && cause.exitCode !== 0 ? 2 : 0;
  const { type, message } = failure;
  const answer = `${JSON.stringify({ error: { type, message } })}\n`;
  // Standard output may be what failed.
  if (words.includes('--json')) await line.stdout.write(answer).catch(() => undefined);
  line.stderr.write(`${message}\n${type === 'usage' ? hint : ''}`);
  return failure.exitCode;
}

/** EX_TEMPFAIL: a mail server keeps what it handed over, and tries again. It would throw a report away after any other failure. */
const tryAgain = 75;

const handsOverReport = (words: readonly string[]): boolean =>
  words.some((word, at) => word === 'email' && words[at + 1] === 'report');

interface Failure {
  readonly type: string;
  readonly message: string;
  readonly exitCode: 1 | 2;
}

function failureOf(error: unknown, explain: (error: unknown) => string): Failure | undefined {
  const isUnchecked = error instanceof NotCheckedError;
  const reason: unknown = isUnchecked ? error.cause : error;
  const known = inWords(reason, explain);
  if (known === undefined) return undefined;
  if (known.type === 'usage' || isUnchecked) return { ...known, exitCode: 2 };
  return { ...known, exitCode: (reason instanceof CommandFailedError ? reason.exitCode : undefined) ?? 1 };
}

/** Returns what went wrong, or undefined if nothing did or help was shown instead. */
function inWords(error: unknown, explain: (error: unknown) => string): Omit<Failure, 'exitCode'> | undefined {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
    return { type: 'usage', message: usageMessage(error) };
  }
  if (error instanceof UsageError) return { type: 'usage', message: printable(error.message) };
  if (error instanceof CommandFailedError) return { type: error.type, message: printable(error.message) };
  if (error instanceof ServiceError && error.cause === undefined)
    return { type: errorCatalogue[error.code].type, message: printable(error.message) };
  // The data are damaged, or of a later version: no fault of the program.
  if (error instanceof UnreadableHistoryError)
    return {
      type: 'unreadable',
      message: printable(`The answer would rest on an event that cannot be read: ${error.message}.`),
    };
  return { type: 'failed', message: explain(error) };
}

function usageMessage({ message }: CommanderError): string {
  // The suggestion of commander is on a line of its own and stays there.
  const [, said = '', suggestion = ''] = /^(?:error: )?([^]*?)(\n\(Did you mean [\w, -]+\?\))?$/.exec(message) ?? [];
  const shown = printable(withoutPersonalData(said));
  return `${shown.charAt(0).toUpperCase()}${shown.slice(1)}${suggestion}`;
}

const hint = 'For help, run audience --help, or add --help to a command.\n';

/** What was typed may hold an address, or a URL with a password. */
const withoutPersonalData = (text: string): string => text.replace(/[^\s'"]*@[^\s'"]*/g, '…');
