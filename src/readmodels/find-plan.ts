/** Checks a query against its view and turns cursors into places; shared by the adapters, so that all refuse the same queries, but for indexes that one of them does not keep. */
import {
  InvalidCursorError,
  MissingIndexError,
  storageOf,
  type Checkpoint,
  type Document,
  type FindQuery,
  type Index,
  type PrefixQuery,
  type StoredView,
  type View,
} from './read-models.js';

export type Scalar = string | number | boolean | null;

export interface FindPlan {
  readonly whereFields: readonly string[];
  /** `id` or an indexed field. */
  readonly sort: string;
  readonly descending: boolean;
  /** The index that yields the answer in order; absent: the ids themselves, or sorting, do. */
  readonly index?: Index;
  readonly after?: { readonly value: Scalar; readonly id: string };
}

/** @throws TypeError for a query that its view has no index for. @throws InvalidCursorError */
export function planFind(view: View, query: FindQuery): FindPlan {
  assertQuery(view, query);
  const whereFields = Object.keys(query.where ?? {}).sort();
  const { sort = 'id', descending = false, cursor, from } = query;
  // No id is empty.
  const start = from === undefined ? undefined : { value: from, id: '' };
  const after = cursor === undefined ? start : decodeCursor(cursor, sort, descending);
  const index = chooseIndex(view, whereFields, sort);
  return {
    whereFields,
    sort,
    descending,
    ...(index === undefined ? {} : { index }),
    ...(after === undefined ? {} : { after }),
  };
}

/** @throws TypeError for a search that its view has no index for. */
export function assertSearch(view: View, { field, prefix, limit }: PrefixQuery): void {
  assertLimit(view, limit);
  if (prefix === '') throw new TypeError(`a search of ${view.name} needs a beginning`);
  assertArrayIndex(view, field);
}

function assertArrayIndex({ name, arrayIndexes = [] }: View, field: string): void {
  if (!arrayIndexes.includes(field)) throw new MissingIndexError(`${name} needs ${field} among its arrayIndexes`);
}

function assertLimit({ name }: View, limit: number): void {
  if (!Number.isInteger(limit) || limit < 1)
    throw new TypeError(`limit of ${name} must be a whole number of at least 1`);
}

function assertQuery(view: View, { limit, contains }: FindQuery): void {
  assertLimit(view, limit);
  if (contains !== undefined) assertArrayIndex(view, contains.field);
}

/** The index whose order is the answer's; undefined when the ids' own order is, or when some index serves but does not sort. */
function chooseIndex(view: View, whereFields: readonly string[], sort: string): Index | undefined {
  const used = whereFields.length + (sort === 'id' ? 0 : 1);
  if (used === 0) return undefined;
  const candidates = view.indexes.filter((index) => leads(index, whereFields, sort));
  if (candidates.length === 0) throw missingIndex(view, [...whereFields, ...(sort === 'id' ? [] : [sort])]);
  return candidates.find(({ fields }) => fields.length === used);
}

function missingIndex({ name, indexes }: View, needed: readonly string[]): MissingIndexError {
  const named = indexes.map(({ fields }) => `(${fields.join(', ')})`).join(', ');
  const there = indexes.length === 0 ? 'it has none' : `it has ${named}`;
  return new MissingIndexError(`${name} needs an index that begins with (${needed.join(', ')}); ${there}`);
}

export function cursorAfter(plan: FindPlan, id: string, document: Document): string {
  const value = plan.sort === 'id' ? null : scalarOf(document, plan.sort);
  return encode([plan.sort, plan.descending, value, id]);
}

/** An indexed field of a document; an absent one counts as null. @throws TypeError */
export function scalarOf(document: Document, field: string): Scalar {
  const value = document[field] ?? null;
  if (!isScalar(value)) throw new TypeError(`indexed field ${field} must be a string, finite number, boolean or null`);
  return value;
}

/** An array-indexed field of a document, without repetitions; an absent one counts as empty. @throws TypeError */
export function stringsOf(document: Document, field: string): readonly string[] {
  const value = document[field] ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new TypeError(`indexed field ${field} must be an array of strings`);
  return value.length < 2 ? value : [...new Set<string>(value)];
}

/** Behind all texts that begin with this one: followed by the last code point, a non-character. */
export const behindPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`;

/** What table or collection of the view are called. @throws TypeError for a view that no adapter could store. */
export function storageName(view: StoredView): string {
  const { name, version } = view;
  if (!/^[a-z_]+$/.test(name)) throw new TypeError('a view name must be lower case letters and underscores');
  if (!Number.isInteger(version) || version < 1)
    throw new TypeError(`version of ${name} must be a whole number from 1`);
  return `${name}_v${storageOf(view)}`;
}

/** Storages of the view, by the names of what there is, that are neither this one nor in a checkpoint. */
export function unnamedStorages(
  view: StoredView,
  existing: readonly string[],
  checkpoints: readonly Checkpoint['storages'][],
): readonly string[] {
  const pattern = new RegExp(`^${view.name}_v\\d+(?=$|__)`);
  const found = new Set(existing.flatMap((name) => pattern.exec(name)?.[0] ?? []));
  found.delete(storageName(view));
  // Where several storages of a view are named, the keys have more than its name.
  for (const [key, storage] of checkpoints.flatMap((storages) => Object.entries(storages)))
    found.delete(`${key.split('/')[0] ?? ''}_v${storage}`);
  return [...found];
}

function leads({ fields }: Index, whereFields: readonly string[], sort: string): boolean {
  const leading = fields.slice(0, whereFields.length);
  if (leading.length < whereFields.length || !leading.every((field) => whereFields.includes(field))) return false;
  return sort === 'id' || fields[whereFields.length] === sort;
}

function decodeCursor(cursor: string, sort: string, descending: boolean): { value: Scalar; id: string } {
  const [cursorSort, cursorDescending, value, id] = parseCursor(cursor);
  if (cursorSort !== sort || cursorDescending !== descending || typeof id !== 'string' || !isScalar(value))
    throw new InvalidCursorError('not a cursor of this query');
  if (encode([sort, descending, value, id]) !== cursor) throw new InvalidCursorError('not a cursor');
  return { value, id };
}

function parseCursor(cursor: string): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new InvalidCursorError('not a cursor');
  }
  if (!Array.isArray(parsed)) throw new InvalidCursorError('not a cursor');
  return parsed;
}

const encode = (parts: readonly Scalar[]): string => Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');

const isScalar = (value: unknown): value is Scalar =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));
