/** The view `list_growth`: per list and day who joined, left and came back, from the first event on. growth-rows.ts makes rows of it. */
import type { DomainEvent } from '../events/codec.js';
import type { ContactEvent } from '../events/contact.js';
import type { RecordedEvent } from '../events/envelope.js';
import { dayOf } from './calendar.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

/** What happened in one list on one day, by the times of the events. */
export type ListDay = {
  readonly kind: 'day';
  readonly list_id: string;
  readonly day: string;
  /** Subscribed as their first status in the list. */
  readonly joined: number;
  readonly unsubscribed: number;
  /** Subscribed after having been Unsubscribed; those who never were Subscribed before are among them, see LateJoiner. */
  readonly resubscribed: number;
  /** Were subscribed when the person was erased. */
  readonly erased: number;
};

export type ListLifeDocument = {
  readonly kind: 'list';
  readonly list_id: string;
  readonly list_name: string;
  readonly created_at: string;
  readonly deleted: { readonly at: string; readonly position: string } | null;
  /** By day: what the days have counted, but the log has after the deletion of the list. It does not count, because the log order decides. */
  readonly void: { readonly [day: string]: VoidDay };
};

type VoidDay = Pick<ListDay, Move> & {
  /** Of the last of these events. */
  readonly position: string;
};

/** A contact who came into the list as Unsubscribed: becoming Subscribed the first time counts as joining. Others need no document. */
export type LateJoiner = {
  readonly kind: 'late';
  readonly late_in: string;
  /** Day of joining; null: not yet. */
  readonly joined_on: string | null;
  readonly position: string | null;
};

export type GrowthDocument = ListDay | ListLifeDocument | LateJoiner;

type StatusEvent = Extract<ContactEvent, { type: 'ContactSubscribed' | 'ContactUnsubscribed' }>;
type Move = 'joined' | 'unsubscribed' | 'resubscribed' | 'erased';
const noMoves: Pick<ListDay, Move> = { joined: 0, unsubscribed: 0, resubscribed: 0, erased: 0 };

/** Ids of one list's days begin with this, and sort by day. */
export const growthDayPrefix = (listId: string): string => `${listId}/`;
export const lifeId = (listId: string): string => `list/${listId}`;

export const listGrowth: Projection<GrowthDocument> = {
  name: 'list_growth',
  version: 2,
  personal: false,
  indexes: [{ fields: ['late_in', 'joined_on'] }],
  readAsWhole: true,
  scopes: ['analytics:read'],
  handles: ['ListCreated', 'ListRenamed', 'ListDeleted', 'ContactSubscribed', 'ContactUnsubscribed', 'ContactErased'],

  keys({ event, metadata }) {
    switch (event.type) {
      case 'ListCreated':
      case 'ListRenamed':
      case 'ListDeleted':
        return [lifeId(event.data.list_id)];
      case 'ContactSubscribed':
      case 'ContactUnsubscribed':
        return keysOfStatus(event, dayOf(metadata.at));
      case 'ContactErased':
        return event.data.subscribed_list_ids.flatMap((listId) => [dayId(listId, dayOf(metadata.at)), lifeId(listId)]);
      default:
        return [];
    }
  },

  evolve(document, recorded, key) {
    const { event, metadata } = recorded;
    switch (event.type) {
      case 'ListCreated':
      case 'ListRenamed':
      case 'ListDeleted':
        return lived(document, event, recorded);
      case 'ContactSubscribed':
      case 'ContactUnsubscribed': {
        const { list_id, contact_id } = event.data;
        const move = moveOf(event);
        if (key === lifeId(list_id)) return afterDeletion(document, move, recorded);
        if (key === lateId(list_id, contact_id)) return late(document, event, recorded);
        return counted(document, move, { list_id, day: dayOf(metadata.at) });
      }
      case 'ContactErased': {
        const list_id = event.data.subscribed_list_ids.find((listId) => key.startsWith(growthDayPrefix(listId)));
        if (list_id === undefined) return afterDeletion(document, 'erased', recorded);
        return counted(document, 'erased', { list_id, day: dayOf(metadata.at) });
      }
      default:
        throw new CannotFoldError(`list_growth does not fold ${event.type}`);
    }
  },
};

const dayId = (listId: string, day: string): string => `${growthDayPrefix(listId)}${day}`;
const lateId = (listId: string, contactId: string): string => `late/${listId}/${contactId}`;

function keysOfStatus(event: StatusEvent, day: string): readonly string[] {
  const { list_id, contact_id, previous_status: previous } = event.data;
  if (moveOf(event) === undefined) return previous === null ? [lateId(list_id, contact_id)] : [];
  // `lifeId` is only read until the list is deleted: to know whether it is.
  const keys = [dayId(list_id, day), lifeId(list_id)];
  return previous === 'Unsubscribed' ? [...keys, lateId(list_id, contact_id)] : keys;
}

/** Undefined: the number of subscribed contacts stays. */
function moveOf({ type, data: { previous_status: previous } }: StatusEvent): Move | undefined {
  if (type === 'ContactUnsubscribed') return previous === 'Subscribed' ? 'unsubscribed' : undefined;
  if (previous === null) return 'joined';
  return previous === 'Unsubscribed' ? 'resubscribed' : undefined;
}

type ListEvent = Extract<DomainEvent, { type: 'ListCreated' | 'ListRenamed' | 'ListDeleted' }>;

function lived(
  document: GrowthDocument | undefined,
  event: ListEvent,
  { metadata: { at }, position }: RecordedEvent<DomainEvent>,
): ListLifeDocument {
  const { list_id, list_name } = event.data;
  if (event.type === 'ListCreated') {
    absent(document, event.type);
    return { kind: 'list', list_id, list_name, created_at: at, deleted: null, void: {} };
  }
  const life = existing(document?.kind === 'list' ? document : undefined, event.type);
  if (event.type === 'ListRenamed') return { ...life, list_name };
  return { ...life, deleted: { at, position } };
}

function afterDeletion(
  document: GrowthDocument | undefined,
  move: Move | undefined,
  { metadata, position }: RecordedEvent<DomainEvent>,
): GrowthDocument | null {
  if (document?.kind !== 'list' || document.deleted === null || move === undefined) return document ?? null;
  const day = dayOf(metadata.at);
  const before = document.void[day] ?? noMoves;
  return { ...document, void: { ...document.void, [day]: { ...before, [move]: before[move] + 1, position } } };
}

function late(
  document: GrowthDocument | undefined,
  event: StatusEvent,
  { metadata, position }: RecordedEvent<DomainEvent>,
): GrowthDocument | null {
  if (document === undefined)
    return event.data.previous_status === null
      ? { kind: 'late', late_in: event.data.list_id, joined_on: null, position: null }
      : null;
  if (document.kind !== 'late' || document.joined_on !== null || event.type !== 'ContactSubscribed') return document;
  return { ...document, joined_on: dayOf(metadata.at), position };
}

function counted(
  document: GrowthDocument | undefined,
  move: Move | undefined,
  of: Pick<ListDay, 'list_id' | 'day'>,
): GrowthDocument | null {
  if (move === undefined) return document ?? null;
  const before: ListDay = document?.kind === 'day' ? document : { kind: 'day', ...of, ...noMoves };
  return { ...before, [move]: before[move] + 1 };
}
