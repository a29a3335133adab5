/** The rules that groups, lists and tags share: a name is unique within its kind, so the whole kind is one aggregate, folded from one stream. */
import type { ErrorCode } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import { nameKey } from '../events/names.js';
import type { Decider, Decision } from './decider.js';
import { emptyMap, type PersistentMap } from './persistent-map.js';

export interface CatalogueState {
  /** Name as typed, by id. */
  readonly names: PersistentMap<string>;
  /** Id by name key. */
  readonly ids: PersistentMap<string>;
}

export type CatalogueCommand =
  | { readonly type: 'Create'; readonly id: string; readonly name: string }
  | { readonly type: 'Rename'; readonly id: string; readonly name: string }
  | { readonly type: 'Delete'; readonly id: string }
  /** Creates those of the names that do not exist yet, with the ids given for that case. */
  | { readonly type: 'Ensure'; readonly entries: readonly { readonly id: string; readonly name: string }[] };

export type CatalogueChange =
  | { readonly type: 'created'; readonly id: string; readonly name: string }
  | { readonly type: 'renamed'; readonly id: string; readonly name: string; readonly previous: string }
  | { readonly type: 'deleted'; readonly id: string; readonly name: string };

/** How one kind's events say what the shared rules mean. */
interface CatalogueKind<Event> {
  readonly write: (change: CatalogueChange) => Event;
  readonly read: (event: Event) => CatalogueChange;
  readonly knows: (event: DomainEvent) => event is Event & DomainEvent;
  readonly duplicate: ErrorCode;
  readonly unknown: ErrorCode;
}

/** The state in which exactly these, id and name, live. */
export function catalogueState(entries: Iterable<readonly [id: string, name: string]>): CatalogueState {
  let state: CatalogueState = { names: emptyMap(), ids: emptyMap() };
  for (const [id, name] of entries) state = evolve(state, { type: 'created', id, name });
  return state;
}

export type CatalogueDecider<Event extends DomainEvent> = Decider<CatalogueState, CatalogueCommand, Event>;

/** The id that a name stands for now, if any. */
export const idOfName = (state: CatalogueState, name: string): string | undefined => state.ids.get(nameKey(name));

export function catalogueDecider<Event extends DomainEvent>(kind: CatalogueKind<Event>): CatalogueDecider<Event> {
  return {
    initial: catalogueState([]),
    knows: kind.knows,
    evolve: (state, event) => evolve(state, kind.read(event)),
    decide: (command, state) => {
      const decision = decide(kind, command, state);
      return 'refused' in decision ? decision : decision.map(kind.write);
    },
  };
}

function evolve(state: CatalogueState, change: CatalogueChange): CatalogueState {
  switch (change.type) {
    case 'created':
      return {
        names: state.names.with(change.id, change.name),
        ids: state.ids.with(nameKey(change.name), change.id),
      };
    case 'renamed':
      return {
        names: state.names.with(change.id, change.name),
        ids: state.ids.without(nameKey(change.previous)).with(nameKey(change.name), change.id),
      };
    case 'deleted':
      return { names: state.names.without(change.id), ids: state.ids.without(nameKey(change.name)) };
  }
}

type Rules = Pick<CatalogueKind<unknown>, 'duplicate' | 'unknown'>;

function decide(rules: Rules, command: CatalogueCommand, state: CatalogueState): Decision<CatalogueChange> {
  switch (command.type) {
    case 'Create':
      return create(rules, command, state);
    case 'Rename':
      return rename(rules, command, state);
    case 'Delete': {
      const name = state.names.get(command.id);
      return name === undefined ? { refused: rules.unknown } : [{ type: 'deleted', id: command.id, name }];
    }
    case 'Ensure':
      return ensure(command.entries, state);
  }
}

function create(
  rules: Rules,
  { id, name }: { id: string; name: string },
  state: CatalogueState,
): Decision<CatalogueChange> {
  const holder = idOfName(state, name);
  if (holder === id) return [];
  return holder === undefined ? [{ type: 'created', id, name }] : { refused: rules.duplicate };
}

function rename(
  rules: Rules,
  { id, name }: { id: string; name: string },
  state: CatalogueState,
): Decision<CatalogueChange> {
  const previous = state.names.get(id);
  if (previous === undefined) return { refused: rules.unknown };
  const holder = idOfName(state, name);
  if (holder !== undefined && holder !== id) return { refused: rules.duplicate };
  return previous === name ? [] : [{ type: 'renamed', id, name, previous }];
}

function ensure(entries: readonly { id: string; name: string }[], state: CatalogueState): CatalogueChange[] {
  const seen = new Set<string>();
  return entries
    .filter(({ name }) => {
      const key = nameKey(name);
      const isNew = state.ids.get(key) === undefined && !seen.has(key);
      seen.add(key);
      return isNew;
    })
    .map(({ id, name }) => ({ type: 'created', id, name }));
}
