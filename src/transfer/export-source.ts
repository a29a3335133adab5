/** What every export is made of: records one by one, each a line of NDJSON, and one or more rows of CSV and Parquet. */

/** `time` and `day` are ISO 8601 in UTC. */
export type ColumnType = 'text' | 'integer' | 'time' | 'day';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Values are long, and no reader ever looks for one: no statistics are kept of them. */
  readonly isBulky?: boolean;
}

export type Cell = string | number | null;
export type Row = readonly Cell[];

export interface ExportSource<Item> {
  readonly columns: readonly Column[];
  /** To be gone through once. @throws the signal's reason when it aborts: a part must not pass for the whole. */
  records(): AsyncIterable<Item>;
  /** JSON, without the line feed. */
  lineOf(item: Item): string;
  rowsOf(item: Item): readonly Row[];
  /** A last line of NDJSON, asked for after the records. */
  trailer?(): string | undefined;
}

/** A table whose rows are its records; a line has a member a column. */
export function tableOf(columns: readonly Column[], rows: () => AsyncIterable<Row>): ExportSource<Row> {
  return {
    columns,
    records: rows,
    lineOf: (row) => JSON.stringify(Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null]))),
    rowsOf: (row) => [row],
  };
}
