/** Turns an export into NDJSON or CSV, in pieces of some size. */
import { csvRow } from '../audit/csv.js';
import type { ExportSource, Row } from './export-source.js';

/** Characters of a piece: large enough for a write to be worth it. */
const pieceSize = 64 * 1024;

export async function* asNdjson<Item>(source: ExportSource<Item>): AsyncGenerator<string> {
  yield* inPieces(lines(source));
}

async function* lines<Item>(source: ExportSource<Item>): AsyncGenerator<string> {
  for await (const item of source.records()) yield `${source.lineOf(item)}\n`;
  const trailer = source.trailer?.();
  if (trailer !== undefined) yield `${trailer}\n`;
}

export async function* asCsv<Item>(source: ExportSource<Item>): AsyncGenerator<string> {
  yield* inPieces(csvRows(source));
}

async function* csvRows<Item>(source: ExportSource<Item>): AsyncGenerator<string> {
  yield csvRow(source.columns.map(({ name }) => name));
  for await (const item of source.records()) for (const row of source.rowsOf(item)) yield csvRow(cellsOf(row));
}

/** CSV knows no null: the cell is empty. */
const cellsOf = (row: Row): readonly (string | number)[] => row.map((cell) => cell ?? '');

async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
