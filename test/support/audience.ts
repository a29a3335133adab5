/** Runs the command line: in this process, or as its users run it, `node dist/audience.js …`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/app/command-line.js';
import type { Overrides } from './service.js';

const program = fileURLToPath(new URL('../../dist/audience.js', import.meta.url));

/** What commands say that show persons and read the log itself. */
export const notRecorded = 'Not recorded: the command read the log itself, and only the service records reads.\n';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface StartedCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Standard output so far. */
  out(): string;
}

interface CommandOptions {
  /** Nothing else is passed on, but PATH and where Node keeps what it compiled. */
  readonly env?: Overrides;
  readonly cwd?: string;
  /** Of another user, where this process may become one. */
  readonly uid?: number;
  /** Default: nothing. */
  readonly stdin?: string | Buffer;
}

export function startAudience(
  words: readonly string[],
  { env = {}, cwd, uid, stdin }: CommandOptions = {},
): StartedCommand {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const given = Object.entries({ PATH, NODE_COMPILE_CACHE, ...env }).filter(([, value]) => value !== undefined);
  const child = spawn(process.execPath, [program, ...words], {
    // Not in the checkout: a `.env` there would speak for what a test leaves out.
    cwd: cwd ?? tmpdir(),
    env: Object.fromEntries(given),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  child.stdin.on('error', () => undefined).end(stdin);
  const chunks: { readonly out: Buffer[]; readonly err: Buffer[] } = { out: [], err: [] };
  child.stdout.on('data', (chunk: Buffer) => chunks.out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.err.push(chunk));
  const text = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString('utf8');
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    out: text(chunks.out),
    err: text(chunks.err),
  }));
  return { child, ended, out: () => text(chunks.out) };
}

/** In a process of its own, which takes a third of a second of CPU time: for what the process or the system does. */
export const audienceProcess = (words: readonly string[], options?: CommandOptions): Promise<Ended> =>
  startAudience(words, options).ended;

/** In this process. Each command runs in a process of its own in test/docs/cli.test.ts. */
export async function audience(
  words: readonly string[],
  { env = {}, stdin = '' }: Pick<CommandOptions, 'env' | 'stdin'> = {},
): Promise<Ended> {
  const [out, err] = [collector(), collector()];
  const abort = new AbortController();
  const code = await runCommandLine(
    words,
    { env, stdout: out.stream, stderr: err.stream, stdin: Readable.from([Buffer.from(stdin)]) },
    abort,
  );
  return { code, out: out.text(), err: err.text() };
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, taken) {
      chunks.push(chunk);
      taken();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** Each line of the text as JSON. */
export const jsonLines = (text: string): readonly Readonly<Record<string, unknown>>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
