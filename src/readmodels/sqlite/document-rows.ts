/** How a document is kept in a row of its view: as JSON, without what the row says already. */
import { stringsOf } from '../find-plan.js';
import type { Document, View } from '../read-models.js';
import { arrayName, columnName, tableNames, type Column } from './table-names.js';

/** Of the columns that `documentRows` names, in their order. */
export type DocumentRow = readonly [id: string, document: string | null, position: string, ...told: Column[]];

export type DocumentRows = ReturnType<typeof documentRows>;

/**
 * Of a view that declares its fields, nulls are left out of the JSON, and what the id or another column holds. What
 * the JSON has counts, so documents that were stored whole are read as well.
 */
export function documentRows(view: View) {
  const { fields, idFields = [] } = view;
  if (fields === undefined) return wholeDocuments;
  const { fields: indexed, arrays } = tableNames(view);
  const isTold = (field: string): boolean => fields.includes(field) && !idFields.includes(field);
  const scalars = indexed.filter(isTold);
  const lists = arrays.filter(isTold);

  /** Whether a row says this already. Booleans are numbers in a column. */
  const isInRow = (document: Document, field: string, value: unknown): boolean => {
    if (lists.includes(field)) return Array.isArray(value) && stringsOf(document, field).length === value.length;
    return value === null || (typeof value === 'string' && scalars.includes(field));
  };

  return {
    columns: [...scalars.map(columnName), ...lists.map(arrayName)],
    textOf(id: string, document: Document): string {
      const isInId = idFields.length > 0 && idFields.map((field) => document[field]).join('/') === id;
      const kept: Record<string, unknown> = {};
      for (const field of Object.keys(document)) {
        const value = document[field];
        if (idFields.includes(field) ? !isInId : !isInRow(document, field, value)) kept[field] = value;
      }
      return JSON.stringify(kept);
    },
    documentOf<D>([id, text, , ...told]: DocumentRow): D | null {
      if (text === null) return null;
      const document: Record<string, unknown> = {};
      for (const field of fields) document[field] = null;
      const parts = id.split('/');
      idFields.forEach((field, at) => (document[field] = parts[at]));
      scalars.forEach((field, at) => (document[field] = told[at]));
      lists.forEach((field, at) => (document[field] = JSON.parse(String(told[scalars.length + at] ?? '[]'))));
      return Object.assign(document, JSON.parse(text)) as D;
    },
  };
}

const wholeDocuments = {
  columns: [],
  textOf: (_: string, document: Document): string => JSON.stringify(document),
  documentOf: <D>([, text]: DocumentRow): D | null => (text === null ? null : (JSON.parse(text) as D)),
};
