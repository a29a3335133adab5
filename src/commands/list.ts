/** The rules of lists: the catalogue's, in the words of the stream `lists`. */
import { listSchemas, type ListEvent } from '../events/list.js';
import { catalogueDecider } from './catalogue.js';
import { knownBy } from './decider.js';

export const listDecider = catalogueDecider<ListEvent>({
  created: (list_id, list_name) => ({ type: 'ListCreated', data: { list_id, list_name } }),
  renamed: (list_id, list_name, previous_name) => ({
    type: 'ListRenamed',
    data: { list_id, list_name, previous_name },
  }),
  deleted: (list_id, list_name) => ({ type: 'ListDeleted', data: { list_id, list_name } }),
  read: ({ type, data }) => ({ id: data.list_id, name: data.list_name, isDeleted: type === 'ListDeleted' }),
  knows: knownBy<ListEvent>(listSchemas),
  duplicate: 'duplicate_list_name',
  unknown: 'unknown_list',
});
