/** The README's tour and the backup of docs/operations.md, command by command, against the service as its users start it. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocks, document, rows, section } from '../support/markdown.js';
import { eventually, freshFolder, startService, type Service } from '../support/service.js';
import { loosely, missingTools, openShell, runTypeScript, type Shell } from './tour.js';

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

test('its figures are those of docs/performance.md', () => {
  const measured = rows(section(document('docs/performance.md'), '## Rates'));
  const shown = rows(section(readme, '## Measured'));
  expect(shown.length).toBeGreaterThan(1);
  for (const row of shown) expect(measured.map((cells) => cells.slice(0, row.length))).toContainEqual(row);
});

const missing = missingTools('curl', 'sqlite3');

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

  test('the same in TypeScript', () => {
    const [code, output] = blocks(section(readme, '## Tour')).filter(
      ({ language }, index, all) => language === 'ts' || all[index - 1]?.language === 'ts',
    );
    const key = readFileSync(path.join(folder, 'data', 'api-key.txt'), 'utf8').trim();
    const lines = runTypeScript(folder, (code?.text ?? '').replaceAll(documentedAddress, service.url()), {
      AUDIENCE_KEY: key,
    });
    expect(lines).toEqual(loosely((output?.text ?? 'none').trimEnd().split('\n')));
  });

  test('a backup made while the service runs starts as a service with the same data and keys', async () => {
    const [backup] = stepsOf(operations, '### Backups');
    const [restore] = stepsOf(operations, '### To restore');
    const command = path.join(import.meta.dirname, '../../dist/audience.js');
    await run(`audience() { "${process.execPath}" "${command}" "$@"; }`);
    const here = (step: Step | undefined): string => (step?.commands ?? '').replaceAll('/var/backups/', './backups/');
    await run(`${here(backup)} --with-secrets`);
    await run(here(restore).replace(/--register \S+/, '--without-newer-register --with-secrets'));
    const key = readFileSync(path.join(folder, 'data', 'api-key.txt'), 'utf8').trim();
    const headers = { authorization: `Bearer ${key}` };
    const restored = await startService({ dataDir: path.join(folder, 'restored'), env: { API_KEYS: undefined } });
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
