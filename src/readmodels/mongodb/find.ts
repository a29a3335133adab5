/** Answers `find` on MongoDB: the indexes of a view, and the one index each query is answered by, in its order. */
import type { Filter, FindOptions, IndexDescription, Sort } from 'mongodb';
import { behindPrefix, type FindPlan } from '../find-plan.js';
import type { MongoDocument } from './documents.js';
import type { FindQuery, PrefixQuery, View } from '../read-models.js';

interface MongoSearch {
  readonly filter: Filter<MongoDocument>;
  readonly options: FindOptions & { readonly limit: number };
}

interface MongoQuery extends MongoSearch {
  readonly options: MongoSearch['options'] & { readonly sort: Sort };
}

/** Each ends with the id. One for each index, one for each array, and one for each pair of them. @throws TypeError */
export function indexesOf(view: View): IndexDescription[] {
  const singles = view.indexes.map(({ fields }) => fields);
  const arrays = (view.arrayIndexes ?? []).flatMap((array) => [
    [array],
    ...singles.map((fields) => [array, ...fields]),
  ]);
  return [...singles, ...arrays].map((fields) => {
    for (const field of fields)
      if (!/^[a-z][a-z0-9_]*$/.test(field))
        throw new TypeError(`index field ${field} of ${view.name} is no plain name`);
    return { name: indexName(fields), key: new Map([...fields.map(path), '_id'].map((field) => [field, 1])) };
  });
}

/** One more than asked for, to see whether there are more. Every value is compared, never read as an operator. */
export function composeFind(query: FindQuery, plan: FindPlan): MongoQuery {
  const direction = plan.descending ? -1 : 1;
  const sort: Sort = plan.sort === 'id' ? { _id: direction } : { [path(plan.sort)]: direction, _id: direction };
  const limit = query.limit + 1;
  const hint = hintOf(plan, query.contains?.field);
  return {
    filter: { $and: [...restrict(query, plan), ...afterCursor(plan)] },
    // A batch of that size brings the page in one round trip.
    options: { sort, limit, batchSize: limit, ...(hint === undefined ? {} : { hint }) },
  };
}

/**
 * In the order of the index, which is that of the first string that begins so: the server leaves out what it meets again.
 * It is not asked to sort, because it would sort all that begins so, by the first string of each array.
 */
export function composeSearch({ field, prefix, limit }: PrefixQuery): MongoSearch {
  return {
    filter: { [path(field)]: { $elemMatch: { $gte: prefix, $lt: behindPrefix(prefix) } } },
    options: { limit, batchSize: limit, hint: indexName([field]) },
  };
}

function restrict({ where, contains, idPrefix = '' }: FindQuery, plan: FindPlan): Condition[] {
  // Hides tombstones.
  const conditions: Condition[] = [{ document: { $ne: null } }];
  if (contains !== undefined) conditions.push({ [path(contains.field)]: { $eq: contains.value } });
  for (const field of plan.whereFields) conditions.push({ [path(field)]: { $eq: where?.[field] ?? null } });
  if (idPrefix !== '') conditions.push({ _id: { $gte: idPrefix, $lt: behindPrefix(idPrefix) } });
  return conditions;
}

/** A field or operator, and what it is compared with. */
type Condition = Readonly<Record<string, unknown>>;

/** Indexed fields are checked names; they lie in the document. */
const path = (field: string): string => `document.${field}`;
const indexName = (fields: readonly string[]): string => `by_${fields.join('_and_')}`;

/** Undefined where an index serves but does not sort: the server chooses. */
function hintOf({ index, sort, whereFields }: FindPlan, array: string | undefined): string | undefined {
  const fields = [...(array === undefined ? [] : [array]), ...(index?.fields ?? [])];
  if (index === undefined && (whereFields.length > 0 || sort !== 'id')) return undefined;
  return fields.length === 0 ? '_id_' : indexName(fields);
}

/**
 * What lies behind the cursor: a range that bounds the index, and what passes over the ties. Nulls sort first, and a
 * comparison with a value leaves them out; `$not` takes them in.
 */
function afterCursor({ after, sort, descending }: FindPlan): Condition[] {
  if (after === undefined) return [];
  const behind: Condition = { _id: { [descending ? '$lt' : '$gt']: after.id } };
  if (sort === 'id') return [behind];
  const field = path(sort);
  const { value } = after;
  if (value === null)
    return descending ? [{ [field]: { $eq: null } }, behind] : [{ $or: [{ [field]: { $ne: null } }, behind] }];
  const other: Condition = { [field]: { $ne: value } };
  const range: Condition = { [field]: descending ? { $not: { $gt: value } } : { $gte: value } };
  return [range, { $or: [other, behind] }];
}
