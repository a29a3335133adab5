/** One pass over the log for the members of a list at a time: events of other lists are not even parsed, and of a member one small record is kept. */
import { codec } from '../events/codec.js';
import { lifeChange, lifeEvents } from '../events/contact.js';
import { isContactStream } from '../events/streams.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { MemberAt } from './answers.js';
import { deletionOf, type Moment } from './names.js';
import { readableContact, type AuditReader } from './reading.js';
import {
  deletedTags,
  isOfList,
  memberEvents,
  membershipAfter,
  type ContactRecord,
  type Membership,
} from './timeline.js';
import { timeOfUnreadable, unreadableEvent, type UnreadableNotes } from './unreadable.js';

export interface Pass {
  readonly listId: string;
  readonly time: string;
  readonly signal: AbortSignal;
  readonly reader: AuditReader;
  readonly moment: Moment;
  /** Events that may be about the list and cannot be read. */
  readonly unreadable: UnreadableNotes;
}

export interface Member {
  readonly contactId: string;
  /** Position of the first event in the list: from there on the pass notes creations in the stream that cannot be read. */
  readonly entered: string;
  /** Null: it was erased. Undefined where the creation was not the event before: then it is read from the stream. */
  readonly email: string | null | undefined;
  membership: Membership<Because>;
}

type Because = MemberAt['because'];

export async function gather(pass: Pass): Promise<Map<string, Member>> {
  const { reader, moment, listId, signal } = pass;
  const found = new Map<string, Member>();
  const deletion = deletionOf(moment.versions('list', listId));
  // What was written after the deletion of the list does not count, whatever its time.
  const end = deletion !== undefined && deletion.position < moment.horizon ? deletion.position : moment.horizon;
  let created: StoredEvent | undefined;
  for await (const page of reader.readAll({ signal })) {
    for (const stored of page) {
      if (stored.position > end) return found;
      if (stored.type === 'ContactCreated') created = stored;
      if (lifeEvents.has(stored.type)) endLife(found, stored, pass);
      else if (mayConcern(stored, listId)) take(found, stored, { ...pass, created });
    }
  }
  signal.throwIfAborted();
  return found;
}

/** Most events of the log are about something else: they are not even parsed. One that names no list may be about any. */
function mayConcern({ type, data, stream }: StoredEvent, listId: string): boolean {
  if (memberEvents.has(type)) return data.includes(listId) || !data.includes('"list_id":"');
  return !codec.knows(type) && isContactStream(stream);
}

interface Taking extends Pass {
  readonly created: StoredEvent | undefined;
}

/** By an erasure, or by another contact in the stream. */
function endLife(found: Map<string, Member>, stored: StoredEvent, pass: Pass): void {
  if (!found.has(stored.stream)) return;
  const recorded = readableContact(stored);
  if (recorded === undefined) return noteUnreadable(found, stored, pass);
  const { event, metadata, revision } = recorded;
  if (lifeChange(event, revision) === undefined) return;
  if (metadata.at <= pass.time) found.delete(stored.stream);
}

function noteUnreadable(found: Map<string, Member>, stored: StoredEvent, { time, unreadable }: Pass): void {
  if ((timeOfUnreadable(stored) ?? time) > time) return;
  unreadable.note(unreadableEvent(stored, found.get(stored.stream)?.contactId ?? null));
}

function take(found: Map<string, Member>, stored: StoredEvent, taking: Taking): void {
  const { listId, time, moment, created } = taking;
  const recorded = readableContact(stored);
  if (recorded === undefined) return noteUnreadable(found, stored, taking);
  const { event, metadata } = recorded;
  if (!isOfList(event) || event.data.list_id !== listId || metadata.at > time) return;
  const member = found.get(stored.stream);
  const change = { event, voidTags: deletedTags(recorded, moment), cause: becauseOf(recorded) };
  const membership = membershipAfter(member?.membership, change);
  if (membership === undefined) return;
  if (member !== undefined) member.membership = membership;
  else found.set(stored.stream, newMember(recorded, membership, created));
}

function newMember(
  { event, stream, position }: ContactRecord,
  membership: Membership<Because>,
  created: StoredEvent | undefined,
): Member {
  const contactId = event.data.contact_id;
  const email = created?.stream === stream ? addressIn(created, contactId) : undefined;
  return { contactId, entered: position, email, membership };
}

const becauseOf = ({ id, event, metadata, position }: ContactRecord): Because => ({
  event_id: id,
  type: event.type,
  at: metadata.at,
  actor: metadata.actor,
  request_id: metadata.request_id,
  position,
});

/** Null: it was erased. Undefined: it is not the contact's creation, or cannot be read. */
export function addressIn(stored: StoredEvent, contactId: string): string | null | undefined {
  const event = readableContact(stored)?.event;
  if (event?.type !== 'ContactCreated' || event.data.contact_id !== contactId) return undefined;
  return event.data.person?.email ?? null;
}
