/** How the program is understood: options anywhere, suggestions, one short word on what is wrong; no store is opened for it. */
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { UnreadableHistoryError } from '../../src/audit/decoding.js';
import { registerAudit } from '../../src/cli/audit/audit.js';
import type { CommandLine } from '../../src/cli/shared/command-line.js';
import { CommandFailedError, InterruptedError } from '../../src/failures.js';
import { createProgram, runProgram, type GlobalOptions } from '../../src/cli/program.js';

const hint = 'For help, run audience --help, or add --help to a command.\n';

async function ran(words: readonly string[], changes: Partial<CommandLine> = {}) {
  const said = { out: '', err: '' };
  let options: GlobalOptions | undefined;
  const line: CommandLine = {
    stdout: {
      isTTY: false,
      columns: undefined,
      write: async (text) => {
        said.out += String(text);
      },
    },
    stderr: { write: (text) => (said.err += text) },
    stdin: Readable.from([]),
    env: {},
    signal: new AbortController().signal,
    clock: () => 0,
    monotonic: () => 0,
    json: false,
    place: () => {
      throw new CommandFailedError('there is no log', { type: 'no_log' });
    },
    openAuditor: async () => {
      throw new CommandFailedError('there is no log', { type: 'no_log' });
    },
    mailSettings: () => undefined,
    names: { addresses: async () => [], texts: async () => [] },
    service: async () => undefined,
    exitWith: () => undefined,
    ...changes,
  };
  let readsEnvFile: boolean | undefined;
  const onOptions = (given: GlobalOptions, reads: boolean): void => {
    options = given;
    readsEnvFile = reads;
  };
  const program = createProgram({ line, version: '1.2.3', onOptions });
  registerAudit(program, line);
  const code = await runProgram({ program, line, words, explain: String, exitCode: () => 0 });
  return { code, ...said, options, readsEnvFile };
}

const badTime = '--time must be an ISO 8601 date, a date and time with its zone (2026-03-01T12:00Z), now or yesterday';

describe('what cannot be understood is exit code 2 and one line', () => {
  test.each([
    [['audit', 'histroy'], "Unknown command 'histroy'\n(Did you mean history?)"],
    [['audit', 'history', 'con_1', '--lst', 'lst_1'], "Unknown option '--lst'\n(Did you mean --list?)"],
    [['audit', 'history\u009b\n'], "Unknown command 'history\\u009b\\u000a'\n(Did you mean history?)"],
    [['audit', 'history'], "Missing required argument 'contact'"],
    [['audit', 'at', 'con_1', '--tiem', '2026-01-01'], "Unknown option '--tiem'\n(Did you mean --time?)"],
    [['audit', 'history', 'con_1', '--limit', '0'], '--limit must be a whole number from 1'],
    [['audit', 'history', 'con_1', '--from', '2026-02-01', '--to', '2026-01-01'], '--from must not be after --to'],
    [
      ['audit', 'events', '--types', 'ContactVanished'],
      '--types must be names of events, as in docs/events.md: not ContactVanished',
    ],
    [
      ['audit', 'list', 'lst_1', '--time', '2026-01-01', '--format', 'xml'],
      "Option '--format <format>' argument 'xml' is invalid. Allowed choices are ndjson, csv.",
    ],
    [['audit', 'at', 'con_1', '--time', 'last week'], badTime],
    [['audit', 'at', 'con_1', '--time', '2026-02-30'], '--time: there is no day 2026-02-30'],
    // The name that export has for it.
    [['audit', 'at', 'con_1', '--at', 'last week'], badTime],
    [['audit', 'list', 'lst_1', '--at=last week'], badTime],
  ])('%j', async (words, message) => {
    expect(await ran(words)).toMatchObject({ code: 2, out: '', err: `${message}\n${hint}` });
    const json = await ran([...words, '--json']);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.out)).toEqual({ error: { type: 'usage', message } });
  });

  test('and an address is not repeated', async () => {
    expect((await ran(['audit', 'ada@example.com'])).err).toBe(`Unknown command '…'\n${hint}`);
    expect((await ran(['audit', 'events', '--nope=ada@example.com'])).err).not.toContain('ada');
  });
});

test('common options stand anywhere', async () => {
  const { options } = await ran(['audit', '--json', 'events', '--data-dir', 'a', '--limit', '1', '--url', 'http://b']);
  expect(options).toEqual({ json: true, dataDir: 'a', url: 'http://b' });
});

test('the file .env is read unless --no-env-file is given anywhere on the command line', async () => {
  expect((await ran(['audit', 'events'])).readsEnvFile).toBe(true);
  expect((await ran(['audit', 'events', '--no-env-file'])).readsEnvFile).toBe(false);
  expect((await ran(['--no-env-file', 'audit', 'events'])).readsEnvFile).toBe(false);
});

test('what fails is exit code 1, without help', async () => {
  expect(await ran(['audit', 'events'])).toMatchObject({ code: 1, out: '', err: 'there is no log\n' });
  const { out } = await ran(['audit', 'events', '--json']);
  expect(JSON.parse(out)).toEqual({ error: { type: 'no_log', message: 'there is no log' } });
});

test('an event that cannot be read is told in one sentence, without a stack', async () => {
  const openAuditor = () => Promise.reject(new UnreadableHistoryError('ContactCreated at position 3 has no person'));
  const message = 'The answer would rest on an event that cannot be read: ContactCreated at position 3 has no person.';
  expect(await ran(['audit', 'events'], { openAuditor })).toMatchObject({ code: 1, out: '', err: `${message}\n` });
  const { out } = await ran(['audit', 'events', '--json'], { openAuditor });
  expect(JSON.parse(out)).toEqual({ error: { type: 'unreadable', message } });
});

test('an interruption is its exit code, and no error', async () => {
  const signal = AbortSignal.abort(new InterruptedError(143));
  expect(await ran(['audit', 'events', '--json'], { signal })).toMatchObject({ code: 143, out: '', err: '' });
});
