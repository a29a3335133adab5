/** A list as it was at a time, and who was in it: one pass over the log. Events of other lists are not even parsed, and of a member one small record is kept. */
import type { CitedEvent, ListLine, MemberAt, UnreadableEvent } from './answers.js';
import { citedEvent, summaryOf } from './event-descriptions.js';
import { openAuditContext, type AuditSources } from './basis.js';
import { versionAt, type Catalogues, type CataloguesAsOf, type NameVersion } from './names.js';
import { readableContact } from './decoding.js';
import { streamPages, type AuditReader } from './reading.js';
import {
  createUnreadableNotes,
  ownerOf,
  timeOfUnreadable,
  unreadableEvent,
  type UnreadableSummary,
  type UnreadableNotes,
} from './unreadable.js';
import { codec } from '../events/codec.js';
import { lifeChange, lifeEvents } from '../events/contact.js';
import { isContactStream } from '../events/streams.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import {
  countsUntil,
  deletedTags,
  isOfList,
  livingName,
  memberEvents,
  membershipAfter,
  type ContactRecord,
  type Membership,
} from './timeline.js';

export interface ListAtRequest {
  /** Id or name. */
  readonly list: string;
  /** Every stream is cut after its last event at or before it. ISO 8601, UTC, milliseconds. */
  readonly time: string;
  readonly signal: AbortSignal;
}

export type ListAt = Omit<ListLine, 'line'> & {
  /** In the order of their first event in the list, some at a time. Ends early, with the signal's reason, when that aborts. */
  members(): AsyncIterable<readonly MemberAt[]>;
  /** Events at or before the time that may be about the list and cannot be read. Known when the members have been gone through. */
  unreadable(): UnreadableSummary;
};

/** @throws ServiceError `no_such_list` */
export async function listAt(sources: AuditSources, { list, time, signal }: ListAtRequest): Promise<ListAt> {
  const { reader, catalogues } = sources;
  const { moment, basis, listId = list } = await openAuditContext(sources, { times: [time], list, namedAt: time });
  const version = versionAt(moment.versions('list', listId) ?? [], time);
  const unreadable = createUnreadableNotes();
  const pass = { reader, moment, listId, time, signal, unreadable };
  return {
    list_id: listId,
    list_name: version?.name ?? null,
    time,
    ...basis,
    state: stateOf(version),
    because: version === undefined ? null : await cite(version, moment, catalogues),
    members: () => members(pass, stateOf(version)),
    unreadable: unreadable.found,
  };
}

const stateOf = (version: NameVersion | undefined): ListAt['state'] =>
  version === undefined ? 'not_created' : version.isDeletion ? 'deleted' : 'living';

async function cite(version: NameVersion, moment: CataloguesAsOf, catalogues: Catalogues): Promise<CitedEvent> {
  const recorded = await catalogues.eventOf('list', version);
  return citedEvent(recorded, summaryOf(recorded, moment));
}

const membersAtOnce = 100;

async function* members(pass: ListPass, state: ListAt['state']): AsyncGenerator<readonly MemberAt[]> {
  if (state !== 'living') return;
  const found = await gather(pass);
  const names = new Map<string, string | null>();
  let some: MemberAt[] = [];
  for (const [stream, member] of found) {
    // Forget what has been shown.
    found.delete(stream);
    const email = member.email === undefined ? await emailOf(stream, member, pass) : member.email;
    some.push(shown(member, email, tagsOf(member, names, pass)));
    if (some.length < membersAtOnce) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

function shown({ contactId, membership }: Member, email: string | null, tags: MemberAt['tags']): MemberAt {
  const { status, because } = membership;
  return { contact_id: contactId, email, status, tags, because };
}

/** Of the contact's creation, which is nearly always the first event of its stream. */
async function emailOf(stream: string, { contactId, entered }: Member, pass: ListPass): Promise<string | null> {
  const { reader, moment, signal, unreadable } = pass;
  const missed: UnreadableEvent[] = [];
  for await (const page of streamPages(reader, { stream, from: 0n, horizon: moment.horizon, size: 1, signal }))
    for (const stored of page) {
      if (stored.type !== 'ContactCreated') continue;
      const address = addressOfCreation(stored, contactId);
      if (address !== undefined) return address;
      const mayBeIt = stored.position < entered && ownerOf(stored, contactId) === contactId;
      if (mayBeIt && readableContact(stored) === undefined) missed.push(unreadableEvent(stored, contactId));
    }
  for (const event of missed) unreadable.note(event);
  return null;
}

function tagsOf(
  { membership }: Member,
  names: Map<string, string | null>,
  { moment, time }: ListPass,
): MemberAt['tags'] {
  const living = [...membership.tags].flatMap(([tag_id, { name: nameThen }]) => {
    let name = names.get(tag_id);
    if (name === undefined) names.set(tag_id, (name = livingName(moment, ['tag', tag_id], { time, nameThen })));
    return name === null ? [] : [{ tag_id, tag_name: name }];
  });
  return living.sort((a, b) => (a.tag_id < b.tag_id ? -1 : 1));
}

interface ListPass {
  readonly listId: string;
  readonly time: string;
  readonly signal: AbortSignal;
  readonly reader: AuditReader;
  readonly moment: CataloguesAsOf;
  /** Events that may be about the list and cannot be read. */
  readonly unreadable: UnreadableNotes;
}

interface Member {
  readonly contactId: string;
  /** Position of the first event in the list: from there on the pass notes creations in the stream that cannot be read. */
  readonly entered: string;
  /** Null: it was erased. Undefined where the creation was not the event before: then it is read from the stream. */
  readonly email: string | null | undefined;
  membership: Membership<Because>;
}

type Because = MemberAt['because'];

async function gather(pass: ListPass): Promise<Map<string, Member>> {
  const { reader, moment, listId, signal } = pass;
  const found = new Map<string, Member>();
  const end = countsUntil(moment, ['list', listId]);
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

interface MemberPass extends ListPass {
  readonly created: StoredEvent | undefined;
}

/** By an erasure, or by another contact in the stream. */
function endLife(found: Map<string, Member>, stored: StoredEvent, pass: ListPass): void {
  if (!found.has(stored.stream)) return;
  const recorded = readableContact(stored);
  if (recorded === undefined) return noteUnreadable(found, stored, pass);
  const { event, metadata, revision } = recorded;
  if (lifeChange(event, revision) === undefined) return;
  if (metadata.at <= pass.time) found.delete(stored.stream);
}

function noteUnreadable(found: Map<string, Member>, stored: StoredEvent, { time, unreadable }: ListPass): void {
  if ((timeOfUnreadable(stored) ?? time) > time) return;
  unreadable.note(unreadableEvent(stored, found.get(stored.stream)?.contactId ?? null));
}

function take(found: Map<string, Member>, stored: StoredEvent, taking: MemberPass): void {
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
  const email = created?.stream === stream ? addressOfCreation(created, contactId) : undefined;
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
function addressOfCreation(stored: StoredEvent, contactId: string): string | null | undefined {
  const event = readableContact(stored)?.event;
  if (event?.type !== 'ContactCreated' || event.data.contact_id !== contactId) return undefined;
  return event.data.person?.email ?? null;
}
