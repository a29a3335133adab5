/** The endpoints of the documents of views. */
import { z } from 'zod';
import { incomplete, pageOf } from '../schemas/answers.js';
import { listedView, viewDocument } from '../schemas/answers-views.js';
import { paging } from '../schemas/query.js';
import { ownRead, scopeOfView } from './endpoint.js';

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
    answer: pageOf(viewDocument, { incomplete }),
    errors: ['no_such_view', 'not_a_string', 'no_index'],
  }),
  get: ownRead('getDocument', '/v1/views/{name}/{id}', {
    scope: scopeOfView,
    summary: 'A document of a view',
    answer: { data: viewDocument, beside: { incomplete } },
    errors: ['no_such_view'],
  }),
};
