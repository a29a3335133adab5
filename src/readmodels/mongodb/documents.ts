/** How a document of a view lies in MongoDB, and comes back deep-equal to its JSON. */
import { scalarOf, stringsOf } from '../find-plan.js';
import type { Document, View } from '../read-models.js';

export interface MongoDocument {
  readonly _id: string;
  /** Log position of the last event folded into it. */
  readonly position: string;
  /** Null in a tombstone. Where `text` is present, its indexed fields only. */
  readonly document: Document | null;
  /** JSON of a document that BSON would not give back as it was. */
  readonly text?: string;
}

export type MongoContent = Pick<MongoDocument, 'document' | 'text'>;

/** The form that every server answers without planning. Text, whatever it was called with: never an operator. */
export const byId = (id: string): { readonly _id: string } => ({ _id: String(id) });

/** @throws TypeError when an indexed field has no value that can be indexed. */
export function toStored(
  view: View,
  { id, position, document }: { readonly id: string; readonly position: string; readonly document: Document | null },
): MongoDocument {
  if (document === null) return { _id: id, position, document };
  const indexed = indexedFields(view, document);
  if (isFaithful(document, 0)) return { _id: id, position, document };
  return { _id: id, position, document: indexed, text: JSON.stringify(document) };
}

/** As `toStored`, of what is found by its id alone. */
export const unindexed = (document: Document): MongoContent =>
  isFaithful(document, 0) ? { document } : { document: {}, text: JSON.stringify(document) };

export function fromStored({ document, text }: MongoContent): Document | null {
  return text === undefined ? document : (JSON.parse(text) as Document);
}

function indexedFields(view: View, document: Document): Document {
  const indexed: Record<string, unknown> = {};
  for (const { fields } of view.indexes) for (const field of fields) indexed[field] = scalarOf(document, field);
  for (const field of view.arrayIndexes ?? []) indexed[field] = stringsOf(document, field);
  return indexed;
}

/** MongoDB refuses more than 100 levels. */
const levels = 60;

/**
 * Whether BSON gives it back as JSON would. Not: lone surrogates, -0 and the other numbers without JSON, dates and
 * the like, keys with a meaning of their own for server or driver.
 */
function isFaithful(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed();
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'boolean':
      return true;
    case 'object':
      if (value === null) return true;
      if (depth > levels) return false;
      return Array.isArray(value)
        ? value.every((item) => isFaithful(item, depth + 1))
        : isFaithfulObject(value, depth + 1);
    default:
      return false;
  }
}

function isFaithfulObject(value: object, depth: number): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  // Not by `Object.entries`: making pairs costs more than looking at them. The prototype has nothing to enumerate.
  for (const key in value) {
    const item: unknown = value[key as keyof typeof value];
    if (!isFaithfulKey(key) || (item !== undefined && !isFaithful(item, depth))) return false;
  }
  return true;
}

/** Plain words, which nearly all keys are, need no second look. */
function isFaithfulKey(key: string): boolean {
  if (/^[a-z]\w*$/i.test(key)) return true;
  if (key === '' || key === '__proto__' || key === '_bsontype') return false;
  return key.isWellFormed() && !/^\$|[.\0]/.test(key);
}
