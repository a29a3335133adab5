/** How a document is kept in a row of its view: as JSON, without what the row says already. */
import { stringsOf } from '../find-plan.js';
import type { Document, StoredDocument, View } from '../read-models.js';
import { arrayName, columnName, tableNames, type Column } from './table-names.js';

/** Of the columns that `documentRows` names, in their order. */
export type DocumentRow = readonly [id: string, position: Column, document: string | null, ...told: Column[]];

export type DocumentRows = ReturnType<typeof documentRows>;

/**
 * Of a view that declares its fields, nulls are left out of the JSON, and what the id or another column holds. What
 * the JSON has counts, so documents that were stored whole are read as well.
 */
export function documentRows(view: View) {
  const { fields = [], idFields = [] } = view;
  const { fields: indexed, arrays } = tableNames(view);
  const isTold = (field: string): boolean => fields.includes(field) && !idFields.includes(field);
  const scalars = indexed.filter(isTold);
  const lists = arrays.filter(isTold);

  const isInId = (id: string, document: Document): boolean => {
    const parts = id.split('/');
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

  function documentOf([id, , text, ...told]: DocumentRow): Document | null {
    if (text === null) return null;
    if (fields.length === 0) return JSON.parse(text) as Document;
    const document: Record<string, unknown> = {};
    for (const field of fields) document[field] = null;
    const parts = id.split('/');
    idFields.forEach((field, at) => (document[field] = parts[at]));
    scalars.forEach((field, at) => (document[field] = told[at]));
    lists.forEach((field, at) => (document[field] = parse(String(told[scalars.length + at] ?? '[]'))));
    return Object.assign(document, parse(text));
  }

  return {
    columns: ['id', 'position', 'document', ...scalars.map(columnName), ...lists.map(arrayName)],
    /** There is little in the JSON. */
    isShort: fields.length > 0 && fields.every((field) => [...idFields, ...scalars, ...lists].includes(field)),
    textOf,
    /** A tombstone has no document. */
    read: <D>(row: DocumentRow): StoredDocument<D | null> => ({
      id: row[0],
      document: documentOf(row) as D | null,
      position: positionIn(row[1]),
    }),
  };
}

const parse = (text: string): object => JSON.parse(text) as object;

const digits = 20;
const positionIn = (column: Column): string =>
  typeof column === 'number' ? String(column).padStart(digits, '0') : String(column);

/** A number where it can be read again from one: shorter than its text. */
export function positionColumn(position: string): string | bigint {
  const number = Number(position);
  return Number.isSafeInteger(number) && positionIn(number) === position ? BigInt(number) : position;
}
