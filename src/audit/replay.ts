/** Replays a contact's stream in log order, with the renames and deletions of its lists and tags where they happened. */
import { isLaterPart, type ContactEvent, type SubscriptionStatus } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { EmailStep } from './emails.js';
import { firstAfter, isAfterDeletion, versionBefore, type Moment, type NamedKind, type NameVersion } from './names.js';
import { readableContact, streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
import { timeOfUnreadable } from './unreadable.js';

interface ReplayedMembership {
  readonly status: SubscriptionStatus;
  readonly tags: ReadonlySet<string>;
}

/** A place in a replay, with the state there. Immutable: each step makes a new one, so that a page can begin where another ended. */
export interface ReplayState {
  /** `null`: before the first life of the stream. */
  readonly contactId: string | null;
  readonly memberships: ReadonlyMap<string, ReplayedMembership>;
  /** Position of the last step, `''` before the first. */
  readonly position: string;
  readonly nextRevision: bigint;
}

export const initialState: ReplayState = { contactId: null, memberships: new Map(), position: '', nextRevision: 0n };

export interface NameChange {
  readonly kind: NamedKind;
  readonly id: string;
  readonly version: NameVersion;
  readonly previousName: string;
}

interface StateChange {
  readonly after: ReplayState;
  readonly before: ReplayState;
}

export type Step = StateChange &
  (
    | {
        readonly type: 'contact';
        readonly recorded: Recorded<ContactEvent>;
        /** Written after the deletion of its list: it never counted. */
        readonly isVoid: boolean;
        /** Ids of tags of the event that were deleted before it was written. */
        readonly voidTags: readonly string[];
      }
    | { readonly type: 'catalogue'; readonly change: NameChange }
    | ({ readonly type: 'email' } & EmailStep)
    /** Of a type or shape that this version does not know: shown, and without effect. */
    | { readonly type: 'unreadable'; readonly stored: StoredEvent; readonly at: string | undefined }
  );

export interface Replay {
  readonly reader: AuditReader;
  readonly moment: Moment;
  readonly stream: string;
  /** Every stream is cut after its last event at or before this time. Default: uncut. */
  readonly to: string | undefined;
  readonly size: number;
  readonly signal: AbortSignal | undefined;
  readonly pace: ReplayPace;
}

/** Steps after the state, in log order, some at a time: to be gone through before more are asked for. @throws StoreUnavailableError */
export async function* replay(from: ReplayState, input: Replay): AsyncGenerator<Iterable<Step>> {
  const { reader, moment, stream, size, signal, pace } = input;
  const walk = walkFrom(from, input);
  const reading = { stream, from: from.nextRevision, horizon: moment.horizon, size, signal, pace };
  for await (const page of streamPages(reader, reading)) {
    yield walk.through(page);
    if (walk.isCut()) break;
  }
  yield walk.rest();
}

function walkFrom(from: ReplayState, input: Replay) {
  const { moment, to } = input;
  let state = from;
  let due = earliestChange(state, input);
  let isCut = false;

  function* changesUntil(position: string): Generator<Step> {
    while (due !== undefined && due.version.position <= position) {
      const before = state;
      state = changed(before, due);
      // The tag may have been detached since this change was queued.
      if (concerns(before, due)) yield { type: 'catalogue', change: due, after: state, before };
      due = earliestChange(state, input);
    }
  }

  function* through(page: readonly StoredEvent[]): Generator<Step> {
    for (const stored of page) {
      if (due !== undefined) yield* changesUntil(stored.position);
      const before = state;
      const step = stepOf(stored, before, moment);
      isCut = to !== undefined && timeOf(step) > to;
      if (isCut) return;
      state = step.after;
      if (before.memberships !== state.memberships) due = sooner(due, changeOfNew(before, state, input));
      yield step;
    }
  }

  return { through, isCut: () => isCut, rest: () => changesUntil(moment.horizon) };
}

/** Catalogue events and e-mails are cut before. */
const timeOf = (step: Step): string =>
  step.type === 'contact' ? step.recorded.metadata.at : step.type === 'unreadable' ? (step.at ?? '') : '';

function stepOf(stored: StoredEvent, before: ReplayState, moment: Moment): Step {
  const recorded = readableContact(stored);
  if (recorded === undefined)
    return {
      type: 'unreadable',
      stored,
      at: timeOfUnreadable(stored),
      after: stateAfter(stored, before.contactId, before.memberships),
      before,
    };
  const { event, position, revision } = recorded;
  if (event.type === 'ContactErased' && isLaterPart(event.data, revision)) {
    const after = stateAfter(stored, before.contactId, before.memberships);
    return { type: 'contact', recorded, isVoid: false, voidTags: none, after, before };
  }
  const isVoid = 'list_id' in event.data && isAfterDeletion(moment.versions('list', event.data.list_id), position);
  const voidTags = 'tags' in event.data ? deletedOf(event.data.tags, position, moment) : none;
  const { memberships } = isVoid ? before : evolve(before, event, voidTags);
  // The id of this event, because the creation may be unreadable.
  const after = stateAfter(stored, event.data.contact_id, memberships);
  return { type: 'contact', recorded, isVoid, voidTags, after, before };
}

/** What is so of a contact, wherever the replay stands. */
type Life = Pick<ReplayState, 'contactId' | 'memberships'>;

const stateAfter = (
  { position, revision }: StoredEvent,
  contactId: string | null,
  memberships: ReplayState['memberships'],
): ReplayState => ({
  contactId,
  memberships,
  position,
  nextRevision: revision + 1n,
});

const none: readonly string[] = [];

function deletedOf(tags: readonly { readonly tag_id: string }[], position: string, moment: Moment): readonly string[] {
  const ids = tags.map(({ tag_id }) => tag_id);
  return ids.filter((id) => isAfterDeletion(moment.versions('tag', id), position));
}

function evolve(life: Life, event: ContactEvent, voidTags: readonly string[]): Life {
  switch (event.type) {
    case 'ContactCreated':
      return { contactId: event.data.contact_id, memberships: new Map() };
    case 'ContactSubscribed':
      return withStatus(life, event.data.list_id, 'Subscribed');
    case 'ContactUnsubscribed':
      return withStatus(life, event.data.list_id, 'Unsubscribed');
    case 'TagsAttached': {
      const ids = event.data.tags.map(({ tag_id }) => tag_id).filter((id) => !voidTags.includes(id));
      return withTags(life, event.data.list_id, (tags) => new Set([...tags, ...ids]));
    }
    case 'TagsDetached': {
      const ids = new Set(event.data.tags.map(({ tag_id }) => tag_id));
      return withTags(life, event.data.list_id, (tags) => new Set([...tags].filter((id) => !ids.has(id))));
    }
    case 'ContactErased':
      return { contactId: life.contactId, memberships: new Map() };
    case 'ContactProfileChanged':
    case 'ConsentRecorded':
      return life;
    default:
      return event satisfies never;
  }
}

const noTags: ReadonlySet<string> = new Set();

function withMembership({ contactId, memberships }: Life, listId: string, membership: ReplayedMembership): Life {
  return { contactId, memberships: new Map(memberships).set(listId, membership) };
}

const withStatus = (life: Life, listId: string, status: SubscriptionStatus): Life =>
  withMembership(life, listId, { status, tags: life.memberships.get(listId)?.tags ?? noTags });

function withTags(life: Life, listId: string, change: (tags: ReadonlySet<string>) => ReadonlySet<string>): Life {
  const membership = life.memberships.get(listId);
  if (membership === undefined) return life;
  return withMembership(life, listId, { status: membership.status, tags: change(membership.tags) });
}

function concerns({ memberships }: ReplayState, { kind, id }: NameChange): boolean {
  if (kind === 'list') return memberships.has(id);
  for (const { tags } of memberships.values()) if (tags.has(id)) return true;
  return false;
}

function changed(state: ReplayState, { kind, id, version }: NameChange): ReplayState {
  const moved = { ...state, position: version.position };
  if (!version.isDeletion) return moved;
  const memberships = new Map(state.memberships);
  if (kind === 'list') memberships.delete(id);
  else
    for (const [listId, { status, tags }] of memberships)
      if (tags.has(id)) memberships.set(listId, { status, tags: new Set([...tags].filter((tag) => tag !== id)) });
  return { ...moved, memberships };
}

type Sight = Pick<Replay, 'moment' | 'to'>;

function earliestChange(state: ReplayState, sight: Sight): NameChange | undefined {
  let earliest: NameChange | undefined;
  for (const [listId, { tags }] of state.memberships) {
    earliest = sooner(earliest, changeAfter(state.position, { kind: 'list', id: listId }, sight));
    for (const id of tags) earliest = sooner(earliest, changeAfter(state.position, { kind: 'tag', id }, sight));
  }
  return earliest;
}

/** The next change of the lists and tags that the last step added; the others are known already. */
function changeOfNew({ memberships: known }: ReplayState, { memberships, position }: ReplayState, sight: Sight) {
  let earliest: NameChange | undefined;
  for (const [listId, membership] of memberships) {
    const before = known.get(listId);
    if (before === undefined) earliest = sooner(earliest, changeAfter(position, { kind: 'list', id: listId }, sight));
    if (before?.tags === membership.tags) continue;
    for (const id of membership.tags)
      if (before?.tags.has(id) !== true) earliest = sooner(earliest, changeAfter(position, { kind: 'tag', id }, sight));
  }
  return earliest;
}

const sooner = (one: NameChange | undefined, other: NameChange | undefined): NameChange | undefined =>
  one === undefined || (other !== undefined && other.version.position < one.version.position) ? other : one;

function changeAfter(
  position: string,
  { kind, id }: Pick<NameChange, 'kind' | 'id'>,
  { moment, to }: Sight,
): NameChange | undefined {
  const versions = moment.versions(kind, id);
  const version = versions?.[firstAfter(versions, position)];
  if (versions === undefined || version === undefined) return undefined;
  if (to !== undefined && version.at > to) return undefined;
  return { kind, id, version, previousName: versionBefore(versions, position)?.name ?? version.name };
}
