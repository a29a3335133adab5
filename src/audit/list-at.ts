/** A list as it was at a time, and who was in it. */
import type { Evidence, ListLine, MemberAt, UnreadableEvent } from './answers.js';
import { evidenceOf, summaryOf } from './event-descriptions.js';
import { begin, type AuditSources } from './basis.js';
import { addressIn, gather, type Member, type Pass } from './list-pass.js';
import { versionAt, type Catalogues, type Moment, type NameVersion, type NameVersions } from './names.js';
import { readableContact, streamPages } from './reading.js';
import { createUnreadableNotes, ownerOf, unreadableEvent, type Unreadable } from './unreadable.js';

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
  unreadable(): Unreadable;
};

/** @throws ServiceError `no_such_list` */
export async function listAt(sources: AuditSources, { list, time, signal }: ListAtRequest): Promise<ListAt> {
  const { reader, catalogues } = sources;
  const { moment, basis, listId = list } = await begin(sources, { times: [time], list, namedAt: time });
  const version = versionAt(moment.versions('list', listId) ?? [], time);
  const unreadable = createUnreadableNotes();
  const pass = { reader, moment, listId, time, signal, unreadable };
  return {
    list_id: listId,
    list_name: version?.name ?? null,
    time,
    ...basis,
    state: stateOf(version),
    because: version === undefined ? null : await evidence(version, moment, catalogues),
    members: () => members(pass, stateOf(version)),
    unreadable: unreadable.found,
  };
}

const stateOf = (version: NameVersion | undefined): ListAt['state'] =>
  version === undefined ? 'not_created' : version.isDeletion ? 'deleted' : 'living';

async function evidence(version: NameVersion, moment: Moment, catalogues: Catalogues): Promise<Evidence> {
  const recorded = await catalogues.eventOf('list', version);
  return evidenceOf(recorded, summaryOf(recorded, moment));
}

const membersAtOnce = 100;

async function* members(pass: Pass, state: ListAt['state']): AsyncGenerator<readonly MemberAt[]> {
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
async function emailOf(stream: string, { contactId, entered }: Member, pass: Pass): Promise<string | null> {
  const { reader, moment, signal, unreadable } = pass;
  const missed: UnreadableEvent[] = [];
  for await (const page of streamPages(reader, { stream, from: 0n, horizon: moment.horizon, size: 1, signal }))
    for (const stored of page) {
      if (stored.type !== 'ContactCreated') continue;
      const address = addressIn(stored, contactId);
      if (address !== undefined) return address;
      const mayBeIt = stored.position < entered && ownerOf(stored, contactId) === contactId;
      if (mayBeIt && readableContact(stored) === undefined) missed.push(unreadableEvent(stored, contactId));
    }
  for (const event of missed) unreadable.note(event);
  return null;
}

function tagsOf({ membership }: Member, names: Map<string, string | null>, { moment, time }: Pass): MemberAt['tags'] {
  const living = [...membership.tags].flatMap(([tag_id, { name: nameThen }]) => {
    let name = names.get(tag_id);
    if (name === undefined) names.set(tag_id, (name = nameAt(moment.versions('tag', tag_id), time, nameThen)));
    return name === null ? [] : [{ tag_id, tag_name: name }];
  });
  return living.sort((a, b) => (a.tag_id < b.tag_id ? -1 : 1));
}

/** Null: deleted at the time. */
function nameAt(versions: NameVersions | undefined, time: string, nameThen: string): string | null {
  const version = versions && versionAt(versions, time);
  if (version === undefined) return nameThen;
  return version.isDeletion ? null : version.name;
}
