/** The README's tour and the backup of docs/operations.md, command by command, against the service as its users start it. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocks, document, section } from '../support/markdown.js';
import { eventually, freshFolder, startService, type Service } from '../support/service.js';

const readme = document('README.md');
const operations = document('docs/operations.md');
const documentedAddress = 'http://127.0.0.1:3000';

interface Step {
  readonly title: string;
  readonly commands: string;
  /** What the README shows as the answer, if it shows one. */
  readonly answer: { readonly language: string; readonly text: string } | undefined;
}

function stepsOf(text: string, heading: string): readonly Step[] {
  const found = blocks(section(text, heading));
  return found.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return [];
    const next = found[index + 1];
    return [
      { title: text.replaceAll(/\s+/g, ' '), commands: text, answer: next?.language === 'sh' ? undefined : next },
    ];
  });
}

/** `…` stands for whatever is there. */
function loosely(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('…') ? expect.stringMatching(patternOf(value)) : value;
  if (Array.isArray(value)) return value.map(loosely);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, loosely(inner)]));
}

const patternOf = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.+')}$`,
  );

interface Shell {
  /** Runs commands in the shell of the commands before; fails when the last of them does. */
  run(commands: string): Promise<string>;
  close(): void;
}

/** The plain shell in which a reader types one block after the other. */
function openShell(cwd: string): Shell {
  const child = spawn('sh', [], { cwd, env: { PATH: process.env['PATH'] }, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  let complaints = '';
  let heard = (): void => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    heard();
  });
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString('utf8')));
  child.on('exit', () => heard());
  return {
    async run(commands) {
      output = '';
      complaints = '';
      child.stdin.write(`{\n${commands}\n} </dev/null\nprintf '\\036%s\\n' "$?"\n`);
      for (;;) {
        const [, printed = '', status] = /^(.*)\u001e(\d+)\n$/s.exec(output) ?? [];
        if (status === '0') return printed;
        if (status !== undefined || child.exitCode !== null)
          throw new Error(`"${commands}" ended with ${status ?? 'the shell'}: ${printed}${complaints}`);
        await new Promise<void>((resolve) => (heard = resolve));
      }
    },
    close: () => child.kill('SIGKILL'),
  };
}

const missing = ['curl', 'sqlite3'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);

describe.skipIf(missing.length > 0)(`the README (skipped where curl or sqlite3 is not installed)`, () => {
  const folder = freshFolder();
  let service: Service;
  let shell: Shell;

  beforeAll(async () => {
    const dataDir = path.join(folder, 'data');
    mkdirSync(dataDir);
    // No configured key, so that the first start makes one, as it does for the reader.
    service = await startService({ dataDir, env: { API_KEYS: undefined } });
    shell = openShell(folder);
  });

  afterAll(async () => {
    shell.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (commands: string): Promise<string> => shell.run(commands.replaceAll(documentedAddress, service.url()));

  /** An e-mail needs a moment, as the README says. Whatever else is read must be there at once. */
  async function runUntilSettled(commands: string, expected: unknown): Promise<unknown> {
    const stateOf = (answer: unknown): unknown => (answer as { data?: { state?: unknown } }).data?.state;
    const ask = async (): Promise<unknown> => JSON.parse(await run(commands)) as unknown;
    if (stateOf(expected) === undefined) return await ask();
    return await eventually(async () => {
      const answer = await ask();
      return stateOf(answer) === stateOf(expected) ? answer : undefined;
    });
  }

  const tour = stepsOf(readme, '## Tour');

  test('has a tour', () => {
    expect(tour.filter(({ commands }) => commands.includes('curl'))).not.toHaveLength(0);
    expect(tour[0]?.commands).toContain(`BASE=${documentedAddress}`);
  });

  test.for(tour.map((step, index) => [`${index + 1} ${step.title}`, step] as const))('%s', async ([, step]) => {
    const { commands, answer } = step;
    if (answer === undefined) await run(commands);
    else if (answer.language === 'json') {
      const expected: unknown = JSON.parse(answer.text);
      expect(await runUntilSettled(commands, expected)).toEqual(loosely(expected));
    } else
      expect((await run(commands)).replaceAll('\r', '').trimEnd().split('\n')).toEqual(
        loosely(answer.text.split('\n')),
      );
  });

  test('a backup made while the service runs starts as a service with the same data and keys', async () => {
    const [backup] = stepsOf(operations, '## Data folder and backup');
    await run(backup?.commands ?? '');
    const key = readFileSync(path.join(folder, 'data', 'api-key.txt'), 'utf8').trim();
    const headers = { authorization: `Bearer ${key}` };
    const restored = await startService({ dataDir: path.join(folder, 'backup'), env: { API_KEYS: undefined } });
    try {
      for (const target of ['/v1/lists', '/v1/tags', '/v1/contacts?email=ada@example.com']) {
        const original = await service.get(target, headers);
        expect(original.status).toBe(200);
        expect((await restored.get(target, headers)).body).toEqual(original.body);
      }
    } finally {
      await restored.close();
    }
  });
});
