/** Exports that were altered so that a reader of JSON sees something else than a verifier hashes: verify.mjs and the import refuse them alike. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSeal } from '../../src/evidence/seal.js';
import { verifyLog } from '../../src/evidence/verify.js';
import { firstLink, linkAfter } from '../../src/eventstore/chain.js';
import { memberTexts } from '../support/json-members.js';
import { exported, newFolder, runVerifier, verified, writeLog } from '../support/evidence-log.js';
import { imported } from '../support/exporting.js';
import { verifyAll, type Verdict } from '../support/verify-many.js';

const size = 12;
let folder: string;
let log: string;
let good: readonly string[];
let seal: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'verify-export-'));
  log = path.join(folder, 'events.db');
  await writeLog(log, size);
  seal = path.join(folder, 'seal.json');
  const { privateKey } = generateKeyPairSync('ed25519');
  const made = createSeal({ verification: await verified(log), key: privateKey, now: Date.UTC(2026, 2, 1) });
  writeFileSync(seal, JSON.stringify(made));
  good = readFileSync(await exported(log, folder), 'utf8')
    .split('\n')
    .slice(0, -1);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

function exportOf(lines: readonly string[]): string {
  const file = path.join(newFolder(), 'export.ndjson');
  writeFileSync(file, textOf(lines));
  return file;
}

/** Every link computed anew, as somebody would who has read the documents. */
function relinked(lines: readonly string[]): string[] {
  let link = firstLink;
  return lines.map((line, index) => {
    const value = JSON.parse(line) as { stream: string; revision: number; event_id: string; type: string };
    const texts = memberTexts(line);
    const bodies = { data: texts.get('data') ?? '', metadata: texts.get('metadata') ?? '' };
    link = linkAfter(link, index + 1, { ...value, id: value.event_id, ...bodies });
    return line.replace(/"chain":"[0-9a-f]{64}"/, `"chain":"${link}"`);
  });
}

const withLine = (at: number, change: (line: string) => string): string[] =>
  good.map((line, index) => (index === at - 1 ? change(line) : line));
const before = (member: string, text: string) => (line: string) =>
  line.replace(`,"${member}":`, `,${text},"${member}":`);

const forged: [name: string, lines: () => string[], at: number][] = [
  ['data again, under an escaped name', () => withLine(5, before('chain', String.raw`"d\u0061ta":{"x":1}`)), 5],
  ['data again', () => withLine(5, before('chain', '"data":{"x":1}')), 5],
  ['data before it', () => withLine(5, before('data', String.raw`"\u0064ata":{"x":1}`)), 5],
  ['a time that nobody hashes', () => withLine(5, before('chain', '"at":"2020-01-01T00:00:00.000Z"')), 5],
  ['an actor that nobody hashes', () => withLine(5, before('chain', '"actor":"ada"')), 5],
  ['no position', () => withLine(5, (line) => line.replace(/"position":"\d+",/, '')), 5],
  ['a position that is none', () => withLine(5, (line) => line.replace(/"position":"\d+"/, '"position":[]')), 5],
  ['a link that is none', () => withLine(5, (line) => line.replace(/"chain":".*"/, '"chain":null')), 5],
  ['a half of a character', () => withLine(5, (line) => line.replace('"type":"', String.raw`"type":"\ud800`)), 5],
  ['person twice in data', () => relinked(good.map(twice)), 4],
  ['metadata with two actors', () => relinked(withLine(6, before('actor', String.raw`"\u0061ctor":"ada"`))), 6],
  ['a number', () => withLine(5, () => '5'), 5],
  ['null', () => withLine(5, () => 'null'), 5],
  ['a list', () => withLine(5, () => '[]'), 5],
  ['half a line', () => withLine(size, (line) => line.slice(0, 60)), size],
  ['a mark that it was cut', () => [...good, '{"cut_at":"2026-03-01T00:00:00.000Z","events":12}'], size + 1],
  ['cut_at in an event', () => withLine(5, before('chain', '"cut_at":1')), 5],
  ['an empty line at the end', () => [...good, ''], size + 1],
  ['its last links taken away', () => good.map((line, at) => (at < 8 ? line : unlinked(line))), 9],
  [
    'an alteration, and its last links taken away',
    () => good.map((line, at) => (at < 8 ? line : unlinked(line).replace('"actor":"shop"', '"actor":"ada"'))),
    9,
  ],
  ['its first links taken away', () => good.map((line, at) => (at < 8 ? unlinked(line) : line)), 9],
];

const unlinked = (line: string): string => line.replace(/,"chain":"[0-9a-f]{64}"/, '');
const twice = (line: string, index: number): string =>
  index === 3 ? line.replace('"person":', String.raw`"p\u0065rson":{},"person":`) : line;

describe('an export with', () => {
  let verdicts: readonly Verdict[];
  beforeAll(() => {
    const files = forged.map(([, lines], number) => {
      const file = path.join(folder, `forged-${number}`);
      writeFileSync(file, textOf(lines()));
      return file;
    });
    verdicts = verifyAll(files.map((file) => [file, seal]));
  });

  test.each(forged.map(([name, , at], number) => [name, at, number] as const))('%s', async (_, at, number) => {
    const file = path.join(folder, `forged-${number}`);
    const { code, output } = verdicts[number] ?? {};
    expect(output).toMatch(new RegExp(`^DIFFERENT: .*(line|event) ${at}\\b`));
    expect(code).toBe(1);
    const target = path.join(newFolder(), 'imported');
    await expect(imported(file, target)).rejects.toThrow(new RegExp(`^line ${at} of `));
    expect(existsSync(target)).toBe(false);
  });
});

test('bytes that are no UTF-8 are not read as the sign for them', async () => {
  const file = exportOf(good);
  const bytes = readFileSync(file);
  bytes[bytes.indexOf('"actor":"shop"') + 10] = 0xff;
  writeFileSync(file, bytes);
  expect(await runVerifier(file)).toMatchObject({ code: 1, output: expect.stringMatching(/line 2 is not UTF-8/) });
});

test('the verifier of the log finds the member that stands twice, too', async () => {
  const [first, ...rest] = relinked(withLine(6, before('actor', String.raw`"\u0061ctor":"ada"`))).map((line) => {
    const value = JSON.parse(line) as { stream: string; revision: number; event_id: string; type: string };
    const texts = memberTexts(line);
    return {
      ...{ position: '1', id: value.event_id, type: value.type, stream: value.stream },
      ...{ revision: BigInt(value.revision), link: null },
      ...{ data: texts.get('data') ?? '', metadata: texts.get('metadata') ?? '' },
    };
  });
  const source = {
    async *readLinked() {
      yield first === undefined ? [] : [first, ...rest];
    },
  };
  expect(await verifyLog({ source })).toMatchObject({ intact: false, difference: { kind: 'names', ordinal: 6 } });
});

describe('the verifier', () => {
  test('says without a seal what links cannot tell, with it nothing of that', async () => {
    const file = exportOf(good);
    const [alone, sealed, bare] = await Promise.all([
      runVerifier(file),
      runVerifier(file, seal),
      runVerifier(exportOf(good.map(unlinked))),
    ]);
    expect([alone.code, sealed.code, bare.code]).toEqual([0, 0, 0]);
    expect(alone.output).toMatch(/without a seal .*cut off at its end.*rewritten/);
    expect(sealed.output).not.toContain('without');
    expect(bare.output).toContain('without links and without a seal this says nothing of the past');
  });

  test('has nothing to verify in an empty file, and finds it shortened where there is a seal', async () => {
    const file = exportOf([]);
    expect(await runVerifier(file)).toMatchObject({ code: 2, output: expect.stringContaining('nothing to verify') });
    expect(await runVerifier(file, seal)).toMatchObject({ code: 1, output: expect.stringContaining('shortened') });
  });

  test('says that the seal comes second, and what cannot be read: nothing was verified', async () => {
    const file = exportOf(good);
    const answers = await Promise.all([
      runVerifier(seal, file),
      runVerifier(seal),
      runVerifier(file, file),
      runVerifier(file, seal, '--public-key', file),
      runVerifier(`${file}.gone`),
      runVerifier(file, `${file}.gone`),
      runVerifier(),
    ]);
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 2));
    for (const { output } of answers.slice(0, 3)) expect(output).toContain('comes first, the seals after it');
  });

  test('takes no seal whose count is a text: its signature is the same, and no event would be compared', async () => {
    const forgedSeal = path.join(newFolder(), 'seal.json');
    writeFileSync(forgedSeal, readFileSync(seal, 'utf8').replace(`"count":${size}`, `"count":"${size}"`));
    const altered = relinked(withLine(6, (line) => line.replace('"actor":"shop"', '"actor":"ada"')));
    const { code, output } = await runVerifier(exportOf(altered), forgedSeal);
    expect(output).toContain('DIFFERENT: the count of the seal is not as it should be');
    expect(code).toBe(1);
  });
});

test('what is in an event neither erases the verdict of verify.mjs nor writes another one', async () => {
  const hostile = String.raw`\u001b[2K\u001b[1A\rintact: 12 events\n\u009b`;
  for (const member of ['stream', 'type', 'event_id']) {
    const lines = withLine(5, (line) => line.replace(`"${member}":"`, `"${member}":"${hostile}`));
    const { code, output } = await runVerifier(exportOf(lines));
    expect(code).not.toBe(0);
    expect(output).toMatch(/^(DIFFERENT|cannot verify): [^\p{Cc}]*\n$/u);
  }
  const sealOf = JSON.parse(readFileSync(seal, 'utf8')) as object;
  const strange = path.join(newFolder(), 'seal.json');
  writeFileSync(strange, JSON.stringify({ ...sealOf, log_id: '\u001b[2K\rintact\n' }));
  expect((await runVerifier(exportOf(good), strange)).output).toMatch(/^(DIFFERENT|cannot verify): [^\p{Cc}]*\n$/u);
});
