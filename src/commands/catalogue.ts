/** The rules that groups, lists and tags share: a name is unique within its kind, so the whole kind is one aggregate, folded from one stream. */
import { Map } from 'immutable';
import type { ErrorCode } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import type { Idempotency } from '../events/envelope.js';
import {
  groupSchemas,
  listSchemas,
  nameKey,
  tagSchemas,
  type GroupEvent,
  type ListEvent,
  type TagEvent,
} from '../events/catalogues.js';
import { knownBy, decideRepeat, type Decider, type Decision } from './decider.js';

export interface CatalogueState {
  readonly nameById: Map<string, string>;
  readonly idByNameKey: Map<string, string>;
  /** Of what lives and was created with an `Idempotency-Key`. */
  readonly creations: Map<string, Idempotency>;
  readonly idByKeyHash: Map<string, string>;
}

interface Entry {
  readonly id: string;
  readonly name: string;
}

export type CatalogueCommand =
  | ({ readonly type: 'Create' | 'Rename' } & Entry)
  | { readonly type: 'Delete'; readonly id: string }
  /** Creates those of the names that do not exist yet, with the ids given for that case. */
  | { readonly type: 'Ensure'; readonly entries: readonly Entry[] };

interface CatalogueKind<Event> {
  readonly created: (id: string, name: string) => Event;
  readonly renamed: (id: string, name: string, previous: string) => Event;
  readonly deleted: (id: string, name: string) => Event;
  readonly read: (event: Event) => Entry & { readonly isDeleted: boolean };
  readonly knows: (event: DomainEvent) => event is Event & DomainEvent;
  readonly duplicate: ErrorCode;
  readonly unknown: ErrorCode;
}

/** The state in which exactly these, id and name, live; and how those were created that had an `Idempotency-Key`. */
export function catalogueState(
  entries: Iterable<readonly [id: string, name: string]>,
  creations: Iterable<readonly [id: string, creation: Idempotency]> = [],
): CatalogueState {
  let state: CatalogueState = { nameById: Map(), idByNameKey: Map(), creations: Map(), idByKeyHash: Map() };
  for (const [id, name] of entries) state = evolve(state, { id, name, isDeleted: false });
  for (const [id, creation] of creations) state = withCreation(state, id, creation);
  return state;
}

/** The id that a name stands for now, if any. */
export const idOfName = (state: CatalogueState, name: string): string | undefined =>
  state.idByNameKey.get(nameKey(name));

function catalogueDecider<Event extends DomainEvent>(
  kind: CatalogueKind<Event>,
): Decider<CatalogueState, CatalogueCommand, Event> {
  return {
    initial: catalogueState([]),
    knows: kind.knows,
    evolve(state, event, { idempotency }) {
      const entry = kind.read(event);
      const after = evolve(state, entry);
      // Only a create has it in its metadata.
      return idempotency === undefined ? after : withCreation(after, entry.id, idempotency);
    },
    decide(command, state, { idempotency }) {
      const id = state.idByKeyHash.get(idempotency?.key_hash ?? '') ?? '';
      return decideRepeat(state.creations.get(id), idempotency) ?? decide(kind, command, state);
    },
  };
}

function evolve(
  state: CatalogueState,
  { id, name, isDeleted }: Entry & { readonly isDeleted: boolean },
): CatalogueState {
  const { nameById, idByNameKey, creations, idByKeyHash } = state;
  const previous = nameById.get(id);
  const others = previous === undefined ? idByNameKey : idByNameKey.remove(nameKey(previous));
  if (!isDeleted) return { ...state, nameById: nameById.set(id, name), idByNameKey: others.set(nameKey(name), id) };
  return {
    nameById: nameById.remove(id),
    idByNameKey: others,
    creations: creations.remove(id),
    idByKeyHash: idByKeyHash.remove(creations.get(id)?.key_hash ?? ''),
  };
}

const withCreation = (state: CatalogueState, id: string, creation: Idempotency): CatalogueState => ({
  ...state,
  creations: state.creations.set(id, creation),
  idByKeyHash: state.idByKeyHash.set(creation.key_hash, id),
});

function decide<Event>(kind: CatalogueKind<Event>, command: CatalogueCommand, state: CatalogueState): Decision<Event> {
  switch (command.type) {
    case 'Create': {
      const holder = idOfName(state, command.name);
      if (holder === command.id) return [];
      return holder === undefined ? [kind.created(command.id, command.name)] : { refused: kind.duplicate };
    }
    case 'Rename':
      return rename(kind, command, state);
    case 'Delete': {
      const name = state.nameById.get(command.id);
      return name === undefined ? { refused: kind.unknown } : [kind.deleted(command.id, name)];
    }
    case 'Ensure':
      return missing(command.entries, state).map(({ id, name }) => kind.created(id, name));
  }
}

function rename<Event>(kind: CatalogueKind<Event>, { id, name }: Entry, state: CatalogueState): Decision<Event> {
  const previous = state.nameById.get(id);
  if (previous === undefined) return { refused: kind.unknown };
  const holder = idOfName(state, name);
  if (holder !== undefined && holder !== id) return { refused: kind.duplicate };
  return previous === name ? [] : [kind.renamed(id, name, previous)];
}

function missing(entries: readonly Entry[], { idByNameKey }: CatalogueState): readonly Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ name }) => {
    const key = nameKey(name);
    const isNew = idByNameKey.get(key) === undefined && !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

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
