/** Documents of views: every registered view, each document as it is stored. */
import { z } from 'zod';
import { ServiceError } from '../../errors.js';
import { count, object, position, text } from '../../events/values.js';
import { scopesOf, type Projection } from '../../projections/projection.js';
import { MissingIndexError, type FindQuery } from '../../readmodels/read-models.js';
import { viewName as view } from '../../rebuild/answers.js';
import type { Call } from '../http/call.js';
import { type Resource, scopeOfView } from '../http/endpoint.js';
import { answerOfPage, besideOf, pageRequest } from '../http/paging.js';
import { incomplete, pageSchema, paging, textInPath } from '../schemas/parameters.js';
import { read, type Parts } from './parts.js';

const fields = z.array(z.string());

const listedView = object('ListedView', {
  name: view,
  version: count.min(1),
  indexes: z.array(fields).describe('The fields of each index, in its order.'),
  array_fields: fields.describe('Fields that hold texts and are asked for one of them.'),
});

const viewDocument = object(
  'ViewDocument',
  {
    id: text('Id of the document.', '2026-03-01'),
    document: z.record(z.string(), z.unknown()).describe('As the view has made it.'),
    position: position.describe('Of the last event that changed it.'),
  },
  'A document of a view.',
);

const endpoints = {
  list: read('listViews', '/v1/views', {
    scope: scopeOfView,
    summary: 'The views, and the fields that their documents are found by',
    description: 'Those that the key may read.',
    answer: { data: z.array(listedView) },
    handle: ({ scopes }, { projections }) => {
      const readable = listed(projections).filter((view) => scopesOf(view).every((scope) => scopes.has(scope)));
      const data = readable.map(({ name, version, indexes, arrayIndexes: array_fields = [] }) => {
        const shown = indexes.filter(({ scattered }) => scattered !== true).map(({ fields }) => fields);
        return { name, version, indexes: shown, array_fields };
      });
      return { data };
    },
  }),
  page: read('listDocuments', '/v1/views/{name}', {
    scope: scopeOfView,
    summary: 'The documents of a view',
    description:
      'Every other query parameter is a field of an index of the view and the value that it must have: the leading fields of one index. The order is by id.',
    query: z.looseObject(paging),
    answer: pageSchema(viewDocument, { incomplete }),
    errors: ['no_such_view', 'not_a_string', 'no_index'],
    handle: async (call, { queries, projections }) => {
      const { limit, cursor, ...given } = call.query;
      const view = viewOf(call.parameter('name'), call, projections);
      const scope = ['views', view.name, ...Object.entries(given).map(String).sort()];
      const request = { ...filtersOf(view, given), ...pageRequest({ limit, cursor }, scope) };
      const page = await queries.pageDocuments(view, request).catch(asRefusal);
      return answerOfPage(page, { scope });
    },
  }),
  get: read('getDocument', '/v1/views/{name}/{id}', {
    scope: scopeOfView,
    summary: 'A document of a view',
    answer: { data: viewDocument, beside: { incomplete } },
    errors: ['no_such_view'],
    handle: async (call, { queries, projections }) => {
      const view = viewOf(call.parameter('name'), call, projections);
      const { found, isIncomplete } = await queries.getDocument(view, call.parameter('id'));
      if (found === undefined) throw new ServiceError(isIncomplete ? 'unavailable' : 'not_found');
      return { data: found, beside: besideOf(isIncomplete) };
    },
  }),
};

export const viewsResource: Resource<Parts> = {
  name: 'Views',
  description: 'The documents of each view.',
  parameters: { name: textInPath('Name of a view.'), id: textInPath('Id of a document.') },
  endpoints,
};

/** Returns the views whose documents the API shows. */
const listed = (projections: readonly Projection[]): readonly Projection[] =>
  projections.filter(({ unlisted }) => unlisted !== true);

/** @throws ServiceError `no_such_view`, `forbidden` */
function viewOf(name: string, { scopes }: Pick<Call, 'scopes'>, projections: readonly Projection[]): Projection {
  const known = listed(projections);
  const view = known.find((one) => one.name === name);
  if (view === undefined) throw new ServiceError('no_such_view', { names: known.map((one) => one.name).join(', ') });
  for (const scope of scopesOf(view)) if (!scopes.has(scope)) throw new ServiceError('forbidden', { names: scope });
  return view;
}

/** Returns the filters: the first array field must contain the given text, and every other field must have the given value. */
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

/** Parses numbers, `true`, `false`, `null` and quoted texts as JSON. Returns everything else as the text that was received. */
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
