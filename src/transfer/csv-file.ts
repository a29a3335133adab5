/** Reads a CSV file of any origin row by row, each with the line on which it begins. What cannot be read for certain is reported and not guessed. */
import { parse } from 'csv-parse';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { z } from 'zod';
import { CommandFailedError, UsageError } from './failures.js';

export const encodings = ['utf-8', 'latin1'] as const;
export type Encoding = (typeof encodings)[number];

export interface CsvFile {
  readonly file: string;
  readonly sha256: string;
  readonly encoding: Encoding;
  readonly delimiter: string;
  /** About so many. */
  readonly lines: number;
}

export type CsvRow = { readonly line: number } & ({ readonly cells: readonly string[] } | { readonly fault: string });

const pieceBytes = 256 * 1024;
/** Bytes of one row; more is a quote that nobody closed. */
const longestRow = 16 * 1024 * 1024;

/** Reads the whole file once. @throws UsageError, CommandFailedError */
export async function examineCsv(file: string, wanted: Encoding | undefined, signal: AbortSignal): Promise<CsvFile> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8');
  let beginning = '';
  let lines = 0;
  let [isDamaged, hasUtf8] = [false, false];
  for await (const piece of piecesOf(file, signal)) {
    if (beginning === '' && /^(\xff\xfe|\xfe\xff)/.test(piece.subarray(0, 2).toString('latin1')))
      throw new UsageError(`${file} is UTF-16: save it as CSV in UTF-8`);
    hash.update(piece);
    const text = decoder.decode(piece, { stream: true });
    beginning = beginning === '' ? text : beginning;
    lines += text.split('\n').length - 1;
    isDamaged ||= text.includes('\ufffd');
    hasUtf8 ||= /[^\0-\u007f\ufffd]/.test(text);
  }
  // Where some of it is UTF-8, the rest is not Latin-1 but damaged: its rows are reported.
  const encoding = wanted ?? (isDamaged && !hasUtf8 ? 'latin1' : 'utf-8');
  return { file, sha256: hash.digest('hex'), encoding, delimiter: delimiterIn(beginning), lines };
}

async function* piecesOf(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    const pieces: AsyncIterable<Buffer> = createReadStream(file, { signal, highWaterMark: pieceBytes });
    yield* pieces;
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'no reason known';
    throw new CommandFailedError(`${file} cannot be read (${reason})`, { type: 'no_file', cause: error });
  }
}

/** The one that stands most often in the first line, outside quotes. */
function delimiterIn(text: string): string {
  const header = /^\s*("[^"]*"|[^"\r\n])*/.exec(text)?.[0].replaceAll(/"[^"]*"/g, '') ?? '';
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: header.split(delimiter).length }));
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).delimiter;
}

/** What Windows has in place of 32 control characters of Latin-1. */
const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const latin1Text = (bytes: Buffer): string =>
  bytes.toString('latin1').replaceAll(/[\u0080-\u009f]/g, (one) => windows[one.charCodeAt(0) - 0x80] ?? one);

/** UTF-8 without a byte order mark, and every line ends with a line feed: so lines are counted right. */
async function* textOf({ file, encoding }: CsvFile, signal: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let kept = '';
  for await (const piece of piecesOf(file, signal)) {
    const text = kept + (encoding === 'utf-8' ? decoder.decode(piece, { stream: true }) : latin1Text(piece));
    // Its line feed may follow.
    kept = text.endsWith('\r') ? '\r' : '';
    yield text.slice(0, text.length - kept.length).replaceAll(/\r\n?/g, '\n');
  }
  yield kept === '' ? decoder.decode() : '\n';
}

const parsedRow = z.object({
  record: z.array(z.string()),
  raw: z.string(),
  /** `lines`: that on which the row ends. */
  info: z.object({ lines: z.number() }),
});

/** Blank lines are left out. @throws CommandFailedError a row that is too long */
export async function* rowsOf(csv: CsvFile, signal: AbortSignal): AsyncGenerator<CsvRow> {
  let [given, taken, lastLine, isOpen] = [0, 0, 0, false];
  async function* bounded(): AsyncGenerator<string> {
    for await (const text of textOf(csv, signal)) {
      given += Buffer.byteLength(text);
      yield text;
      if (given - taken > longestRow)
        throw new CommandFailedError(
          `${csv.file} has a row of more than ${longestRow} bytes after line ${lastLine}: a quote that is not closed?`,
          { type: 'bad_line' },
        );
    }
  }
  const parser = parse({
    info: true,
    raw: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    delimiter: csv.delimiter,
    record_delimiter: '\n',
    skip_records_with_error: true,
    // Of what it could not put right itself: a quote that is never closed.
    on_skip() {
      isOpen = true;
      return undefined;
    },
    on_record(row, { bytes }) {
      taken = bytes;
      return row;
    },
  });
  const isSound = soundRow(csv.delimiter);
  const rows: AsyncIterable<unknown> = pipeline(Readable.from(bounded()), parser, () => undefined);
  for await (const row of rows) {
    const { record, raw, info } = parsedRow.parse(row);
    const text = raw.replace(/^\n+/, '');
    const line = info.lines - (text.match(/\n(?!$)/g)?.length ?? 0);
    lastLine = info.lines;
    if (record.every((cell) => cell.trim() === '')) continue;
    if (text.includes('\ufffd'))
      yield { line, fault: 'is not UTF-8; where all of the file is Latin-1, say --encoding latin1' };
    else if (isSound(text)) yield { line, cells: record };
    else yield { line, fault: `has a quote that is not closed or not doubled${upTo(line, info.lines)}` };
  }
  if (isOpen) yield { line: lastLine + 1, fault: 'has a quote that is never closed: all after it was not read' };
}

const upTo = (line: number, last: number): string => (last > line ? `; the row ends on line ${last}` : '');

/** Whether the parser had nothing to put right: a cell that begins with a quote ends with one, and has others in pairs. */
function soundRow(delimiter: string): (text: string) => boolean {
  const cell = `(?:"[^"]*(?:""[^"]*)*"|(?!")[^${delimiter}\\n]*)`;
  const row = new RegExp(`^${cell}(?:${delimiter}${cell})*\\n?$`);
  return (text) => !text.includes('"') || row.test(text);
}
