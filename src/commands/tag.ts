/** The rules of tags: the catalogue's, in the words of the stream `tags`. */
import { tagSchemas, type TagEvent } from '../events/tag.js';
import { catalogueDecider, type CatalogueChange, type CatalogueDecider } from './catalogue.js';
import { knownBy } from './decider.js';

function write(change: CatalogueChange): TagEvent {
  switch (change.type) {
    case 'created':
      return { type: 'TagCreated', data: { tag_id: change.id, tag_name: change.name } };
    case 'renamed':
      return {
        type: 'TagRenamed',
        data: { tag_id: change.id, tag_name: change.name, previous_name: change.previous },
      };
    case 'deleted':
      return { type: 'TagDeleted', data: { tag_id: change.id, tag_name: change.name } };
  }
}

function read(event: TagEvent): CatalogueChange {
  const { tag_id: id, tag_name: name } = event.data;
  switch (event.type) {
    case 'TagCreated':
      return { type: 'created', id, name };
    case 'TagRenamed':
      return { type: 'renamed', id, name, previous: event.data.previous_name };
    case 'TagDeleted':
      return { type: 'deleted', id, name };
  }
}

export const tagDecider: CatalogueDecider<TagEvent> = catalogueDecider({
  write,
  read,
  knows: knownBy<TagEvent>(tagSchemas),
  duplicate: 'duplicate_tag_name',
  unknown: 'unknown_tag',
});
