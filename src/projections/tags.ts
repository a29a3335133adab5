/** The view `tags`: one document per living tag, found by id or by name key. */
import { nameKey } from '../events/names.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

export type TagDocument = {
  readonly tag_id: string;
  readonly tag_name: string;
  /** Under which the name is unique. */
  readonly name_key: string;
  readonly created_at: string;
};

export const tags: Projection<TagDocument> = {
  name: 'tags',
  version: 1,
  indexes: [{ fields: ['name_key'] }],
  handles: ['TagCreated', 'TagRenamed', 'TagDeleted'],

  keys: ({ event }) => ('tag_id' in event.data ? [event.data.tag_id] : []),

  evolve(document, { event, metadata }) {
    switch (event.type) {
      case 'TagCreated': {
        absent(document, event.type);
        const { tag_id, tag_name } = event.data;
        return { tag_id, tag_name, name_key: nameKey(tag_name), created_at: metadata.at };
      }
      case 'TagRenamed': {
        const { tag_name } = event.data;
        return { ...existing(document, event.type), tag_name, name_key: nameKey(tag_name) };
      }
      case 'TagDeleted':
        existing(document, event.type);
        return null;
      default:
        throw new CannotFoldError(`tags do not fold ${event.type}`);
    }
  },
};
