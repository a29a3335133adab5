/** The endpoints of the documents of views, and what they answer. */
import { z } from 'zod';
import { count, object, position, text } from '../../../events/values.js';
import { viewName as view } from '../../../rebuild/answers.js';
import { ownRead, type Resource, scopeOfView } from '../../http/endpoint.js';
import { incomplete, pageSchema, paging, textInPath } from '../../schemas/parameters.js';

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

export const viewEndpoints = {
  list: ownRead('listViews', '/v1/views', {
    scope: scopeOfView,
    summary: 'The views, and the fields that their documents are found by',
    description: 'Those that the key may read.',
    answer: { data: z.array(listedView) },
  }),
  page: ownRead('listDocuments', '/v1/views/{name}', {
    scope: scopeOfView,
    summary: 'The documents of a view',
    description:
      'Every other query parameter is a field of an index of the view and the value that it must have: the leading fields of one index. The order is by id.',
    query: z.looseObject(paging),
    answer: pageSchema(viewDocument, { incomplete }),
    errors: ['no_such_view', 'not_a_string', 'no_index'],
  }),
  get: ownRead('getDocument', '/v1/views/{name}/{id}', {
    scope: scopeOfView,
    summary: 'A document of a view',
    answer: { data: viewDocument, beside: { incomplete } },
    errors: ['no_such_view'],
  }),
};

export const views: Resource = {
  name: 'Views',
  description: 'The documents of each view.',
  parameters: { name: textInPath('Name of a view.'), id: textInPath('Id of a document.') },
  endpoints: viewEndpoints,
};
