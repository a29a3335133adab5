/** The rules of lists: the catalogue's, in the words of the stream `lists`. */
import { listSchemas, type ListEvent } from '../events/list.js';
import { catalogueDecider, type CatalogueChange, type CatalogueDecider } from './catalogue.js';
import { knownBy } from './decider.js';

function write(change: CatalogueChange): ListEvent {
  switch (change.type) {
    case 'created':
      return { type: 'ListCreated', data: { list_id: change.id, list_name: change.name } };
    case 'renamed':
      return {
        type: 'ListRenamed',
        data: { list_id: change.id, list_name: change.name, previous_name: change.previous },
      };
    case 'deleted':
      return { type: 'ListDeleted', data: { list_id: change.id, list_name: change.name } };
  }
}

function read(event: ListEvent): CatalogueChange {
  const { list_id: id, list_name: name } = event.data;
  switch (event.type) {
    case 'ListCreated':
      return { type: 'created', id, name };
    case 'ListRenamed':
      return { type: 'renamed', id, name, previous: event.data.previous_name };
    case 'ListDeleted':
      return { type: 'deleted', id, name };
  }
}

export const listDecider: CatalogueDecider<ListEvent> = catalogueDecider({
  write,
  read,
  knows: knownBy<ListEvent>(listSchemas),
  duplicate: 'duplicate_list_name',
  unknown: 'unknown_list',
});
