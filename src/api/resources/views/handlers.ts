/** What the endpoints of the documents of views do: any view that is registered, each document as it is stored. */
import { ServiceError } from '../../../errors.js';
import { scopesOf, type Projection } from '../../../projections/projection.js';
import type { Queries } from '../../../projections/queries.js';
import { touchedDocument } from '../../../projector/touched.js';
import { MissingIndexError, type FindQuery } from '../../../readmodels/read-models.js';
import type { Call } from '../../http/endpoint-runner.js';
import { answerOfPage, pageRequest, type Reads } from '../../http/reads.js';
import type { Routes } from '../../http/routes.js';
import { viewEndpoints } from './endpoints.js';

export interface ViewsParts {
  readonly projections: readonly Projection[];
  readonly queries: Pick<Queries, 'getDocument' | 'pageDocuments'>;
  readonly reads: Reads;
}

export function viewsRoutes(routes: Routes, { projections: all, queries, reads }: ViewsParts): void {
  const projections = all.filter(({ unlisted }) => unlisted !== true);

  function viewOf(name: string, { scopes }: Pick<Call, 'scopes'>): Projection {
    const view = projections.find((one) => one.name === name);
    if (view === undefined)
      throw new ServiceError('no_such_view', { names: projections.map((one) => one.name).join(', ') });
    for (const scope of scopesOf(view)) if (!scopes.has(scope)) throw new ServiceError('forbidden', { names: scope });
    return view;
  }

  routes.on(viewEndpoints.list, async ({ scopes }) => {
    const readable = projections.filter((view) => scopesOf(view).every((scope) => scopes.has(scope)));
    const data = readable.map(({ name, version, indexes, arrayIndexes: array_fields = [] }) => {
      const shown = indexes.filter(({ scattered }) => scattered !== true).map(({ fields }) => fields);
      return { name, version, indexes: shown, array_fields };
    });
    return await Promise.resolve({ data });
  });

  routes.on(viewEndpoints.page, async (call) => {
    const { limit, cursor, ...given } = call.query;
    const view = viewOf(call.parameter('name'), call);
    const scope = ['views', view.name, ...Object.entries(given).map(String).sort()];
    const request = { ...filtersOf(view, given), ...pageRequest({ limit, cursor }, scope) };
    await reads.visible(call, { touched: [view.name], parked: [] });
    const page = await queries.pageDocuments(view, request).catch(asRefusal);
    return answerOfPage(page, { isIncomplete: reads.isIncomplete([view.name]), scope });
  });

  routes.on(viewEndpoints.get, async (call) => {
    const view = viewOf(call.parameter('name'), call);
    const id = call.parameter('id');
    await reads.visible(call, { touched: [touchedDocument(view.name, id)], parked: [] });
    const found = await queries.getDocument(view, id);
    const isIncomplete = reads.isIncomplete([view.name]);
    if (found === undefined) throw new ServiceError(isIncomplete ? 'unavailable' : 'not_found');
    return { data: found, beside: isIncomplete ? { incomplete: true } : {} };
  });
}

/** The first field that holds an array must contain the given text, every other field must have the given value. */
function filtersOf(
  { arrayIndexes = [] }: Projection,
  given: Readonly<Record<string, unknown>>,
): Omit<FindQuery, 'limit'> {
  const where: Record<string, string | number | boolean | null> = {};
  let contains: FindQuery['contains'];
  for (const [field, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw new ServiceError('not_a_string', { field });
    if (contains === undefined && arrayIndexes.includes(field)) contains = { field, value };
    else where[field] = valueIn(value);
  }
  return { ...(Object.keys(where).length === 0 ? {} : { where }), ...(contains === undefined ? {} : { contains }) };
}

/** Numbers, `true`, `false`, `null` and texts in quotes as JSON has them; everything else is a text as received. */
function valueIn(text: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    return typeof value === 'number' && Number.isFinite(value) ? value : text;
  } catch {
    return text;
  }
}

function asRefusal(error: unknown): never {
  if (error instanceof MissingIndexError) throw new ServiceError('no_index', { names: error.message });
  throw error;
}
