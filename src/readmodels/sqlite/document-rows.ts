/** Keeps a document in a row of its view: as JSON, without what the row says already, and with a checksum. */
import { crc32 } from 'node:zlib';
import { stringsOf } from '../find-plan.js';
import { ViewDamagedError, type Document, type StoredDocument, type View } from '../read-models.js';
import { arrayName, columnName, tableNames, type Column } from './table-names.js';

/** The columns that `documentRows` names, in their order. */
export type DocumentRow = readonly [
  id: string,
  position: Column,
  sum: Column,
  document: string | null,
  ...indexed: Column[],
];

export type DocumentRows = ReturnType<typeof documentRows>;

/**
 * Describes the rows of a view: `id`, `position`, a checksum, the document as JSON, and the indexed fields. If the view
 * declares its fields, the JSON lacks nulls and the values that the id or a column holds already.
 */
export function documentRows(view: View) {
  const { fields = [], idFields = [] } = view;
  const { fields: indexed, arrays } = tableNames(view);
  const isTold = (field: string): boolean => fields.includes(field) && !idFields.includes(field);
  const scalars = indexed.filter(isTold);
  const lists = arrays.filter(isTold);
  const columnOf = new Map([...indexed, ...arrays].map((field, at) => [field, firstIndexed + at]));

  const isInId = (id: string, document: Document): boolean => {
    const parts = partsOf(id);
    return parts.length === idFields.length && idFields.every((field, at) => document[field] === parts[at]);
  };
  /** Booleans are numbers in a column. */
  const isInColumn = (document: Document, field: string, value: unknown): boolean => {
    if (lists.includes(field)) return Array.isArray(value) && stringsOf(document, field).length === value.length;
    if (value === null) return fields.includes(field);
    return typeof value === 'string' && scalars.includes(field);
  };

  function textOf(id: string, document: Document): string {
    if (fields.length === 0) return JSON.stringify(document);
    const kept: Record<string, unknown> = {};
    const isNamed = isInId(id, document);
    for (const field of Object.keys(document)) {
      const value = document[field];
      if (idFields.includes(field) ? !isNamed : !isInColumn(document, field, value)) kept[field] = value;
    }
    return JSON.stringify(kept);
  }

  const emptyDocument: Document = Object.fromEntries(fields.map((field) => [field, null]));
  const columnsOf = (names: readonly string[]) => names.map((field) => ({ field, at: columnOf.get(field) ?? -1 }));
  const [scalarColumns, listColumns] = [columnsOf(scalars), columnsOf(lists)];

  const columnIn = (row: DocumentRow, field: string): Column => row[columnOf.get(field) ?? -1] ?? null;

  function documentOf(row: DocumentRow): Document | null {
    const [id, , , text] = row;
    if (text === null) return null;
    if (fields.length === 0) return JSON.parse(text) as Document;
    const document: Record<string, unknown> = { ...emptyDocument };
    const parts = partsOf(id);
    idFields.forEach((field, at) => (document[field] = parts[at]));
    for (const { field, at } of scalarColumns) document[field] = row[at] ?? null;
    for (const { field, at } of listColumns) {
      const list = row[at];
      document[field] = typeof list === 'string' && list !== '[]' ? parse(list) : [];
    }
    return text === '{}' ? document : Object.assign(document, parse(text));
  }

  return {
    columns: ['id', 'position', 'sum', 'document', ...indexed.map(columnName), ...arrays.map(arrayName)],
    /** Whether the JSON holds little. */
    isShort: fields.length > 0 && fields.every((field) => [...idFields, ...scalars, ...lists].includes(field)),
    textOf,
    columnIn,
    /** Reads a row. The document of a tombstone is null. @throws ViewDamagedError if the row does not match its checksum */
    read<D>(row: DocumentRow): StoredDocument<D | null> {
      const position = positionIn(row[1]);
      if (row[2] !== checksumOf(row, position)) throw damagedRow(view);
      return { id: row[0], document: documentOf(row) as D | null, position };
    },
  };
}

const firstIndexed = 4;

/** Splits an id at its slashes. `split` would cost several times as much, because it enters each id in a cache. */
function partsOf(id: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = id.indexOf('/'); at >= 0; at = id.indexOf('/', from)) {
    parts.push(id.slice(from, at));
    from = at + 1;
  }
  parts.push(id.slice(from));
  return parts;
}

/** Returns the texts of the column of an array, none if it is damaged. */
export function textsIn(column: Column): readonly string[] {
  if (typeof column !== 'string') return [];
  try {
    return JSON.parse(column) as readonly string[];
  } catch {
    return [];
  }
}

/** An index has led to a row that does not have the value. */
export const strayEntry = (view: View): ViewDamagedError =>
  new ViewDamagedError(`an index of ${tableNames(view).main} has an entry that its row does not have`, view);

/** The message has no personal data. */
const damagedRow = (view: View): ViewDamagedError =>
  new ViewDamagedError(`a row of ${tableNames(view).main} does not match its checksum`, view);

/** Returns the CRC-32 of a row, over its id as well, so that a row in the place of another one does not match. */
export function checksumOf([id, , , text, ...indexed]: DocumentRow, position: string): number {
  let bytes = `${id}\0${position}\0${plain(text)}`;
  for (const value of indexed) bytes += `\0${plain(value)}`;
  return crc32(bytes);
}

/** Keeps null and a number apart from each text that looks like them. */
function plain(value: Column): string {
  if (typeof value === 'string') return value;
  return value === null ? '\x01' : `\x02${value}`;
}

const parse = (text: string): object => JSON.parse(text) as object;

const digits = 20;
const positionIn = (column: Column): string =>
  typeof column === 'number' ? String(column).padStart(digits, '0') : String(column);

/** Returns a number if the position can be restored from the number, because a number takes less space. */
export function positionColumn(position: string): string | bigint {
  const number = Number(position);
  return Number.isSafeInteger(number) && positionIn(number) === position ? BigInt(number) : position;
}
