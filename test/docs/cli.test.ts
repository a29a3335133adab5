/**
 * docs/cli.md against the program, both ways: commands, arguments and options; and its examples are run.
 * A process takes half a second of CPU time: only in `npm run test:long` each example has its own, by a shell.
 */
import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerCommands } from '../../src/cli/commands.js';
import type { CommandLine } from '../../src/cli/shared/command-line.js';
import { createProgram } from '../../src/cli/program.js';
import { usually } from '../support/amount.js';
import { audience } from '../support/audience.js';
import { blocks, codes, document, headings, rows, section } from '../support/markdown.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';
import { freshFolder, startService, type Service } from '../support/service.js';

const text = document('docs/cli.md');
let shown = '';
/** Nothing else is asked of it before an action runs. */
const hollow = { stdout: { write: async (piece: string) => void (shown += piece) } } as unknown as CommandLine;
const program = createProgram({ line: hollow, version: '0', onOptions: () => undefined });
registerCommands(program, hollow);

/** Those that do something: also one that has commands below it and parameters of its own. */
const leaves = (command: Command): readonly Command[] => [
  ...(command.commands.length === 0 || command.registeredArguments.length > 0 ? [command] : []),
  ...command.commands.flatMap(leaves),
];

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

function usageOf(command: Command): string {
  const parameters = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  return [nameOf(command), ...parameters].join(' ');
}

const flagsOf = (command: Command): readonly string[] => command.options.map(({ flags }) => flags);
const documented = headings(text, 3).map((heading) => ({ heading, usage: codes(heading)[0] ?? '' }));
const optionsIn = (heading: string): readonly string[] =>
  rows(section(text, heading)).flatMap(([option = '']) => codes(option));

test('docs/cli.md has a heading for each command, and for no other', () => {
  const usages = leaves(program).map(usageOf);
  expect(documented.map(({ usage }) => usage).sort()).toEqual([...usages].sort());
});

test.each(leaves(program).map((command) => [usageOf(command), command] as const))(
  '%s: its options',
  (usage, command) => {
    const heading = documented.find((one) => one.usage === usage)?.heading ?? usage;
    expect([...optionsIn(heading)].sort()).toEqual([...flagsOf(command)].sort());
    const required = rows(section(text, heading)).filter(([, meaning = '']) => meaning.startsWith('required'));
    const mandatory = command.options.filter((option) => option.mandatory && option.defaultValue === undefined);
    expect(required.flatMap(([option = '']) => codes(option)).sort()).toEqual(
      mandatory.map(({ flags }) => flags).sort(),
    );
    expect(command.description()).not.toBe('');
  },
);

test('the common options', () => {
  expect([...optionsIn('## Common options')].sort()).toEqual([...flagsOf(program), '-h, --help'].sort());
});

describe('its examples', () => {
  let service: Service;
  let folder: string;
  let list: string;
  let smtp: SmtpStandIn;
  /** A mail server for the commands that ask for one. */
  const env = (): Record<string, string> => ({ SMTP_URL: smtp.url });
  const compiled = fileURLToPath(new URL('../../dist/audience.js', import.meta.url));

  beforeAll(async () => {
    smtp = await openSmtp(['accept']);
    service = await startService();
    list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    const body = { email: 'ada@example.com', status: 'Subscribed' };
    await service.make(`/v1/contacts/${list}/upsertcontact`, body, 'contact_id');
    await service.kill('SIGTERM');
    folder = freshFolder();
    cpSync(service.dataDir, path.join(folder, 'data'), { recursive: true });
    // An import into a folder needs the secret there.
    cpSync(path.join(service.dataDir, 'secret'), path.join(folder, 'new-data', 'secret'));
  });
  afterAll(async () => {
    await service.close();
    await smtp.close();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Ran {
    readonly code: number | null;
    readonly output: string;
  }

  async function inShell(commands: string): Promise<Ran> {
    const script = `set -e\naudience() { "${process.execPath}" "${compiled}" "$@"; }\n${commands}`;
    const child = spawn('/bin/sh', ['-c', script], { cwd: folder, env: { PATH: process.env['PATH'], ...env() } });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    await once(child, 'close');
    return { code: child.exitCode, output };
  }

  async function inThisProcess(commands: string): Promise<Ran> {
    const before = process.cwd();
    process.chdir(folder);
    try {
      let output = '';
      for (const command of commands.split('\n')) {
        // Plain words only: what a shell would do more with is for a shell.
        expect(command).toMatch(/^audience [^'"|&;<>$*?()\\]+$/);
        const ended = await audience(command.trim().split(/ +/).slice(1), { env: env() });
        output += ended.out + ended.err;
        if (ended.code !== 0) return { code: ended.code, output };
      }
      return { code: 0, output };
    } finally {
      process.chdir(before);
    }
  }

  const examples = documented.map(({ heading, usage }) => [usage, blocks(section(text, heading))] as const);

  test('one in a process of its own', async () => {
    const { code, output } = await inShell('audience audit history ada@example.com');
    expect(code, output).toBe(0);
  });

  test.each(examples)('%s', { timeout: 60_000 }, async (usage, found) => {
    expect(found.length).toBeGreaterThan(0);
    const commands = found.map((block) => block.text.replaceAll('lst_01J…', list)).join('\n');
    const { code, output } = await usually(inThisProcess, inShell)(commands);
    // What only a running service can do says so here, where none runs.
    const needsService =
      /^audience (?:email (?:release|cancel)|keys |clock |import contacts |privacy erase |projections rebuild |suppressions )/.test(
        usage,
      );
    // A mail server is to try again.
    const isReport = usage.startsWith('audience email report');
    expect({ code, output }).toMatchObject({ code: isReport ? 75 : needsService ? 1 : 0 });
    expect(output).toMatch(needsService || isReport ? /^No service runs/ : /./);
  });
});
