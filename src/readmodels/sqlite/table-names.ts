/** What the tables, indexes and columns of a view are called, and what a column holds. */
import { storageName, type Scalar } from '../find-plan.js';
import type { View } from '../read-models.js';

export type Column = string | number | null;
export const toColumn = (value: Scalar): Column => (typeof value === 'boolean' ? Number(value) : value);

/** The view with the indexes that are kept here. */
export function keptView(view: View): View {
  const indexes = view.indexes.filter(({ scattered }) => scattered !== true);
  return indexes.length === view.indexes.length ? view : { ...view, indexes };
}

/** What a view is called in the file. Every name comes from code and is checked; values are always bound. */
export function tableNames(view: View) {
  const fields = [...new Set(keptView(view).indexes.flatMap((index) => index.fields))].sort();
  const arrays = [...(view.arrayIndexes ?? [])];
  for (const field of [...fields, ...arrays])
    if (!/^[a-z][a-z0-9_]*$/.test(field)) throw new TypeError(`index field ${field} of ${view.name} is no plain name`);
  return { main: storageName(view), fields, arrays };
}

export const sideName = (main: string, field: string): string => `${main}__${field}`;
export const indexName = (main: string, fields: readonly string[]): string => `${main}_by_${fields.join('_and_')}`;
/** Prefixed, so that a field may be called `id` or `position` and no word is a keyword. */
export const columnName = (field: string): string => `i_${field}`;
export const arrayName = (field: string): string => `a_${field}`;
