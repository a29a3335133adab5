/** The view `groups`: one document per living group, found by id or by name key. */
import { nameKey } from '../events/names.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

export type GroupDocument = {
  readonly group_id: string;
  readonly group_name: string;
  /** Under which the name is unique. */
  readonly name_key: string;
  readonly created_at: string;
};

export const groups: Projection<GroupDocument> = {
  name: 'groups',
  version: 1,
  indexes: [{ fields: ['name_key'] }],
  handles: ['GroupCreated', 'GroupRenamed', 'GroupDeleted'],

  keys: ({ event }) => ('group_id' in event.data ? [event.data.group_id] : []),

  evolve(document, { event, metadata }) {
    switch (event.type) {
      case 'GroupCreated': {
        absent(document, event.type);
        const { group_id, group_name } = event.data;
        return { group_id, group_name, name_key: nameKey(group_name), created_at: metadata.at };
      }
      case 'GroupRenamed': {
        const { group_name } = event.data;
        return { ...existing(document, event.type), group_name, name_key: nameKey(group_name) };
      }
      case 'GroupDeleted':
        existing(document, event.type);
        return null;
      default:
        throw new CannotFoldError(`groups do not fold ${event.type}`);
    }
  },
};
