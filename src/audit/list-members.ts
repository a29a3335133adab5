/** Who was in a list at a time, or at several: one pass over the log. Events of other lists are not even parsed, and of a member one small record is kept. */
import type { UnreadableEvent } from './answers.js';
import type { MemberAt } from './list-answers.js';
import {
  livingName,
  countsUntil,
  deletedTags,
  isOfList,
  memberEvents,
  membershipAfter,
  type ContactRecord,
  type Membership,
} from './timeline.js';
import type { CataloguesAsOf } from './names.js';
import { readableContact } from './decoding.js';
import { streamPages, type AuditReader } from './reading.js';
import { eventReference, type Because } from './event-descriptions.js';
import { ownerOf, timeOfUnreadable, unreadableEvent, type UnreadableNotes } from './unreadable.js';
import { codec } from '../events/codec.js';
import { lifeChange, lifeEvents } from '../events/contact.js';
import { isContactStream } from '../events/streams.js';
import type { StoredEvent } from '../eventstore/event-store.js';

export interface ListPass {
  readonly listId: string;
  readonly time: string;
  readonly signal: AbortSignal;
  readonly reader: AuditReader;
  readonly moment: CataloguesAsOf;
  /** Events that may be about the list and cannot be read. */
  readonly unreadable: UnreadableNotes;
  /** Hears of members that an event has ended. */
  readonly onEnd?: (stream: string, contactId: string, cause: Because) => void;
}

export interface Member {
  readonly contactId: string;
  /** Position of the first event in the list: from there on the pass notes creations in the stream that cannot be read. */
  readonly entered: string;
  /** Undefined if the creation was not the event before. Then it is read from the stream. */
  readonly creation: Creation | undefined;
  membership: Membership<Because>;
  /** When the contact was erased, after the time of the pass. */
  erasedAt: string | null;
}

type Creation = Pick<MemberAt, 'email' | 'created_at'>;

/** By stream, in the order of their first event in the list. */
export type Members = Map<string, Member>;

/** The members at the time of each pass, which all are of one list and one moment of the log: from one reading of it. */
export async function gather(passes: readonly ListPass[]): Promise<readonly Members[]> {
  const found = passes.map((): Members => new Map());
  const [first] = passes;
  if (first === undefined) return found;
  const { reader, moment, listId, signal } = first;
  const end = countsUntil(moment, ['list', listId]);
  let created: StoredEvent | undefined;
  for await (const page of reader.readAll({ signal })) {
    for (const stored of page) {
      if (stored.position > moment.horizon) return found;
      // After the deletion of the list only erasures of its members matter.
      if (stored.position > end && !lifeEvents.has(stored.type)) continue;
      if (stored.type === 'ContactCreated') created = stored;
      if (!mayConcern(stored, listId)) continue;
      for (const [at, pass] of passes.entries()) fold(found[at], stored, { ...pass, created });
    }
  }
  signal.throwIfAborted();
  return found;
}

function fold(found: Members | undefined, stored: StoredEvent, pass: MemberPass): void {
  if (found === undefined) return;
  if (lifeEvents.has(stored.type)) endLife(found, stored, pass);
  else take(found, stored, pass);
}

/** Most events of the log are about something else: they are not even parsed. One that names no list may be about any. */
function mayConcern({ type, data, stream }: StoredEvent, listId: string): boolean {
  if (lifeEvents.has(type)) return true;
  if (memberEvents.has(type)) return data.includes(listId) || !data.includes('"list_id":"');
  return !codec.knows(type) && isContactStream(stream);
}

interface MemberPass extends ListPass {
  readonly created: StoredEvent | undefined;
}

/** By an erasure, or by another contact in the stream. */
function endLife(found: Members, stored: StoredEvent, pass: ListPass): void {
  const member = found.get(stored.stream);
  if (member === undefined) return;
  const recorded = readableContact(stored);
  if (recorded === undefined) return noteUnreadable(found, stored, pass);
  const { event, metadata, revision } = recorded;
  const change = lifeChange(event, revision);
  if (change === undefined) return;
  if (metadata.at > pass.time) {
    if (change === 'ends' && event.data.contact_id === member.contactId) member.erasedAt = metadata.at;
    return;
  }
  found.delete(stored.stream);
  pass.onEnd?.(stored.stream, member.contactId, eventReference(recorded));
}

function noteUnreadable(found: Members, stored: StoredEvent, { time, unreadable }: ListPass): void {
  if ((timeOfUnreadable(stored) ?? time) > time) return;
  unreadable.note(unreadableEvent(stored, found.get(stored.stream)?.contactId ?? null));
}

function take(found: Members, stored: StoredEvent, taking: MemberPass): void {
  const { listId, time, moment, created } = taking;
  const recorded = readableContact(stored);
  if (recorded === undefined) return noteUnreadable(found, stored, taking);
  const { event, metadata } = recorded;
  if (!isOfList(event) || event.data.list_id !== listId || metadata.at > time) return;
  const member = found.get(stored.stream);
  const change = { event, voidTags: deletedTags(recorded, moment), cause: eventReference(recorded) };
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
  const creation = created?.stream === stream ? creationOf(created, contactId) : undefined;
  return { contactId, entered: position, creation, membership, erasedAt: null };
}

/** Returns undefined if the event is not the creation of the contact, or cannot be read. */
function creationOf(stored: StoredEvent, contactId: string): Creation | undefined {
  const recorded = readableContact(stored);
  const event = recorded?.event;
  if (event?.type !== 'ContactCreated' || event.data.contact_id !== contactId) return undefined;
  return { email: event.data.person?.email ?? null, created_at: recorded?.metadata.at ?? null };
}

interface ShowOptions extends ListPass {
  /** Of tags at the time, as they become known. */
  readonly names: Map<string, string | null>;
}

export async function showMember(stream: string, member: Member, options: ShowOptions): Promise<MemberAt> {
  const { contactId, membership, creation, erasedAt } = member;
  const { status, because } = membership;
  const { email, created_at } = creation ?? (await readCreation(stream, member, options));
  return {
    contact_id: contactId,
    email,
    status,
    tags: tagsOf(member, options),
    because,
    created_at,
    erased_at: erasedAt,
  };
}

/** Reads the creation of the contact, which is nearly always the first event of its stream. */
async function readCreation(stream: string, { contactId, entered }: Member, pass: ListPass): Promise<Creation> {
  const { reader, moment, signal, unreadable } = pass;
  const missed: UnreadableEvent[] = [];
  for await (const page of streamPages(reader, { stream, from: 0n, horizon: moment.horizon, size: 1, signal }))
    for (const stored of page) {
      if (stored.type !== 'ContactCreated') continue;
      const creation = creationOf(stored, contactId);
      if (creation !== undefined) return creation;
      const mayBeIt = stored.position < entered && ownerOf(stored, contactId) === contactId;
      if (mayBeIt && readableContact(stored) === undefined) missed.push(unreadableEvent(stored, contactId));
    }
  for (const event of missed) unreadable.note(event);
  return { email: null, created_at: null };
}

function tagsOf({ membership }: Member, { moment, time, names }: ShowOptions): MemberAt['tags'] {
  const living = [...membership.tags].flatMap(([tag_id, { name: nameThen }]) => {
    let name = names.get(tag_id);
    if (name === undefined) names.set(tag_id, (name = livingName(moment, ['tag', tag_id], { time, nameThen })));
    return name === null ? [] : [{ tag_id, tag_name: name }];
  });
  return living.sort((a, b) => (a.tag_id < b.tag_id ? -1 : 1));
}
