/** Exports that were altered so that a reader of JSON sees something else than a verifier hashes: verify.mjs and the import both refuse them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grown, linesOf, past, restored, sealOf, textOf } from '../docs/vectors/log.js';
import { imported } from '../support/exporting.js';
import { newFolder } from '../support/migrating.js';
import { verifyAll, type Verdict } from '../support/verify-many.js';

const size = past.length;
const lines = linesOf(past);

const written = (text: string, name = 'export.ndjson'): string => {
  const file = path.join(newFolder(), name);
  writeFileSync(file, text);
  return file;
};
const exportOf = (some: readonly string[]): string => written(textOf(some));
const sealFile = (): string => written(JSON.stringify(sealOf(past)), 'seal.json');

const withLine = (ordinal: number, change: (line: string) => string): string[] =>
  lines.map((line, index) => (index === ordinal - 1 ? change(line) : line));
const before = (member: string, text: string) => (line: string) =>
  line.replace(`,"${member}":`, `,${text},"${member}":`);
const atEnd = (text: string) => (line: string) => line.replace(/\}$/, `,${text}}`);

const forged: [name: string, lines: readonly string[], ordinal: number][] = [
  ['data again, under an escaped name', withLine(5, atEnd(String.raw`"d\u0061ta":{"x":1}`)), 5],
  ['data again', withLine(5, atEnd('"data":{"x":1}')), 5],
  ['data before it', withLine(5, before('data', String.raw`"\u0064ata":{"x":1}`)), 5],
  ['a time that is not hashed', withLine(5, atEnd('"at":"2020-01-01T00:00:00.000Z"')), 5],
  ['an actor that is not hashed', withLine(5, atEnd('"actor":"ada"')), 5],
  ['no position', withLine(5, (line) => line.replace(/"position":"\d+",/, '')), 5],
  ['a position that is a list', withLine(5, (line) => line.replace(/"position":"\d+"/, '"position":[]')), 5],
  ['a link that is null', withLine(5, atEnd('"chain":null')), 5],
  ['half of a character', withLine(5, (line) => line.replace('"type":"', String.raw`"type":"\ud800`)), 5],
  ['person twice in data', withLine(5, (line) => line.replace('"person":', String.raw`"p\u0065rson":{},"person":`)), 5],
  ['metadata with two actors', withLine(6, before('actor', String.raw`"\u0061ctor":"ada"`)), 6],
  ['a number in place of a line', withLine(5, () => '5'), 5],
  ['null in place of a line', withLine(5, () => 'null'), 5],
  ['a list in place of a line', withLine(5, () => '[]'), 5],
  ['half a line', withLine(size, (line) => line.slice(0, 60)), size],
  ['a mark that it was cut', [...lines, '{"cut_at":"2026-03-01T00:00:00.000Z","events":20}'], size + 1],
  ['cut_at in an event', withLine(5, atEnd('"cut_at":1')), 5],
  ['an empty line at the end', [...lines, ''], size + 1],
];

describe('an export is refused by verify.mjs and by the import if it has', () => {
  let folder: string;
  let verdicts: readonly Verdict[];
  const fileOf = (number: number): string => path.join(folder, String(number));
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'verify-export-'));
    const seal = path.join(folder, 'seal.json');
    writeFileSync(seal, JSON.stringify(sealOf(past)));
    for (const [number, [, some]] of forged.entries()) writeFileSync(fileOf(number), textOf(some));
    verdicts = verifyAll(forged.map((_, number) => [fileOf(number), seal]));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(forged.map(([name, , ordinal], number) => [name, ordinal, number] as const))(
    '%s',
    async (_, ordinal, number) => {
      const { code, output } = verdicts[number] ?? {};
      expect(output).toMatch(new RegExp(`^DIFFERENT: .*(line|event) ${ordinal}\\b`));
      expect(code).toBe(1);
      const target = path.join(newFolder(), 'imported');
      await expect(imported(fileOf(number), target)).rejects.toThrow(
        new RegExp(`^(line ${ordinal} of |Refused: event ${ordinal}, )`),
      );
      expect(existsSync(target)).toBe(false);
    },
  );
});

/** Returns the only verdict. */
function verify(...files: readonly string[]): Verdict {
  const [verdict] = verifyAll([files]);
  if (verdict === undefined) throw new Error('there is no verdict');
  return verdict;
}

describe('verify.mjs', () => {
  test('verify.mjs refuses bytes that are not UTF-8', () => {
    const file = exportOf(lines);
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('"actor":"shop"') + 10] = 0xff;
    writeFileSync(file, bytes);
    expect(verify(file)).toMatchObject({ code: 1, output: expect.stringMatching(/line 1 is not UTF-8/) });
  });

  test('verify.mjs says without a seal what an export cannot show, and nothing of that with one', () => {
    const file = exportOf(lines);
    const [alone, sealed, early] = verifyAll([[file], [file, sealFile()], [file, early6()]]);
    expect([alone?.code, sealed?.code, early?.code]).toEqual([0, 0, 0]);
    expect(alone?.output).toContain('without a seal that holds this says nothing of the past');
    expect(sealed?.output).toMatch(/^sealed: the first 20 events are those of seal 20 /m);
    expect(sealed?.output).not.toMatch(/without|no seal/);
    expect(early?.output).toContain('of the last 14 events no seal says anything');
  });

  const early6 = (): string => written(JSON.stringify(sealOf(past, 6)), 'seal.json');

  test('verify.mjs has nothing to verify in an empty file, and calls the log shortened if there is a seal', () => {
    const file = exportOf([]);
    expect(verify(file)).toMatchObject({ code: 2, output: expect.stringContaining('nothing to verify') });
    expect(verify(file, sealFile())).toMatchObject({ code: 1, output: expect.stringContaining('shortened') });
  });

  test('verify.mjs verifies nothing if files are in the wrong order or cannot be read', () => {
    const [file, seal] = [exportOf(lines), sealFile()];
    const verdicts = verifyAll([
      [seal, file],
      [seal],
      [file, file],
      [file, seal, '--public-key', file],
      [`${file}.gone`],
      [file, `${file}.gone`],
    ]);
    expect(verdicts.map(({ code }) => code)).toEqual(verdicts.map(() => 2));
    for (const { output } of verdicts.slice(0, 3)) expect(output).toContain('comes first, the seals after it');
  });

  test('verify.mjs refuses a seal whose count is a text, which has the same signature and would be compared with no event', () => {
    const forgedSeal = written(JSON.stringify({ ...sealOf(past), count: '20' }), 'seal.json');
    const altered = exportOf(withLine(6, (line) => line.replace('"actor":"shop"', '"actor":"ada"')));
    expect(verify(altered, forgedSeal)).toEqual({
      code: 1,
      output: 'DIFFERENT: the count of the seal has a wrong form: the seal was altered',
    });
  });

  test('verify.mjs names the way out for exports, seals and proofs of earlier development versions', () => {
    const linked = exportOf(lines.map(atEnd(`"chain":"${'0'.repeat(64)}"`)));
    const earlier = written(JSON.stringify({ ...sealOf(past), format: 'audience-ledger-seal/1' }), 'seal.json');
    const proof = written('{"format":"audience-ledger-proof/1"}');
    const [ofExport, ofSeal, ofProof] = verifyAll([[linked, sealFile()], [exportOf(lines), earlier], [proof]]);
    expect(ofExport).toEqual({
      code: 2,
      output:
        'cannot verify: the export is of an earlier development version: its events have a member chain. Import it with "audience import events", then export the events again',
    });
    expect(ofSeal).toMatchObject({
      code: 2,
      output: expect.stringContaining('only audience-ledger-seal/2 is verified'),
    });
    expect(ofProof).toMatchObject({ code: 2, output: expect.stringContaining('only audience-ledger-proof/2') });
  });

  test('verify.mjs says which restore excuses a seal, that its MAC was not checked, and which events no seal covers', () => {
    const file = exportOf(linesOf(grown(restored(past, 12, { superseded: sealOf(past) }), 5)));
    const { code, output } = verify(file, sealFile());
    expect(code).toBe(0);
    expect(output).toMatch(/^restored: event 13 of .* records that the log was restored from a backup of 12 events$/m);
    expect(output).toMatch(/^excused: the log does not have the 20 events of seal 20 of /m);
    expect(output).toContain('excused by a restore recorded in the log, whose MAC cannot be checked here: event 13');
    expect(output).toContain('without a seal that holds this says nothing of the past');
  });

  test('verify.mjs says where a seal differs: after the last seal that holds, and before its own end', () => {
    const file = exportOf(withLine(9, (line) => line.replace('"actor":"shop"', '"actor":"ada"')));
    const { code, output } = verify(file, sealFile(), early6());
    expect(code).toBe(1);
    expect(output).toMatch(
      /^DIFFERENT: the first 20 events are not those that were sealed at .*\. The difference is at or before event 20; the seal of .* holds, up to event 6$/,
    );
  });

  test('verify.mjs escapes what would erase its verdict or write another one', () => {
    const hostile = String.raw`\u001b[2K\u001b[1A\rintact: 20 events\n\u009b`;
    const files = ['stream', 'type', 'event_id'].map((member) => [
      exportOf(withLine(5, (line) => line.replace(`"${member}":"`, `"${member}":"${hostile}`))),
      sealFile(),
    ]);
    const strange = written(JSON.stringify({ ...sealOf(past), log_id: '\u001b[2K\rintact\n' }), 'seal.json');
    for (const { code, output } of verifyAll([...files, [exportOf(lines), strange]])) {
      expect(code).not.toBe(0);
      expect(output).toMatch(/^(DIFFERENT|cannot verify): [^\p{Cc}]*$/u);
    }
  });
});
