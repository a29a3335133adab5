/** What every export is made of: records one by one, each a line of NDJSON, and one or more rows of CSV and Parquet. */
import { csvRow } from '../audit/csv.js';
import { inBatches } from '../flow/batches.js';

/** `time` and `day` are ISO 8601 in UTC. `long_text` is text that is never searched for: Parquet keeps no statistics of it. */
export type ColumnType = 'text' | 'long_text' | 'integer' | 'time' | 'day';

export type Columns = Readonly<Record<string, ColumnType>>;

export type ExportCell = string | number | null;
export type ExportRow = readonly ExportCell[];

export interface ExportRecord {
  line(): string;
  rows(): readonly ExportRow[];
}

export interface ExportSource {
  readonly columns: Columns;
  /** To be gone through once. @throws the signal's reason when it aborts: a part must not pass for the whole. */
  records(): AsyncIterable<ExportRecord>;
  /** A last line of NDJSON, asked for after the records. */
  trailer?(): string | undefined;
  /** Size and root of the tree over the exported events if they are a whole log, asked for after the records. */
  tree?(): ExportedTree | undefined;
}

/** The number of exported events and the root of their tree in hex, with which a seal is compared. */
export interface ExportedTree {
  readonly count: number;
  readonly root: string;
}

/** A table whose rows are its records; a line has one member per column. */
export function tableOf(columns: Columns, rows: () => AsyncIterable<ExportRow>): ExportSource {
  const names = Object.keys(columns);
  return {
    columns,
    async *records() {
      for await (const row of rows())
        yield {
          line: () => JSON.stringify(Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]))),
          rows: () => [row],
        };
    },
  };
}

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
