/** The rules that groups, lists and tags share: a name is unique within its kind, so the whole kind is one aggregate, folded from one stream. */
import { Map } from 'immutable';
import type { ErrorCode } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import { nameKey } from '../events/names.js';
import type { Decider, Decision } from './decider.js';

export interface CatalogueState {
  readonly nameById: Map<string, string>;
  readonly idByNameKey: Map<string, string>;
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

/** The state in which exactly these, id and name, live. */
export function catalogueState(entries: Iterable<readonly [id: string, name: string]>): CatalogueState {
  let state: CatalogueState = { nameById: Map(), idByNameKey: Map() };
  for (const [id, name] of entries) state = evolve(state, { id, name, isDeleted: false });
  return state;
}

/** The id that a name stands for now, if any. */
export const idOfName = (state: CatalogueState, name: string): string | undefined =>
  state.idByNameKey.get(nameKey(name));

export function catalogueDecider<Event extends DomainEvent>(
  kind: CatalogueKind<Event>,
): Decider<CatalogueState, CatalogueCommand, Event> {
  return {
    initial: catalogueState([]),
    knows: kind.knows,
    evolve: (state, event) => evolve(state, kind.read(event)),
    decide: (command, state) => decide(kind, command, state),
  };
}

function evolve(
  state: CatalogueState,
  { id, name, isDeleted }: Entry & { readonly isDeleted: boolean },
): CatalogueState {
  const { nameById, idByNameKey } = state;
  const previous = nameById.get(id);
  const others = previous === undefined ? idByNameKey : idByNameKey.remove(nameKey(previous));
  return isDeleted
    ? { nameById: nameById.remove(id), idByNameKey: others }
    : { nameById: nameById.set(id, name), idByNameKey: others.set(nameKey(name), id) };
}

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
