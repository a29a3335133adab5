/** A contact through time: the rules by which the events of its stream make what is so of it. Every answer about contacts folds by them. */
import { lifeChange, noProfile, profileFields, type ContactEvent, type SubscriptionStatus } from '../events/contact.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { ProfileValues } from './answers.js';
import { consentOf, statusOf } from './event-descriptions.js';
import { deletionOf, versionAt, type CataloguesAsOf, type NamedKind } from './names.js';
import { readableContact } from './decoding.js';
import { timeOfUnreadable } from './unreadable.js';

export type ContactRecord = RecordedEvent<ContactEvent>;

/** `Cause`: what is remembered of the event that made a fact so. */
export interface Membership<Cause> {
  /** Of the list, when the event was written. */
  readonly name: string;
  readonly status: SubscriptionStatus;
  readonly because: Cause;
  /** The last event with a consent. */
  readonly consent: Cause | undefined;
  readonly tags: ReadonlyMap<string, AttachedTag<Cause>>;
}

interface AttachedTag<Cause> {
  /** When it was attached. */
  readonly name: string;
  readonly because: Cause;
}

interface Life {
  readonly created: ContactRecord;
  readonly profile: ProfileValues;
  /** What made the profile so. */
  readonly because: ContactRecord;
}

export type Memberships = ReadonlyMap<string, Membership<ContactRecord>>;

/** Immutable: each step makes a new one, so that a page can begin where another ended. */
export interface TimelineState {
  /** Of the last event that could be read; `null` before it. */
  readonly contactId: string | null;
  /** Undefined: there is no such contact, or its creation cannot be read. */
  readonly life: Life | undefined;
  /** What ended the last life. Undefined: another one has begun. */
  readonly erasure: ContactRecord | undefined;
  /** By list id. */
  readonly memberships: Memberships;
  /** Of the last step, `''` before the first. */
  readonly position: string;
  readonly nextRevision: bigint;
}

const nowhere: Memberships = new Map();

export const initialState: TimelineState = {
  contactId: null,
  life: undefined,
  erasure: undefined,
  memberships: nowhere,
  position: '',
  nextRevision: 0n,
};

interface StateChange {
  readonly before: TimelineState;
  readonly after: TimelineState;
}

interface ContactStep extends StateChange {
  readonly type: 'contact';
  readonly recorded: ContactRecord;
  readonly at: string;
  /** Written after the deletion of its list: it never counted. */
  readonly isVoid: boolean;
  /** Ids of tags of the event that were deleted before it was written. */
  readonly voidTags: readonly string[];
}

/** Of a type or shape that this version does not know: shown, and without effect. */
interface UnreadableStep extends StateChange {
  readonly type: 'unreadable';
  readonly stored: StoredEvent;
  readonly at: string | undefined;
}

export type StreamStep = ContactStep | UnreadableStep;

/** What the next event of the stream does. Lists and tags that were deleted afterwards stay in the state. */
export function stepOf(stored: StoredEvent, before: TimelineState, moment: CataloguesAsOf): StreamStep {
  const recorded = readableContact(stored);
  if (recorded === undefined) {
    const after = moved(before, before, stored);
    return { type: 'unreadable', stored, at: timeOfUnreadable(stored), after, before };
  }
  const { event, position, metadata } = recorded;
  const isVoid = isOfList(event) && position > countsUntil(moment, ['list', event.data.list_id]);
  const voidTags = deletedTags(recorded, moment);
  const facts = isVoid ? before : evolve(before, recorded, voidTags);
  // The id of this event, because the creation may be unreadable.
  const contactId = isLaterErasure(recorded) ? before.contactId : event.data.contact_id;
  const after = moved(facts, { contactId }, stored);
  return { type: 'contact', recorded, at: metadata.at, isVoid, voidTags, after, before };
}

type Facts = Pick<TimelineState, 'life' | 'erasure' | 'memberships'>;

const moved = (
  { life, erasure, memberships }: Facts,
  { contactId }: Pick<TimelineState, 'contactId'>,
  { position, revision }: StoredEvent,
): TimelineState => ({ contactId, life, erasure, memberships, position, nextRevision: revision + 1n });

/** An earlier event of the erasure has ended the contact. */
const isLaterErasure = ({ event, revision }: ContactRecord): boolean =>
  event.type === 'ContactErased' && lifeChange(event, revision) === undefined;

const noIds: readonly string[] = [];

/** Of the tags in the event. */
export function deletedTags({ event, position }: ContactRecord, moment: CataloguesAsOf): readonly string[] {
  if (!('tags' in event.data)) return noIds;
  const ids = event.data.tags.map(({ tag_id }) => tag_id);
  return ids.filter((id) => position > countsUntil(moment, ['tag', id]));
}

function evolve(before: Facts, recorded: ContactRecord, voidTags: readonly string[]): Facts {
  const { event } = recorded;
  const { life, erasure, memberships } = before;
  switch (event.type) {
    case 'ContactCreated': {
      const { person } = event.data;
      const profile = withChanges({ email: person?.email ?? null, ...noProfile }, person);
      return { life: { created: recorded, profile, because: recorded }, erasure: undefined, memberships: nowhere };
    }
    case 'ContactProfileChanged': {
      if (life === undefined) return before;
      const profile = withChanges(life.profile, event.data.person);
      return { life: { created: life.created, profile, because: recorded }, erasure, memberships };
    }
    case 'ContactErased':
      return isLaterErasure(recorded) ? before : { life: undefined, erasure: recorded, memberships: nowhere };
    default: {
      const { list_id } = event.data;
      const known = memberships.get(list_id);
      const membership = membershipAfter(known, { event, voidTags, cause: recorded });
      if (membership === undefined || membership === known) return before;
      return { life, erasure, memberships: new Map(memberships).set(list_id, membership) };
    }
  }
}

type Changes = Extract<ContactEvent, { type: 'ContactProfileChanged' }>['data']['person'];

/** `changes` is null where they were erased. */
function withChanges(profile: ProfileValues, changes: Changes): ProfileValues {
  const result = { ...profile };
  for (const field of profileFields) {
    const value = changes?.[field];
    if (value !== undefined) result[field] = value;
  }
  return result;
}

/** What adds a member to a list or changes one. */
export const memberEvents: ReadonlySet<string> = new Set<ContactEvent['type']>([
  'ContactSubscribed',
  'ContactUnsubscribed',
  'TagsAttached',
  'TagsDetached',
]);

type ListEvent = Extract<ContactEvent, { data: { list_id: string } }>;

export const isOfList = (event: ContactEvent): event is ListEvent => 'list_id' in event.data;

interface ListChange<Cause> {
  readonly event: ListEvent;
  readonly voidTags: readonly string[];
  readonly cause: Cause;
}

const noTags: ReadonlyMap<string, never> = new Map<string, never>();

/** Undefined: the contact is not in the list. */
export function membershipAfter<Cause>(
  before: Membership<Cause> | undefined,
  { event, voidTags, cause }: ListChange<Cause>,
): Membership<Cause> | undefined {
  const consent = consentOf(event) === undefined ? before?.consent : cause;
  switch (event.type) {
    case 'ContactSubscribed':
    case 'ContactUnsubscribed': {
      const { list_name: name } = event.data;
      return { name, status: statusOf(event), because: cause, consent, tags: before?.tags ?? noTags };
    }
    case 'ConsentRecorded':
      return before && { ...before, consent };
    case 'TagsAttached': {
      if (before === undefined) return undefined;
      const added = event.data.tags.filter(({ tag_id: id }) => !before.tags.has(id) && !voidTags.includes(id));
      const entries = added.map(({ tag_id, tag_name: name }) => [tag_id, { name, because: cause }] as const);
      return { ...before, tags: new Map([...before.tags, ...entries]) };
    }
    case 'TagsDetached': {
      if (before === undefined) return undefined;
      const ids = new Set(event.data.tags.map(({ tag_id }) => tag_id));
      return { ...before, tags: new Map([...before.tags].filter(([id]) => !ids.has(id))) };
    }
    default:
      return event satisfies never;
  }
}

// What a deletion does: it takes the list from its members, or the tag from its bearers, for ever.

type NamedId = readonly [kind: NamedKind, id: string];

/** The last position at which an event can be about the list or tag: what was written after its deletion does not count, whatever its time. */
export const countsUntil = (moment: CataloguesAsOf, [kind, id]: NamedId): string =>
  deletionOf(moment.versions(kind, id))?.position ?? moment.horizon;

/** The name at a time, before the creation `nameThen`. Null: it was deleted, so the list has no members and no contact has the tag. */
export function livingName(
  moment: CataloguesAsOf,
  [kind, id]: NamedId,
  { time, nameThen }: { readonly time: string; readonly nameThen: string },
): string | null {
  const version = versionAt(moment.versions(kind, id) ?? [], time);
  if (version === undefined) return nameThen;
  return version.isDeletion ? null : version.name;
}

/** What is left of them when the list or tag is deleted. */
export function withoutDeleted(memberships: Memberships, [kind, id]: NamedId): Memberships {
  const left = new Map(memberships);
  if (kind === 'list') left.delete(id);
  else
    for (const [listId, membership] of memberships)
      if (membership.tags.has(id)) {
        const tags = new Map(membership.tags);
        tags.delete(id);
        left.set(listId, { ...membership, tags });
      }
  return left;
}

export const profileKey = 'profile';
/** Of the status in a list, or of a tag there. */
export const factKey = (listId: string, tagId = ''): string => `${listId} ${tagId}`;

/** Keys of the facts that the event may change. */
export function factsChangedBy(event: ContactEvent): readonly string[] {
  switch (event.type) {
    case 'ContactProfileChanged':
      return [profileKey];
    case 'ContactSubscribed':
    case 'ContactUnsubscribed':
      return [factKey(event.data.list_id)];
    case 'TagsDetached':
      return event.data.tags.map(({ tag_id }) => factKey(event.data.list_id, tag_id));
    default:
      return [];
  }
}
