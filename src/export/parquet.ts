/** Turns an export into a Parquet file, row group by row group: only one of them is ever in memory. Each piece must be taken before the next one is asked for. */
import { ByteWriter, ParquetWriter, type ColumnSource, type SchemaElement } from 'hyparquet-writer';
import { isCalendarDay } from '../audit/times.js';
import type { ExportCell, Columns, ColumnType, ExportSource, ExportRow } from './source.js';

const rowsPerGroup = 10_000;
const charactersPerGroup = 4 * 1024 * 1024;

export async function* asParquet(source: ExportSource): AsyncGenerator<Uint8Array> {
  const { columns } = source;
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({ writer: bytes, schema: schemaOf(columns), createdBy: 'audience-ledger' });
  let rows: ExportRow[] = [];
  let characters = 0;
  for await (const record of source.records()) {
    for (const row of record.rows()) {
      rows.push(row);
      for (const cell of row) if (typeof cell === 'string') characters += cell.length;
    }
    if (rows.length < rowsPerGroup && characters < charactersPerGroup) continue;
    await parquet.write(groupOf(columns, rows));
    yield bytes.getBytes();
    // The piece has been taken: the writer starts again at the front of its buffer, and counts on.
    bytes.index = 0;
    rows = [];
    characters = 0;
  }
  await parquet.write(groupOf(columns, rows));
  await parquet.finish();
  yield bytes.getBytes();
}

function groupOf(columns: Columns, rows: readonly ExportRow[]) {
  const columnData = Object.entries(columns).map(([name, type], index): ColumnSource => {
    const data = rows.map((row) => valueOf(row[index] ?? null, type));
    return { name, data, statistics: type !== 'long_text' };
  });
  return { columnData, rowGroupSize: rowsPerGroup * 2 };
}

function valueOf(cell: ExportCell, type: ColumnType): string | bigint | Date | null {
  if (cell === null) return null;
  switch (type) {
    case 'text':
    case 'long_text':
      return String(cell);
    case 'integer':
      return BigInt(cell);
    case 'day':
      // A log that was imported may hold anything there.
      return isCalendarDay(String(cell)) ? new Date(cell) : null;
    case 'time':
      return new Date(cell);
    default:
      return type satisfies never;
  }
}

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;

/** How Parquet names the types. Plain text also where it is JSON: not every reader knows more. */
const elements: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  text,
  long_text: text,
  integer: { type: 'INT64' },
  // By its definition in UTC.
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  day: { type: 'INT32', converted_type: 'DATE' },
};

const schemaOf = (columns: Columns): SchemaElement[] => [
  { name: 'root', num_children: Object.keys(columns).length },
  ...Object.entries(columns).map(([name, type]) => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[type] })),
];
