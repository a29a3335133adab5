/** Reads a CSV file row by row, each with the line on which it begins. What cannot be read for certain is reported and not guessed. */
import { parse } from 'csv-parse';
import { parse as parseWhole } from 'csv-parse/sync';
import { decodeStream } from 'iconv-lite';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { z } from 'zod';

export const encodings = ['utf-8', 'latin1'] as const;
export const delimiters = [',', ';', 'tab'] as const;
const signs = { ',': ',', ';': ';', tab: '\t' } as const;

export interface CsvFile {
  readonly file: string;
  readonly encoding: (typeof encodings)[number];
  readonly delimiter: (typeof delimiters)[number];
}

/** `bytes`: where the row ends in the file, about. */
export type CsvRow = { readonly line: number; readonly bytes: number } & (
  { readonly cells: readonly string[] } | { readonly fault: string }
);

/** The most bytes of one row. A longer row has a quote that is not closed. As JSON, which may take six times as much, a row still fits into a bulk request. */
export const longestRow = 1.5 * 1024 * 1024;

const parsedRow = z.object({ record: z.array(z.string()), raw: z.string(), info: z.object({ bytes: z.number() }) });

/** Blank rows are left out. @throws what the file system throws */
export async function* rowsOf({ file, encoding, delimiter: name }: CsvFile): AsyncGenerator<CsvRow, void> {
  const delimiter = signs[name];
  let readable = Infinity;
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    // A quote that is not right must not spoil the rows after it.
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longestRow,
    // An error of the stream would take rows with it that are good: of a quote that is never closed the rows before count.
    skip_records_with_error: true,
    on_skip() {
      readable = Math.min(readable, parser.info.records);
      return undefined;
    },
    info: true,
    raw: true,
  });
  // What people call Latin-1 has Windows' characters in place of control characters.
  const decoder = decodeStream(encoding === 'latin1' ? 'win1252' : encoding);
  const rows: AsyncIterable<unknown> = pipeline(createReadStream(file), decoder, parser, () => undefined);
  let [read, next, bytes] = [0, 1, 0];
  for await (const row of rows) {
    if (read === readable) break;
    read += 1;
    const { record, raw, info } = parsedRow.parse(row);
    // Empty lines before it.
    const text = raw.replace(/^[\r\n]+/, '');
    const line = next + raw.length - text.length;
    next = line + (text.match(/\r\n?|\n/g)?.length ?? 0);
    bytes = info.bytes;
    if (record.every((cell) => cell.trim() === '')) continue;
    if (text.includes('\ufffd')) yield { line, bytes, fault: `has bytes that are not ${encoding}: see --encoding` };
    else if (isSound(text, delimiter)) yield { line, bytes, cells: record.map(withLineFeeds) };
    else yield { line, bytes, fault: `has a quote that is not closed or not doubled, up to line ${next - 1}` };
  }
  if (readable < Infinity)
    yield { line: next, bytes, fault: 'has a quote that is never closed: all after it was not read' };
}

const withLineFeeds = (cell: string): string => cell.replaceAll(/\r\n?/g, '\n');

/** Whether the parser had nothing to put right. */
function isSound(text: string, delimiter: string): boolean {
  if (!text.includes('"')) return true;
  try {
    parseWhole(text, { delimiter });
    return true;
  } catch {
    return false;
  }
}
