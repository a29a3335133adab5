/** Runs docs/integration.md block by block against a service: commands and Python in a shell, TypeScript with the client. */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue } from '../../src/errors.js';
import { blocks, codes, document, rows, section } from '../support/markdown.js';
import { freshFolder, startService, type Service } from '../support/service.js';
import { loosely, missingTools, openShell, runTypeScript, type Shell } from './tour.js';

const page = document('docs/integration.md');
const all = blocks(page);
const steps = all.flatMap(({ language, text }, index) => {
  const next = all[index + 1];
  const answer = next?.language === 'json' || next?.language === 'text' ? next : undefined;
  return ['sh', 'ts', 'python'].includes(language) ? [{ language, text, answer }] : [];
});
const commands = steps.filter(({ language }) => language === 'sh');
const python = steps.filter(({ language }) => language === 'python');
const typeScript = steps.filter(({ language }) => language === 'ts');

test('says what to do about every type of error', () => {
  const types = rows(section(page, '## Errors')).flatMap(([type = '']) => codes(type));
  expect([...types].sort()).toEqual([...new Set(Object.values(errorCatalogue).map(({ type }) => type))].sort());
});

const missing = missingTools('curl');
describe.skipIf(missing.length > 0)('docs/integration.md (skipped where curl is not installed)', () => {
  const folder = freshFolder();
  let service: Service;
  let shell: Shell;
  const run = (text: string): Promise<string> => shell.run(text.replaceAll('http://127.0.0.1:3000', service.url()));

  beforeAll(async () => {
    const dataDir = path.join(folder, 'data');
    mkdirSync(dataDir);
    service = await startService({ dataDir, env: { API_KEYS: undefined } });
    shell = openShell(folder);
  });
  afterAll(async () => {
    shell.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.for(commands.map((step, index) => [`${index + 1} ${step.text.slice(0, 60)}`, step] as const))(
    '%s',
    async ([, { text, answer }]) => {
      const output = await run(text);
      if (answer?.language === 'json') expect(JSON.parse(output)).toEqual(loosely(JSON.parse(answer.text)));
      else if (answer !== undefined)
        expect(output.replaceAll('\r', '').trimEnd().split('\n')).toEqual(loosely(answer.text.trimEnd().split('\n')));
    },
  );

  test.skipIf(missingTools('python3').length > 0)(
    'the same in Python (skipped where it is not installed)',
    async () => {
      expect(python).toHaveLength(1);
      for (const { text, answer } of python)
        expect((await run(`python3 - <<'END'\n${text}\nEND`)).trimEnd()).toBe(answer?.text.trimEnd());
    },
  );

  test('the same in TypeScript', async () => {
    const key = (await run('printf %s "$AUDIENCE_KEY"')).trim();
    const code = typeScript.map(({ text }) => text).join('\n');
    const expected = typeScript.flatMap(({ answer }) => answer?.text.trimEnd().split('\n') ?? []);
    const lines = runTypeScript(folder, code, { AUDIENCE_URL: service.url(), AUDIENCE_KEY: key });
    expect(lines).toEqual(expected);
  });
});
