/** What every export is made of: records one by one, each a line of NDJSON, and one or more rows of CSV and Parquet. */

/** `time` and `day` are ISO 8601 in UTC. `long_text` is text that is never searched for: Parquet keeps no statistics of it. */
export type ColumnType = 'text' | 'long_text' | 'integer' | 'time' | 'day';

export type Columns = Readonly<Record<string, ColumnType>>;

export type Cell = string | number | null;
export type Row = readonly Cell[];

export interface ExportRecord {
  line(): string;
  rows(): readonly Row[];
}

export interface ExportSource {
  readonly columns: Columns;
  /** To be gone through once. @throws the signal's reason when it aborts: a part must not pass for the whole. */
  records(): AsyncIterable<ExportRecord>;
  /** A last line of NDJSON, asked for after the records. */
  trailer?(): string | undefined;
}

/** A table whose rows are its records; a line has one member per column. */
export function tableOf(columns: Columns, rows: () => AsyncIterable<Row>): ExportSource {
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
