/** Turns an export into a Parquet file, row group by row group: only one of them is ever in memory. Each piece must be taken before the next one is asked for. */
import { ByteWriter, ParquetWriter, type ColumnSource, type SchemaElement } from 'hyparquet-writer';
import type { Cell, Column, ColumnType, ExportSource, Row } from './export-source.js';

/** A row group ends at whichever comes first. */
const rowsAGroup = 10_000;
const charactersAGroup = 4 * 1024 * 1024;

export async function* asParquet<Item>(source: ExportSource<Item>): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({ writer: bytes, schema: schemaOf(source.columns), createdBy: 'audience-ledger' });
  const group = createGroup(source.columns);
  for await (const item of source.records()) {
    for (const row of source.rowsOf(item)) group.add(row);
    if (!group.isFull()) continue;
    await parquet.write(group.take());
    yield bytes.getBytes();
    // Taken by now. The writer goes on at the front of its buffer, and counts on.
    bytes.index = 0;
  }
  await parquet.write(group.take());
  await parquet.finish();
  yield bytes.getBytes();
}

function createGroup(columns: readonly Column[]) {
  let values = columns.map((): unknown[] => []);
  let rows = 0;
  let characters = 0;
  return {
    isFull: () => rows >= rowsAGroup || characters >= charactersAGroup,
    add(row: Row): void {
      for (const [index, { type }] of columns.entries()) {
        const cell = row[index] ?? null;
        if (typeof cell === 'string') characters += cell.length;
        values[index]?.push(valueOf(cell, type));
      }
      rows += 1;
    },
    take() {
      const columnData = columns.map(({ name, isBulky = false }, index): ColumnSource => {
        return { name, data: values[index] ?? [], statistics: !isBulky };
      });
      values = columns.map(() => []);
      rows = 0;
      characters = 0;
      return { columnData, rowGroupSize: rowsAGroup * 2 };
    },
  };
}

function valueOf(cell: Cell, type: ColumnType): string | bigint | Date | null {
  if (cell === null) return null;
  switch (type) {
    case 'text':
      return String(cell);
    case 'integer':
      return BigInt(cell);
    case 'time':
    case 'day':
      return new Date(cell);
    default:
      return type satisfies never;
  }
}

/** How Parquet names the types. Plain text also where it is JSON: not every reader knows more. */
const elements: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  // By its definition in UTC.
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  day: { type: 'INT32', converted_type: 'DATE' },
};

const schemaOf = (columns: readonly Column[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[type] })),
];
