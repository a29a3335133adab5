/** The view `lists`: one document per living list, found by id or by name key. */
import { nameKey } from '../events/names.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

export type ListDocument = {
  readonly list_id: string;
  readonly list_name: string;
  /** Under which the name is unique. */
  readonly name_key: string;
  readonly created_at: string;
};

export const lists: Projection<ListDocument> = {
  name: 'lists',
  version: 1,
  indexes: [{ fields: ['name_key'] }],
  handles: ['ListCreated', 'ListRenamed', 'ListDeleted'],

  keys: ({ event }) => ('list_id' in event.data ? [event.data.list_id] : []),

  evolve(document, { event, metadata }) {
    switch (event.type) {
      case 'ListCreated': {
        absent(document, event.type);
        const { list_id, list_name } = event.data;
        return { list_id, list_name, name_key: nameKey(list_name), created_at: metadata.at };
      }
      case 'ListRenamed': {
        const { list_name } = event.data;
        return { ...existing(document, event.type), list_name, name_key: nameKey(list_name) };
      }
      case 'ListDeleted':
        existing(document, event.type);
        return null;
      default:
        throw new CannotFoldError(`lists do not fold ${event.type}`);
    }
  },
};
