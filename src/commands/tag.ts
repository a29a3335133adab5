/** The rules of tags: the catalogue's, in the words of the stream `tags`. */
import { tagSchemas, type TagEvent } from '../events/tag.js';
import { catalogueDecider } from './catalogue.js';
import { knownBy } from './decider.js';

export const tagDecider = catalogueDecider<TagEvent>({
  created: (tag_id, tag_name) => ({ type: 'TagCreated', data: { tag_id, tag_name } }),
  renamed: (tag_id, tag_name, previous_name) => ({ type: 'TagRenamed', data: { tag_id, tag_name, previous_name } }),
  deleted: (tag_id, tag_name) => ({ type: 'TagDeleted', data: { tag_id, tag_name } }),
  read: ({ type, data }) => ({ id: data.tag_id, name: data.tag_name, isDeleted: type === 'TagDeleted' }),
  knows: knownBy<TagEvent>(tagSchemas),
  duplicate: 'duplicate_tag_name',
  unknown: 'unknown_tag',
});
