/** CSV files from other programs. What cannot be read for certain is reported and never guessed. */
import fc from 'fast-check';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { usually } from '../support/amount.js';
import { readCsv, type CsvFormat, type CsvRow } from '../../src/copy/csv-reader.js';

/** Yields the bytes in pieces of this size. */
async function* inPieces(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Options = Partial<CsvFormat> & { readonly pieceSize?: number };

async function rows(content: string | Buffer, { pieceSize, encoding = 'utf-8', delimiter }: Options = {}) {
  const read: CsvRow[] = [];
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for await (const row of readCsv(inPieces(bytes, pieceSize), { encoding, delimiter })) read.push(row);
  return read;
}

/** Returns line and cells of each row, or its fault. */
const seen = async (content: string | Buffer, options?: Options) =>
  (await rows(content, options)).map((row) => [row.line, 'cells' in row ? row.cells : row.fault]);

/** Returns the message that refuses the whole file. */
const refusal = async (content: string | Buffer, options?: Options): Promise<string> => {
  const error: unknown = await rows(content, options).catch((reason: unknown) => reason);
  return error instanceof Error ? error.message : 'no error';
};

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

test('byte order mark, CRLF, LF and CR, quoted line breaks, blank lines: rows with the lines that they begin on', async () => {
  const text = '\ufeffemail,name\r\na@x.io,"Ann, ""the"" one"\r\n\r\n , \r\nb@x.io,"two\r\nlines"\nc@x.io,C\rd@x.io,D';
  const expected = [
    [1, ['email', 'name']],
    [2, ['a@x.io', 'Ann, "the" one']],
    [5, ['b@x.io', 'two\nlines']],
    [7, ['c@x.io', 'C']],
    [8, ['d@x.io', 'D']],
  ];
  expect(await seen(text)).toEqual(expected);
  expect(await seen(Buffer.from(text), { pieceSize: 1 })).toEqual(expected);
});

test('white space before and after a quoted cell is not part of it', async () => {
  const text = 'email, name ,city\na@x.io, "Ann, the one"\t ,\u00a0"Bern"\n \t"b@x.io" ,"B ""the"" one", C \n';
  expect((await seen(text)).slice(1)).toEqual([
    [2, ['a@x.io', 'Ann, the one', 'Bern']],
    [3, ['b@x.io', 'B "the" one', ' C ']],
  ]);
});

describe('the sign between cells', () => {
  test.each([
    [';', 'email;name\na@x.io;"A;B, C"\n', ['a@x.io', 'A;B, C']],
    ['tab', 'email\tname\na@x.io\tA, B\n', ['a@x.io', 'A, B']],
    ['|', 'email|name\na@x.io|A; B\n', ['a@x.io', 'A; B']],
    [',', 'email,"Surname; first name; title"\na@x.io,B;C\n', ['a@x.io', 'B;C']],
    [',', 'email\n"a@x.io"\n', ['a@x.io']],
  ] as const)('%s is found in the first row, or given', async (delimiter, text, cells) => {
    expect((await seen(text))[1]).toEqual([2, cells]);
    expect((await seen(text, { delimiter }))[1]).toEqual([2, cells]);
  });

  test.each(['sep=;', 'SEP=;', '"sep=;"', '\ufeffsep=;', 'sep=;;;'])('%s in the first line names it', async (line) => {
    // A comma is more frequent.
    const text = `${line}\r\nemail;"a, b, c"\r\na@x.io;B\r\n`;
    const expected = [
      [2, ['email', 'a, b, c']],
      [3, ['a@x.io', 'B']],
    ];
    expect(await seen(text)).toEqual(expected);
    expect(await seen(text, { delimiter: ';' })).toEqual(expected);
    expect(await refusal(text, { delimiter: ',' })).toBe('line 1 says that the delimiter is ; and not ,.');
  });

  test('a tab may be named, an unknown sign is refused, and a line of its own is no row', async () => {
    expect(await seen('sep=\t\nemail\tname\n')).toEqual([[2, ['email', 'name']]]);
    expect(await refusal('sep=:\nemail:name\n')).toMatch(/^line 1 names a delimiter that is not supported/);
    expect(await seen('sep=;')).toEqual([]);
  });
});

describe('encodings', () => {
  test('Latin-1 can be given, and is Windows-1252; a byte that it does not have is refused with its line', async () => {
    const latin1 = Buffer.from('email,name\nm@x.io,M\xfcller \x80\n', 'latin1');
    expect((await seen(latin1, { encoding: 'latin1' }))[1]).toEqual([2, ['m@x.io', 'Müller €']]);
    const unknown = Buffer.from('email,name\n\na@x.io,\x81\n', 'latin1');
    expect(await refusal(unknown, { encoding: 'latin1' })).toMatch(/^line 3 has bytes that are not Windows-1252/);
  });

  test.each([1, 7, 64 * 1024])(
    'bytes that are not UTF-8 are refused with their line, in pieces of %d',
    async (size) => {
      const text = Buffer.concat([
        Buffer.from('email,name\r\nj@x.io,"J\r\nörg"\r\n'),
        Buffer.from('M\xfcller', 'latin1'),
      ]);
      expect(await refusal(text, { pieceSize: size })).toBe(
        'line 4 has bytes that are not UTF-8. Save the file as CSV UTF-8.',
      );
    },
  );

  test('a line far behind a character that two pieces share is still named correctly', async () => {
    const begin = `email,name\n${'x'.repeat(64 * 1024 - 12)}ü,y\n`;
    expect(Buffer.from(begin)[64 * 1024]).toBe(0xbc);
    expect(await refusal(Buffer.concat([Buffer.from(`${begin}a,b\n`), Buffer.from([0xfc, 0x0a])]))).toMatch(/^line 4 /);
  });

  test('a character that is cut off at the end is refused', async () => {
    expect(await refusal(Buffer.from('email\nö').subarray(0, -1))).toMatch(/^line 2 has bytes that are not UTF-8/);
    expect(await refusal(Buffer.from('\ufeffemail\nö', 'utf16le').subarray(0, -1))).toMatch(/^line 2 .*not UTF-16/);
  });

  test('a replacement character in the file is no bad byte, but its row is refused', async () => {
    expect((await seen('email\na@x.io\nM\ufffdller\n')).slice(1)).toEqual([
      [2, ['a@x.io']],
      [3, 'has the character U+FFFD, which replaces one that was lost in a conversion'],
    ]);
  });

  const text = 'email,name\r\nzoe@x.io,Zoë\r\nlee@x.io,李一丁\r\n';
  test.each([
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE', Buffer.from(text, 'utf16le')],
    ['UTF-16 LE with a mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE', utf16be(text)],
    ['UTF-16 BE with a mark', utf16be(`\ufeff${text}`)],
  ])('%s is recognized, whatever encoding is given', async (_, bytes) => {
    const expected = [
      [1, ['email', 'name']],
      [2, ['zoe@x.io', 'Zoë']],
      [3, ['lee@x.io', '李一丁']],
    ];
    expect(await seen(bytes)).toEqual(expected);
    expect(await seen(bytes, { encoding: 'latin1', pieceSize: 1 })).toEqual(expected);
  });

  test('a NUL byte is refused with its line, and is not taken for UTF-16', async () => {
    expect(await refusal('email,name\na@x.io,A\nb@x.io,B\0ob\n')).toMatch(/^line 3 has a NUL byte/);
    expect(await refusal(`email\na@x.io\n${'\0'.repeat(4096)}`)).toMatch(/^line 3 has a NUL byte/);
    expect(await refusal(`email\nada@x.io\n\0`, { encoding: 'latin1' })).toMatch(/^line 3 has a NUL byte/);
  });

  test('errors of the file system are passed on', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a,b\n');
      throw new Error('EIO');
    }
    await expect(readCsv(failing(), { encoding: 'utf-8' }).next()).rejects.toThrow('EIO');
  });
});

/** Returns a ZIP archive of stored parts without its directory, which is not read. */
const zip = (...parts: readonly (readonly [name: string, content: string])[]): Buffer =>
  Buffer.concat(
    parts.map(([name, content]) => {
      const header = Buffer.alloc(30);
      header.write('PK\x03\x04', 'latin1');
      header.writeUInt16LE(name.length, 26);
      return Buffer.concat([header, Buffer.from(name + content)]);
    }),
  );

test.each([
  ['an Excel workbook (XLSX)', zip(['[Content_Types].xml', '<Types/>'], ['xl/workbook.xml', 'x'])],
  ['an Excel workbook (XLSX)', zip(['docProps/app.xml', 'x'.repeat(5_000)], ['xl/workbook.xml', 'x'])],
  ['an Excel workbook (XLSX)', zip(['_rels/.rels', 'x'])],
  ['an Office document', zip(['[Content_Types].xml', '<Types/>'], ['word/document.xml', 'x'])],
  ['an OpenDocument file (ODS)', zip(['mimetype', 'application/vnd.oasis.opendocument.spreadsheet'])],
  ['an Apple Numbers document', zip(['Index/Document.iwa', 'x'])],
  ['a ZIP archive', zip(['contacts.csv', 'email,status\nxl/,b\n'])],
  ['a ZIP archive', Buffer.from('PK\x05\x06')],
  ['an Excel workbook (XLS, or one with a password)', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['a gzip archive', Buffer.from('1f8b08', 'hex')],
  ['a PDF document', Buffer.from('%PDF-1.7')],
])('%s is refused by its name', async (name, bytes) => {
  for (const pieceSize of [1, 64 * 1024])
    expect(await refusal(bytes, { pieceSize })).toMatch(`This is ${name}, not CSV. `);
});

describe('quotes that are not right', () => {
  test('spoil their row alone', async () => {
    const text = 'a,b\n"Ann "the" one",1\nB "the" one,2\n"x"y,3\nc,"4"\n""z,5\nd,6\n"e" "f",7\n';
    expect((await seen(text)).map(([line, row]) => [line, typeof row])).toEqual([
      [1, 'object'],
      [2, 'string'],
      [3, 'string'],
      [4, 'string'],
      [5, 'object'],
      [6, 'string'],
      [7, 'object'],
      [8, 'string'],
    ]);
  });

  test('that are open until another quote: the rows between are named', async () => {
    const [, bad, next] = await seen('a,b\n"open,1\nb,2\nc,"3"\nd,4\n');
    expect(bad).toEqual([2, 'has a quote that is not closed or not doubled, up to line 4']);
    expect(next).toEqual([5, ['d', '4']]);
  });

  test('that are open to the end make the file unreadable, and are named by their line', async () => {
    expect(await refusal('a,b\nb,2\n"two\nlines","open,1\nc,3\nd,4\n')).toBe(
      'line 4 opens a quote that is never closed.',
    );
  });
});

test('a row that is too long makes the file unreadable, and is named by its line', async () => {
  const long = 'x'.repeat(2 * 1024 * 1024);
  expect(await refusal(`a,b\nb,2\n"open,1\n${long}`)).toBe('line 3 opens a quote that is not closed within 1.5 MiB.');
  expect(await refusal(`a,b\nb,2\n${long}\n`)).toBe('line 3 begins a row of more than 1.5 MiB.');
});

test('a cell of a megabyte is a cell', async () => {
  const cell = 'x'.repeat(1024 * 1024);
  expect((await seen(`a,b\n"${cell}",x\n`))[1]).toEqual([2, [cell, 'x']]);
});

test('what was written comes back, whatever the cells hold and however the bytes are cut', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ü', ',', ';', '"', '\n', ' ', '€', '😀') });
  const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 8 });
  const pieceSize = fc.constantFrom(1, 3, 64 * 1024);
  await fc.assert(
    fc.asyncProperty(table, fc.boolean(), pieceSize, async (written, isQuoted, size) => {
      const quoted = (text: string): string =>
        isQuoted || /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      const text = ['a,b,c', ...written.map((row) => row.map(quoted).join(','))].join('\r\n');
      let line = 2;
      const expected = written.flatMap((row) => {
        const begun = line;
        line += row.join('').split('\n').length;
        return row.every((one) => one.trim() === '') ? [] : [[begun, row]];
      });
      expect((await seen(text, { pieceSize: size })).slice(1)).toEqual(expected);
    }),
    { numRuns: usually(15, 100) },
  );
});

test('runs in a browser, as a bundle that has TextDecoder and no global of Node', async () => {
  const bundled = await rolldown({
    input: fileURLToPath(new URL('../../src/copy/csv-reader.ts', import.meta.url)),
    platform: 'browser',
    // A module that is not found would be left for the browser to find.
    onLog(_level, log) {
      throw new Error(log.message);
    },
  });
  const { output } = await bundled.generate({ format: 'iife', name: 'reader' });
  await bundled.close();
  expect(output).toHaveLength(1);
  expect(output[0].moduleIds.map((id) => path.basename(id))).toEqual(['csv-reader.ts']);
  const read = vm.runInNewContext(
    `${output[0].code}
    (async () => {
      async function* pieces() { yield new Uint8Array(bytes); }
      const rows = [];
      for await (const row of reader.readCsv(pieces(), { encoding: 'utf-8' })) rows.push(row);
      return JSON.stringify(rows);
    })()`,
    { TextDecoder, bytes: [...Buffer.from('sep=;\nemail;name\na@x.io; "Ann"\n')] },
  ) as Promise<string>;
  expect(JSON.parse(await read)).toMatchObject([{ cells: ['email', 'name'] }, { line: 3, cells: ['a@x.io', 'Ann'] }]);
});
