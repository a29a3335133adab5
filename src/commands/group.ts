/** The rules of groups: the catalogue's, in the words of the stream `groups`. */
import { groupSchemas, type GroupEvent } from '../events/group.js';
import { catalogueDecider } from './catalogue.js';
import { knownBy } from './decider.js';

export const groupDecider = catalogueDecider<GroupEvent>({
  created: (group_id, group_name) => ({ type: 'GroupCreated', data: { group_id, group_name } }),
  renamed: (group_id, group_name, previous_name) => ({
    type: 'GroupRenamed',
    data: { group_id, group_name, previous_name },
  }),
  deleted: (group_id, group_name) => ({ type: 'GroupDeleted', data: { group_id, group_name } }),
  read: ({ type, data }) => ({ id: data.group_id, name: data.group_name, isDeleted: type === 'GroupDeleted' }),
  knows: knownBy<GroupEvent>(groupSchemas),
  duplicate: 'duplicate_group_name',
  unknown: 'unknown_group',
});
