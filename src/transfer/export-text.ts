/** Turns an export into NDJSON or CSV, in pieces of some size. */
import { csvRow } from '../audit/csv.js';
import { inBatches } from '../flow/batches.js';
import type { ExportSource } from './export-source.js';

/** Characters of a piece: large enough for a write to be worth it. */
const pieceSize = 64 * 1024;

export const asNdjson = (source: ExportSource): AsyncGenerator<string> => inPieces(lines(source));
export const asCsv = (source: ExportSource): AsyncGenerator<string> => inPieces(csvRows(source));

async function* lines(source: ExportSource): AsyncGenerator<string> {
  for await (const record of source.records()) yield `${record.line()}\n`;
  const trailer = source.trailer?.();
  if (trailer !== undefined) yield `${trailer}\n`;
}

async function* csvRows(source: ExportSource): AsyncGenerator<string> {
  yield csvRow(Object.keys(source.columns));
  // CSV knows no null: the cell is empty.
  for await (const record of source.records())
    for (const row of record.rows()) yield csvRow(row.map((cell) => cell ?? ''));
}

async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const batch of inBatches(texts, { size: pieceSize, sizeOf: ({ length }) => length })) yield batch.join('');
}
