/** CSV files as people have them: encodings, line ends, quotes, delimiters, and what must not be guessed. */
import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { examineCsv, rowsOf, type CsvRow, type Encoding } from '../../src/transfer/csv-file.js';

const signal = new AbortController().signal;

function fileOf(content: string | Buffer): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'csv-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'contacts.csv');
  writeFileSync(file, content);
  return file;
}

async function rows(content: string | Buffer, encoding?: Encoding): Promise<CsvRow[]> {
  const read: CsvRow[] = [];
  for await (const row of rowsOf(await examineCsv(fileOf(content), encoding, signal), signal)) read.push(row);
  return read;
}

/** Line and cells; a fault as its words. */
const seen = async (content: string | Buffer, encoding?: Encoding) =>
  (await rows(content, encoding)).map((row) => [row.line, 'cells' in row ? row.cells : row.fault]);

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
  [', though a quoted name has others', '"e;m;a;il",name\na@x.io,A;B\n', ['a@x.io', 'A;B']],
])('separated by %s', async (_, text, cells) => {
  expect((await seen(text))[1]).toEqual([2, cells]);
});

describe('encodings', () => {
  const latin1 = Buffer.from('email,name\nm@x.io,M\xfcller \x80\n', 'latin1');
  test('Latin-1 is seen, as Windows has it, and can be said', async () => {
    expect((await seen(latin1))[1]).toEqual([2, ['m@x.io', 'Müller €']]);
    expect((await seen('email,name\nm@x.io,Müller\n', 'latin1'))[1]).toEqual([2, ['m@x.io', 'MÃ¼ller']]);
  });
  test('a damaged line in a file of UTF-8 is reported, and no other is read as Latin-1', async () => {
    const mixed = Buffer.concat([
      Buffer.from('email,name\nj@x.io,Jörg\n'),
      Buffer.from('m@x.io,M\xfcller\n', 'latin1'),
    ]);
    const [, good, bad] = await seen(mixed);
    expect(good).toEqual([2, ['j@x.io', 'Jörg']]);
    expect(bad?.[0]).toBe(3);
    expect(bad?.[1]).toMatch(/^is not UTF-8/);
  });
  test('UTF-16 and a file that is not there are said so', async () => {
    await expect(rows(Buffer.from('\ufeffemail', 'utf16le'))).rejects.toThrow('is UTF-16');
    await expect(examineCsv('/nowhere.csv', undefined, signal)).rejects.toThrow('cannot be read (ENOENT)');
  });
});

describe('quotes that are not right', () => {
  test('spoil their row alone', async () => {
    const text = 'a,b\n"Ann "the" one",1\nB "the" one,2\n"x"y,3\nc,"4"\n""z,5\nd,6\n';
    expect((await seen(text)).map(([line, row]) => [line, typeof row])).toEqual([
      [1, 'object'],
      [2, 'string'],
      [3, 'object'],
      [4, 'string'],
      [5, 'object'],
      [6, 'string'],
      [7, 'object'],
    ]);
  });
  test('that are open until another quote: the rows between are named', async () => {
    const [, bad, next] = await seen('a,b\n"open,1\nb,2\nc,"3"\nd,4\n');
    expect(bad).toEqual([2, 'has a quote that is not closed or not doubled; the row ends on line 4']);
    expect(next).toEqual([5, ['d', '4']]);
  });
  test('that are open to the end', async () => {
    expect((await seen('a,b\nb,2\n"open,1\nc,3\nd,4\n')).slice(1)).toEqual([
      [2, ['b', '2']],
      [3, 'has a quote that is never closed: all after it was not read'],
    ]);
  });
  test('that would take more memory than there is end the reading', async () => {
    const text = `a,b\nb,2\n"open,1\n${'c,3\n'.repeat(5_000_000)}`;
    await expect(rows(text)).rejects.toThrow(/row of more than 16777216 bytes after line 2/);
  });
});

test('a cell of a megabyte is a cell', async () => {
  const cell = 'x'.repeat(1024 * 1024);
  expect((await seen(`a,b\n"${cell}",${cell}\n`))[1]).toEqual([2, [cell, cell]]);
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
    { numRuns: 100 },
  );
});
