/** CSV files as people have them: encodings, line ends, quotes, delimiters, and what must not be guessed. */
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { usually } from '../support/amount.js';
import { rowsOf, type CsvFile, type CsvRow } from '../../src/copy/csv-file.js';

function fileOf(content: string | Buffer): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'csv-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'contacts.csv');
  writeFileSync(file, content);
  return file;
}

type Options = Partial<Pick<CsvFile, 'encoding' | 'delimiter'>>;

async function rows(file: string, { encoding = 'utf-8', delimiter = ',' }: Options = {}): Promise<CsvRow[]> {
  const read: CsvRow[] = [];
  for await (const row of rowsOf({ file, encoding, delimiter })) read.push(row);
  return read;
}

/** Line and cells; a fault as its words. */
const seen = async (content: string | Buffer, options?: Options) =>
  (await rows(fileOf(content), options)).map((row) => [row.line, 'cells' in row ? row.cells : row.fault]);

test('byte order mark, CRLF, LF and CR, quoted line breaks, blank lines: rows with the lines that they begin on', async () => {
  const text = '\ufeffemail,name\r\na@x.io,"Ann, ""the"" one"\r\n\r\n , \r\nb@x.io,"two\r\nlines"\nc@x.io,C\rd@x.io,D';
  expect(await seen(text)).toEqual([
    [1, ['email', 'name']],
    [2, ['a@x.io', 'Ann, "the" one']],
    [5, ['b@x.io', 'two\nlines']],
    [7, ['c@x.io', 'C']],
    [8, ['d@x.io', 'D']],
  ]);
});

test.each([
  [';', 'email;name\na@x.io;"A;B, C"\n', ['a@x.io', 'A;B, C']],
  ['tab', 'email\tname\na@x.io\tA, B\n', ['a@x.io', 'A, B']],
] as const)('separated by %s', async (delimiter, text, cells) => {
  expect((await seen(text, { delimiter }))[1]).toEqual([2, cells]);
});

describe('encodings', () => {
  test('Latin-1 can be said, and is as Windows has it; what Windows does not have is reported', async () => {
    const latin1 = Buffer.from('email,name\nm@x.io,M\xfcller \x80\na@x.io,\x81\n', 'latin1');
    expect((await seen(latin1, { encoding: 'latin1' })).slice(1)).toEqual([
      [2, ['m@x.io', 'Müller €']],
      [3, 'has bytes that are not latin1: see --encoding'],
    ]);
  });
  test('a line that is not UTF-8 is reported, and no other is', async () => {
    const mixed = Buffer.concat([Buffer.from('m@x.io,M\xfcller\n', 'latin1'), Buffer.from('j@x.io,Jörg\n')]);
    expect(await seen(mixed)).toEqual([
      [1, 'has bytes that are not utf-8: see --encoding'],
      [2, ['j@x.io', 'Jörg']],
    ]);
  });
  test('UTF-16 is reported; a file that is not there is said so', async () => {
    expect((await seen(Buffer.from('\ufeffemail\n', 'utf16le')))[0]?.[1]).toMatch(/^has bytes that are not utf-8/);
    await expect(rows('/nowhere.csv')).rejects.toThrow('ENOENT');
  });
});

describe('quotes that are not right', () => {
  test('spoil their row alone', async () => {
    const text = 'a,b\n"Ann "the" one",1\nB "the" one,2\n"x"y,3\nc,"4"\n""z,5\nd,6\n';
    expect((await seen(text)).map(([line, row]) => [line, typeof row])).toEqual([
      [1, 'object'],
      [2, 'string'],
      [3, 'string'],
      [4, 'string'],
      [5, 'object'],
      [6, 'string'],
      [7, 'object'],
    ]);
  });
  test('that are open until another quote: the rows between are named', async () => {
    const [, bad, next] = await seen('a,b\n"open,1\nb,2\nc,"3"\nd,4\n');
    expect(bad).toEqual([2, 'has a quote that is not closed or not doubled, up to line 4']);
    expect(next).toEqual([5, ['d', '4']]);
  });
  test('that are open to the end, after rows that are still to be taken', async () => {
    const good = 'x,y\n'.repeat(2_000);
    expect(await seen(`${good}"open,1\nc,3\n`)).toHaveLength(2_001);
  });
  test('that are open to the end', async () => {
    expect((await seen('a,b\nb,2\n"open,1\nc,3\nd,4\n')).slice(1)).toEqual([
      [2, ['b', '2']],
      [3, 'has a quote that is never closed: all after it was not read'],
    ]);
  });
  test('that would take more memory than there is end the reading', async () => {
    const text = `a,b\nb,2\n"open,1\n${'x'.repeat(9 * 1024 * 1024)}`;
    expect((await seen(text)).slice(1)).toEqual([
      [2, ['b', '2']],
      [3, 'has a quote that is never closed: all after it was not read'],
    ]);
  });
});

test('a cell of a megabyte is a cell', async () => {
  const cell = 'x'.repeat(1024 * 1024);
  expect((await seen(`a,b\n"${cell}",x\n`))[1]).toEqual([2, [cell, 'x']]);
});

test('what was written comes back, whatever the cells hold', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ü', ',', ';', '"', '\n', ' ', '€', '😀') });
  const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(table, fc.boolean(), async (written, isQuoted) => {
      const quoted = (text: string): string =>
        isQuoted || /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      const text = ['a,b,c', ...written.map((row) => row.map(quoted).join(','))].join('\r\n');
      let line = 2;
      const expected = written.flatMap((row) => {
        const begun = line;
        line += row.join('').split('\n').length;
        return row.every((one) => one.trim() === '') ? [] : [[begun, row]];
      });
      expect((await seen(text)).slice(1)).toEqual(expected);
    }),
    { numRuns: usually(15, 100) },
  );
});
