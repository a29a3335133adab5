/** Folds a contact's stream up to a time, and reads on for what changed each fact next. */
import { isLaterPart, type ContactEvent, type SubscriptionStatus } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { factOf, type ContactFold, type Life, type MembershipFacts, type TagHeld } from './contact-facts.js';
import { statusOf } from './event-descriptions.js';
import { consentOf } from './event-details.js';
import { isAfterDeletion, type Moment } from './names.js';
import { noteNextChange, noteUnreadable } from './next-changes.js';
import { profileOf, withChanges } from './profile.js';
import { readableContact, streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
import { timeOfUnreadable, unreadableEvent } from './unreadable.js';

type Created = Extract<ContactEvent, { type: 'ContactCreated' }>;

interface FoldRequest {
  readonly stream: string;
  readonly contactId?: string | undefined;
  readonly listId?: string | undefined;
  readonly time: string;
  readonly moment: Moment;
  readonly signal?: AbortSignal | undefined;
  readonly pace?: ReplayPace | undefined;
}

/** Most contacts have fewer events. Many replays may begin in one turn of the event loop. */
const firstPage = 64;

/** Undefined: there is no such stream. @throws StoreUnavailableError */
export async function foldContact(reader: AuditReader, request: FoldRequest): Promise<ContactFold | undefined> {
  const { stream, moment, signal, pace } = request;
  const state: ContactFold = {
    contactId: undefined,
    life: undefined,
    creation: undefined,
    erasure: undefined,
    memberships: new Map(),
    unreadable: [],
    nextUnreadable: undefined,
  };
  const walk = walkOver(state, request);
  let isEmpty = true;
  for await (const page of streamPages(reader, {
    stream,
    from: 0n,
    size: firstPage,
    horizon: moment.horizon,
    signal,
    pace,
  })) {
    isEmpty = false;
    for (const stored of page) walk.take(stored);
  }
  walk.end();
  return isEmpty ? undefined : state;
}

function walkOver(state: ContactFold, request: FoldRequest) {
  const { time, moment, contactId } = request;
  let isCut = false;
  /** The contact that the events belong to; it may be another one than asked for. */
  let current: string | undefined;
  const cut = (): void => {
    if (!isCut) leaveOthers(state, contactId);
    isCut = true;
  };

  const cutAt = (at: string | undefined): void => {
    if (at === undefined) return;
    if (at > time) cut();
    // Events without a time were before it as well: times never run backwards in a stream.
    else if (!isCut) state.nextUnreadable = undefined;
  };

  function pass(stored: StoredEvent, at: string | undefined): void {
    if (!isCut) state.unreadable.push(unreadableEvent(stored, state.contactId ?? null));
    if (isCut || at === undefined) noteUnreadable(state, { stored, current, asked: contactId });
  }

  return {
    take(stored: StoredEvent): void {
      const recorded = readableContact(stored);
      const at = recorded?.metadata.at ?? timeOfUnreadable(stored);
      cutAt(at);
      if (recorded === undefined) return pass(stored, at);
      const { event, revision } = recorded;
      if (event.type === 'ContactErased' && isLaterPart(event.data, revision)) return;
      current = event.data.contact_id;
      if (isVoid(recorded, moment)) return;
      if (isCut) noteNextChange(state, recorded, request);
      else fold(state, recorded, moment);
    },
    end: cut,
  };
}

/** An answer about one contact does not name another that had the address then. */
function leaveOthers(state: ContactFold, contactId: string | undefined): void {
  if (contactId === undefined) return;
  state.unreadable = state.unreadable.filter(({ contact_id }) => (contact_id ?? contactId) === contactId);
  if (state.contactId === contactId) return;
  state.contactId = undefined;
  state.life = undefined;
  state.erasure = undefined;
  state.memberships = new Map();
  state.nextUnreadable = undefined;
}

function isVoid({ event: { data }, position }: Recorded<ContactEvent>, moment: Moment): boolean {
  return 'list_id' in data && isAfterDeletion(moment.versions('list', data.list_id), position);
}

function fold(state: ContactFold, recorded: Recorded<ContactEvent>, moment: Moment): void {
  const { event } = recorded;
  state.contactId = event.data.contact_id;
  switch (event.type) {
    case 'ContactCreated':
      state.life = lifeOf(event, recorded);
      state.erasure = undefined;
      state.memberships = new Map();
      return;
    case 'ContactProfileChanged':
      if (state.life === undefined) return;
      state.life.profile = withChanges(state.life.profile, event.data.person);
      state.life.profileFact = factOf(recorded);
      return;
    case 'ContactSubscribed':
    case 'ContactUnsubscribed':
      setStatus(state, { name: event.data.list_name, status: statusOf(event), recorded }, event.data.list_id);
      return;
    case 'ConsentRecorded':
      setConsent(state.memberships.get(event.data.list_id), recorded);
      return;
    case 'TagsAttached':
      for (const { tag_id, tag_name } of event.data.tags) {
        const tags = state.memberships.get(event.data.list_id)?.tags;
        if (tags?.has(tag_id) !== false || isAfterDeletion(moment.versions('tag', tag_id), recorded.position)) continue;
        tags.set(tag_id, { name: tag_name, fact: factOf(recorded) });
      }
      return;
    case 'TagsDetached':
      for (const { tag_id } of event.data.tags) state.memberships.get(event.data.list_id)?.tags.delete(tag_id);
      return;
    case 'ContactErased':
      state.life = undefined;
      state.erasure = recorded;
      state.memberships = new Map();
      return;
    default:
      return event satisfies never;
  }
}

function lifeOf({ data }: Created, recorded: Recorded<ContactEvent>): Life {
  const profile = profileOf(data.person);
  return { contactId: data.contact_id, created: recorded, profile, profileFact: factOf(recorded) };
}

function setStatus(
  { memberships }: ContactFold,
  { name, status, recorded }: { name: string; status: SubscriptionStatus; recorded: Recorded<ContactEvent> },
  listId: string,
): void {
  const before = memberships.get(listId);
  const membership: MembershipFacts = {
    name,
    status,
    fact: factOf(recorded),
    consent: before?.consent,
    tags: before?.tags ?? new Map<string, TagHeld>(),
  };
  memberships.set(listId, membership);
  setConsent(membership, recorded);
}

function setConsent(membership: MembershipFacts | undefined, recorded: Recorded<ContactEvent>): void {
  const consent = consentOf(recorded);
  if (membership !== undefined && consent !== undefined) membership.consent = { consent, because: recorded };
}
