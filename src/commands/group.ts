/** The rules of groups: the catalogue's, in the words of the stream `groups`. */
import { groupSchemas, type GroupEvent } from '../events/group.js';
import { catalogueDecider, type CatalogueChange, type CatalogueDecider } from './catalogue.js';
import { knownBy } from './decider.js';

function write(change: CatalogueChange): GroupEvent {
  switch (change.type) {
    case 'created':
      return { type: 'GroupCreated', data: { group_id: change.id, group_name: change.name } };
    case 'renamed':
      return {
        type: 'GroupRenamed',
        data: { group_id: change.id, group_name: change.name, previous_name: change.previous },
      };
    case 'deleted':
      return { type: 'GroupDeleted', data: { group_id: change.id, group_name: change.name } };
  }
}

function read(event: GroupEvent): CatalogueChange {
  const { group_id: id, group_name: name } = event.data;
  switch (event.type) {
    case 'GroupCreated':
      return { type: 'created', id, name };
    case 'GroupRenamed':
      return { type: 'renamed', id, name, previous: event.data.previous_name };
    case 'GroupDeleted':
      return { type: 'deleted', id, name };
  }
}

export const groupDecider: CatalogueDecider<GroupEvent> = catalogueDecider({
  write,
  read,
  knows: knownBy<GroupEvent>(groupSchemas),
  duplicate: 'duplicate_group_name',
  unknown: 'unknown_group',
});
