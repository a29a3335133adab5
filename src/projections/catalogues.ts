/** The views `groups`, `lists` and `tags`: one document per living group, list or tag, found by id or by name key. */
import type { DomainEvent, EventType } from '../events/codec.js';
import { nameKey } from '../events/catalogues.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

type Named<Fields> = Fields & {
  readonly name_key: string;
  readonly created_at: string;
};
export type GroupDocument = Named<{ readonly group_id: string; readonly group_name: string }>;
export type ListDocument = Named<{ readonly list_id: string; readonly list_name: string }>;
export type TagDocument = Named<{ readonly tag_id: string; readonly tag_name: string }>;

export const groups = catalogue('groups', ['GroupCreated', 'GroupRenamed', 'GroupDeleted'], (data) => {
  if (!('group_name' in data)) return undefined;
  const { group_id, group_name } = data;
  return { id: group_id, name: group_name, fields: { group_id, group_name } };
});

export const lists = catalogue('lists', ['ListCreated', 'ListRenamed', 'ListDeleted'], (data) => {
  if (!('list_name' in data)) return undefined;
  const { list_id, list_name } = data;
  if (list_id === undefined || list_name === undefined) return undefined;
  return { id: list_id, name: list_name, fields: { list_id, list_name } };
});

/** Asked for by name, too. */
export const tags = {
  ...catalogue('tags', ['TagCreated', 'TagRenamed', 'TagDeleted'], (data) => {
    if (!('tag_name' in data)) return undefined;
    const { tag_id, tag_name } = data;
    return { id: tag_id, name: tag_name, fields: { tag_id, tag_name } };
  }),
  indexes: [{ fields: ['name_key'] }],
};

interface Entry<Fields> {
  readonly id: string;
  readonly name: string;
  readonly fields: Fields;
}

function catalogue<Fields extends Readonly<Record<string, string>>>(
  view: string,
  handles: readonly [created: EventType, renamed: EventType, deleted: EventType],
  entryOf: (data: DomainEvent['data']) => Entry<Fields> | undefined,
): Projection<Named<Fields>> {
  const [, renamed, deleted] = handles;
  return {
    name: view,
    version: 1,
    personal: false,
    indexes: [],
    handles,

    keys({ event }) {
      const id = entryOf(event.data)?.id;
      return id === undefined ? [] : [id];
    },

    evolve(document, { event: { type, data }, metadata }) {
      const entry = entryOf(data);
      if (entry === undefined || !handles.includes(type)) throw new CannotFoldError(`${view} do not fold ${type}`);
      const named = { ...entry.fields, name_key: nameKey(entry.name) };
      if (type === deleted) {
        existing(document, type);
        return null;
      }
      if (type === renamed) return { ...existing(document, type), ...named };
      absent(document, type);
      return { ...named, created_at: metadata.at };
    },
  };
}
