/** The table of attacks in docs/evidence.md, line by line: who finds it, and who does not. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attacks, logOf, type Scene } from './attacks.js';
import { audience } from '../support/audience.js';
import { usually } from '../support/amount.js';
import { exported, newFolder, runVerifier } from '../support/evidence-log.js';
import { addContacts, getFrom, startLocally } from '../support/local-service.js';
import { document, section } from '../support/markdown.js';
import { eventually } from '../support/service.js';

const page = section(document('docs/evidence.md'), '## What is found, and what is not');
const cells = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const lines = page.split('\n').filter((line) => line.startsWith('|'));
const columns = ['start', 'verify', 'verify with a seal', 'verify.mjs', 'verify.mjs with a seal'] as const;
const said = new Map(
  lines
    .slice(2)
    .map(cells)
    .map(([attack = '', ...who]) => [attack, who]),
);

const root = mkdtempSync(path.join(tmpdir(), 'attacks-'));
const honest = path.join(root, 'honest');
const older = path.join(root, 'older');
const seal = path.join(root, 'seal.json');
let sealed = 0;

/** Its views are built and have caught up: what they show is compared with the log at the next start. */
const ready = (): Promise<unknown> =>
  eventually(async () => ((await getFrom(honest, '/health/ready')).status === 200 ? true : undefined));

beforeAll(async () => {
  const first = await startLocally(honest);
  await addContacts(honest, 20);
  await ready();
  await first.close();
  cpSync(honest, older, { recursive: true });
  const second = await startLocally(honest);
  await addContacts(honest, 120);
  const answer = await audience(['audit', 'seal', '--out', seal, '--data-dir', honest]);
  expect(answer).toMatchObject({ code: 0 });
  sealed = (JSON.parse(readFileSync(seal, 'utf8')) as { count: number }).count;
  await addContacts(honest, 5);
  await ready();
  await second.close();
}, 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const copyOf = (folder: string): string => {
  const copy = path.join(newFolder(), 'data');
  cpSync(folder, copy, { recursive: true });
  return copy;
};

/** Whether it is refused for what was done to it. */
async function startFinds(folder: string): Promise<boolean> {
  try {
    await (await startLocally(copyOf(folder))).close();
    return false;
  } catch (error) {
    expect(String(error)).toMatch(/altered|shortened|another log|not one of this service/);
    return true;
  }
}

async function verifyFinds(folder: string, ...more: string[]): Promise<boolean> {
  const { code, out, err } = await audience(['audit', 'verify', '--data-dir', folder, ...more]);
  expect(code, err).toBeLessThan(2);
  if (code === 1) expect(out).not.toMatch(/[Ii]ntact/);
  else expect(out).toContain('intact');
  return code === 1;
}

async function verifierFinds(...parameters: string[]): Promise<boolean> {
  const { code, output } = await runVerifier(...parameters);
  expect(code, output).toBeLessThan(2);
  if (code === 1) expect(output).not.toMatch(/[Ii]ntact/);
  return code === 1;
}

/** What each line says, in words. */
const wordOf = (found: boolean): string => (found ? 'yes' : '**no**');

test('the table has each attack', () => {
  expect([...said.keys()]).toEqual(Object.keys(attacks));
  expect(cells(lines[0] ?? '').slice(1)).toHaveLength(columns.length);
});

test('of an honest log nothing is said', async () => {
  const folder = copyOf(honest);
  expect(await verifyFinds(folder, '--seal', seal)).toBe(false);
  expect(await verifierFinds(await exported(logOf(folder)), seal)).toBe(false);
  expect(await startFinds(folder)).toBe(false);
});

test.each(Object.entries(attacks))('%s', async (name, attack) => {
  const wanted = said.get(name) ?? [];
  // Each line in one way here, in every way in test:long.
  for (const variant of attack.variants.slice(0, usually(1, undefined))) {
    const folder = copyOf(honest);
    const scene: Scene = { folder, older, sealed, secret: readFileSync(path.join(folder, 'secret'), 'utf8').trim() };
    if (attack.on === 'folder') await (variant as (scene: Scene) => unknown)(scene);
    const isExported = wanted[3] !== '–';
    let file = isExported ? await exported(logOf(folder)) : '';
    if (attack.on === 'export') {
      const text = readFileSync(file, 'utf8');
      const other = (variant as (text: string) => string)(text);
      expect(other).not.toBe(text);
      file = path.join(newFolder(), 'export.ndjson');
      writeFileSync(file, other);
    }
    const found = [
      // A start that is not refused takes its time.
      async () => (wanted[0] === 'yes' || usually(false, true) ? startFinds(folder) : false),
      () => verifyFinds(folder),
      () => verifyFinds(folder, '--seal', seal),
      () => verifierFinds(file),
      () => verifierFinds(file, seal),
    ];
    for (const [at, finds] of found.entries())
      if (wanted[at] !== '–') expect(wordOf(await finds()), columns[at]).toBe(wanted[at]);
  }
});
