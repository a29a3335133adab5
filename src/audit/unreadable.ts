/** Events that this version of the service cannot read: how every audit answer names them, so that none passes over one in silence. */
import { codec } from '../events/codec.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { CitedEvent, UnreadableEvent } from './answers.js';
import { originOf } from './origin.js';
import { jsonOrText } from './redaction.js';
import { unknownDescription, unreadableDescription } from './event-descriptions.js';

/** The contact that an event belongs to: as the event says, else `contactId`, the contact of the stream until then. */
export const ownerOf = ({ data }: StoredEvent, contactId: string | null): string | null =>
  contactIdIn(jsonOrText(data)) ?? contactId;

function contactIdIn(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('contact_id' in data)) return undefined;
  return typeof data.contact_id === 'string' ? data.contact_id : undefined;
}

/** `contactId` as for `ownerOf`. */
export function unreadableEvent(stored: StoredEvent, contactId: string | null): UnreadableEvent {
  const { id, type, stream, revision, position, metadata } = stored;
  return {
    event_id: id,
    type,
    summary: codec.knows(type) ? unreadableDescription : unknownDescription,
    ...knownOf(metadata),
    stream,
    revision: Number(revision),
    position,
    contact_id: ownerOf(stored, contactId),
  };
}

/** The metadata may be readable where the data are not, as where these were replaced by their digest. */
function knownOf(metadata: string): Partial<CitedEvent> {
  const { at, actor, request_id, correlation_id, causation_id } = originOf(metadata);
  if (at === null || actor === null || request_id === null || correlation_id === null || causation_id === null)
    return {};
  return { at, actor, request_id, correlation_id, causation_id };
}

/** When it happened; undefined where its metadata cannot be read either. */
export const timeOfUnreadable = ({ metadata }: StoredEvent): string | undefined => originOf(metadata).at ?? undefined;

export interface UnreadableSummary {
  readonly count: number;
  /** In the order in which they were met; the first thousand. */
  readonly events: readonly UnreadableEvent[];
}

export interface UnreadableNotes {
  /** Call it once per event: not all of them are remembered. */
  note(event: UnreadableEvent): void;
  found(): UnreadableSummary;
}

/** A later version may have written many such events: memory must not grow with them. */
const kept = 1_000;

export function createUnreadableNotes(): UnreadableNotes {
  const events: UnreadableEvent[] = [];
  let count = 0;
  return {
    note(event) {
      count += 1;
      if (events.length < kept) events.push(event);
    },
    found: () => ({ count, events: [...events] }),
  };
}
