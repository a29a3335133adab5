/** Folds a contact's stream up to a time, and on from there to what changed each fact next. */
import type { ContactEvent, SubscriptionStatus } from '../events/contact.js';
import type { DomainEvent } from '../events/codec.js';
import type { Recorded } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { consentOf, type Consent } from './event-details.js';
import { isAfterDeletion, type Moment, type NamedKind, type NameVersion } from './names.js';
import { profileOf, withChanges, type ProfileValues } from './profile.js';
import { readableContact, streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
import { ownerOf, timeOfUnreadable, unreadableEvent, type UnreadableEvent } from './unreadable.js';
import { statusOf } from './event-descriptions.js';

/** An event of the contact, or the deletion of a list or tag. */
export type Cause = Recorded<DomainEvent> | { readonly kind: NamedKind; readonly version: NameVersion };

export interface Fact {
  /** Undefined: nothing, it never was otherwise. */
  readonly because: Cause | undefined;
  /** The first event of the contact after the time that changes it. */
  next: Cause | undefined;
}

export interface Membership {
  /** As it was in the last event. */
  readonly name: string;
  /** Null: not yet in the list; then `next` is the entry. */
  readonly status: SubscriptionStatus | null;
  readonly fact: Fact;
  consent: { readonly consent: Consent; readonly because: Cause } | undefined;
  /** Deleted tags are still among them. */
  readonly tags: Map<string, TagHeld>;
}

interface TagHeld {
  /** As it was when it was attached. */
  readonly name: string;
  readonly fact: Fact;
}

type Created = Extract<ContactEvent, { type: 'ContactCreated' }>;

export interface Life {
  readonly contactId: string;
  readonly created: Recorded<ContactEvent>;
  profile: ProfileValues;
  profileFact: Fact;
}

export interface ContactFold {
  /** Whose the last event before the cut was; undefined where there was none that could be read. */
  readonly contactId: string | undefined;
  /** Undefined: no such contact at the time, or its creation is among what cannot be read. */
  readonly life: Life | undefined;
  /** Where there is no life: the creation that came later. */
  readonly creation: Cause | undefined;
  /** By list id, of that life; deleted lists are still among them. */
  readonly memberships: ReadonlyMap<string, Membership>;
  /** Events at or before the time, in log order, that are not folded: what they changed is not known. */
  readonly unreadable: readonly UnreadableEvent[];
  /** The first that is not folded, may be after the time and about this contact: a `next` behind it may not be the next. */
  readonly nextUnreadable: UnreadableEvent | undefined;
}

export interface FoldRequest {
  readonly stream: string;
  readonly contactId?: string | undefined;
  /** Also when the contact is not in it yet. */
  readonly listId?: string | undefined;
  readonly time: string;
  readonly moment: Moment;
  readonly signal?: AbortSignal | undefined;
  readonly pace?: ReplayPace | undefined;
}

/** Most contacts have fewer events. Many replays may begin in one turn of the event loop. */
const firstPage = 64;

/** While it is folded. */
interface State {
  contactId: string | undefined;
  life: Life | undefined;
  creation: Recorded<ContactEvent> | undefined;
  memberships: Map<string, Membership>;
  unreadable: UnreadableEvent[];
  nextUnreadable: UnreadableEvent | undefined;
}

/** Undefined: there is no such stream. @throws StoreUnavailableError */
export async function foldContact(reader: AuditReader, request: FoldRequest): Promise<ContactFold | undefined> {
  const { stream, moment, signal, pace } = request;
  const state: State = {
    contactId: undefined,
    life: undefined,
    creation: undefined,
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

function walkOver(state: State, request: FoldRequest) {
  const { time, moment, contactId } = request;
  let isCut = false;
  /** Whose the stream is; a contact that is not asked for, too. */
  let current: string | undefined;
  const cut = (): void => {
    if (!isCut) leaveOthers(state, contactId);
    isCut = true;
  };

  const cutAt = (at: string | undefined): void => {
    if (at === undefined) return;
    if (at > time) cut();
    // What had no time was before it, too: times never run backwards in a stream.
    else if (!isCut) state.nextUnreadable = undefined;
  };

  function pass(stored: StoredEvent, at: string | undefined): void {
    if (!isCut) state.unreadable.push(unreadableEvent(stored, state.contactId ?? null));
    if (isCut || at === undefined) lookAtUnreadable(state, { stored, current, asked: contactId });
  }

  return {
    take(stored: StoredEvent): void {
      const recorded = readableContact(stored);
      const at = recorded?.metadata.at ?? timeOfUnreadable(stored);
      cutAt(at);
      if (recorded === undefined) return pass(stored, at);
      current = recorded.event.data.contact_id;
      if (isVoid(recorded, moment)) return;
      if (isCut) look(state, recorded, request);
      else fold(state, recorded, moment);
    },
    end: cut,
  };
}

/** An answer about one contact does not name another that had the address then. */
function leaveOthers(state: State, contactId: string | undefined): void {
  if (contactId === undefined) return;
  state.unreadable = state.unreadable.filter(({ contact_id }) => (contact_id ?? contactId) === contactId);
  if (state.contactId === contactId) return;
  state.contactId = undefined;
  state.life = undefined;
  state.memberships = new Map();
  state.nextUnreadable = undefined;
}

function isVoid({ event: { data }, position }: Recorded<ContactEvent>, moment: Moment): boolean {
  return 'list_id' in data && isAfterDeletion(moment.versions('list', data.list_id), position);
}

const factOf = (because: Cause): Fact => ({ because, next: undefined });

/** Before the cut: what was so. */
function fold(state: State, recorded: Recorded<ContactEvent>, moment: Moment): void {
  const { event } = recorded;
  state.contactId = event.data.contact_id;
  switch (event.type) {
    case 'ContactCreated':
      state.life = lifeOf(event, recorded);
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
    default:
      return event satisfies never;
  }
}

function lifeOf({ data }: Created, recorded: Recorded<ContactEvent>): Life {
  const profile = profileOf(data.person);
  return { contactId: data.contact_id, created: recorded, profile, profileFact: factOf(recorded) };
}

function setStatus(
  { memberships }: State,
  { name, status, recorded }: { name: string; status: SubscriptionStatus; recorded: Recorded<ContactEvent> },
  listId: string,
): void {
  const before = memberships.get(listId);
  const membership: Membership = {
    name,
    status,
    fact: factOf(recorded),
    consent: before?.consent,
    tags: before?.tags ?? new Map<string, TagHeld>(),
  };
  memberships.set(listId, membership);
  setConsent(membership, recorded);
}

function setConsent(membership: Membership | undefined, recorded: Recorded<ContactEvent>): void {
  const consent = consentOf(recorded);
  if (membership !== undefined && consent !== undefined) membership.consent = { consent, because: recorded };
}

/** After the cut: what changed it next. */
function look(state: State, recorded: Recorded<ContactEvent>, { contactId, listId }: FoldRequest): void {
  const { event } = recorded;
  if (event.type === 'ContactCreated') begin(state, recorded, contactId);
  else if (event.data.contact_id === soughtIn(state, contactId)) change(state, recorded, listId);
}

const soughtIn = ({ contactId, creation }: State, asked: string | undefined): string | undefined =>
  contactId ?? asked ?? creation?.event.data.contact_id;

interface UnreadableFound {
  readonly stored: StoredEvent;
  readonly current: string | undefined;
  readonly asked: string | undefined;
}

/** What is certainly of another contact that has the stream changes nothing here. Anything else may, be it by another's creation. */
function lookAtUnreadable(state: State, { stored, current, asked }: UnreadableFound): void {
  if (state.nextUnreadable !== undefined) return;
  // Before its creation is found, an event that names no contact may be it.
  const until = state.contactId === undefined ? null : (current ?? null);
  const owner = ownerOf(stored, until);
  if (owner === null || owner !== current || owner === soughtIn(state, asked))
    state.nextUnreadable = unreadableEvent(stored, until);
}

/** Another life of the stream ends all that was so; where there was none, it may be the one that is asked for. */
function begin(state: State, recorded: Recorded<ContactEvent>, contactId: string | undefined): void {
  if (state.life !== undefined) for (const fact of factsOf(state, state.life)) fact.next ??= recorded;
  else if (contactId === undefined || contactId === recorded.event.data.contact_id) state.creation ??= recorded;
}

function* factsOf({ memberships }: State, { profileFact }: Life): Generator<Fact> {
  yield profileFact;
  for (const { fact, tags } of memberships.values()) {
    yield fact;
    for (const tag of tags.values()) yield tag.fact;
  }
}

function change(state: State, recorded: Recorded<ContactEvent>, listId: string | undefined): void {
  const { event } = recorded;
  switch (event.type) {
    case 'ContactProfileChanged':
      if (state.life !== undefined) state.life.profileFact.next ??= recorded;
      return;
    case 'ContactSubscribed':
    case 'ContactUnsubscribed': {
      const { list_id, list_name } = event.data;
      const known = state.memberships.get(list_id);
      if (known !== undefined) known.fact.next ??= recorded;
      else if (list_id === listId) state.memberships.set(list_id, entering(list_name, recorded));
      return;
    }
    case 'TagsDetached':
      for (const tag of heldOf(state, event.data)) tag.fact.next ??= recorded;
      return;
    case 'ContactCreated':
    case 'ConsentRecorded':
    case 'TagsAttached':
      return;
    default:
      return event satisfies never;
  }
}

function heldOf(
  { memberships }: State,
  { list_id, tags }: Extract<ContactEvent, { type: 'TagsDetached' }>['data'],
): readonly TagHeld[] {
  const held = memberships.get(list_id)?.tags;
  return tags.flatMap(({ tag_id }) => held?.get(tag_id) ?? []);
}

const entering = (name: string, recorded: Recorded<ContactEvent>): Membership => ({
  name,
  status: null,
  fact: { because: undefined, next: recorded },
  consent: undefined,
  tags: new Map(),
});
