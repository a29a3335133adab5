/** The rules of groups, lists and tags: the catalogue's, in the words of each stream. */
import {
  groupSchemas,
  listSchemas,
  tagSchemas,
  type GroupEvent,
  type ListEvent,
  type TagEvent,
} from '../events/catalogues.js';
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

export const tagDecider = catalogueDecider<TagEvent>({
  created: (tag_id, tag_name) => ({ type: 'TagCreated', data: { tag_id, tag_name } }),
  renamed: (tag_id, tag_name, previous_name) => ({ type: 'TagRenamed', data: { tag_id, tag_name, previous_name } }),
  deleted: (tag_id, tag_name) => ({ type: 'TagDeleted', data: { tag_id, tag_name } }),
  read: ({ type, data }) => ({ id: data.tag_id, name: data.tag_name, isDeleted: type === 'TagDeleted' }),
  knows: knownBy<TagEvent>(tagSchemas),
  duplicate: 'duplicate_tag_name',
  unknown: 'unknown_tag',
});
