/** A contact as it was at a time: every fact with the event that made it so, and the next that changed it. */
import type { ContactAt, Evidence, NextChange, Reasons, SubscriptionAt } from './answers.js';
import { evidenceOf, summaryOf } from './event-details.js';
import type { Cause, ContactFold, Fact, MembershipFacts } from './contact-facts.js';
import { foldContact } from './contact-fold.js';
import { ServiceError } from '../errors.js';
import { begin, neverInList, type AuditSources, type Begun } from './basis.js';
import { deletionOf, versionAt, type Catalogues, type Moment, type NameVersions } from './names.js';

export interface ContactAtRequest {
  readonly stream: string;
  /** Only this life of the stream. Default: the one at the time. */
  readonly contactId?: string | undefined;
  /** Id or name. */
  readonly list?: string | undefined;
  /** Every stream is cut after its last event at or before it. ISO 8601, UTC, milliseconds. Default: now. */
  readonly time?: string | undefined;
  /** Default: the log as it is now. */
  readonly begun?: Begun | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws ServiceError `no_such_contact`, `no_such_list`, `never_in_list` */
export async function contactAt(sources: AuditSources, request: ContactAtRequest): Promise<ContactAt> {
  const { reader, catalogues, pace } = sources;
  const { time: namedAt, list } = request;
  const asked = { times: [namedAt], list, namedAt, contact: request };
  const { moment, basis, listId } = request.begun ?? (await begin(sources, asked));
  const { time = basis.answered_at } = request;
  const fold = await foldContact(reader, { ...request, time, listId, moment, pace });
  if (fold === undefined) throw new ServiceError('no_such_contact');
  if (listId !== undefined && wasNeverIn(fold, listId)) throw neverInList(basis);
  const show = shower({ moment, catalogues, time, nextUnreadable: fold.nextUnreadable });
  const contact = {
    time,
    ...basis,
    ...(await show.contact(fold, request.contactId ?? null)),
    ...(fold.unreadable.length === 0 ? {} : { unreadable: fold.unreadable }),
  };
  if (listId !== undefined)
    return { ...contact, subscription: await show.subscription(listId, fold.memberships.get(listId)) };
  return { ...contact, subscriptions: await show.subscriptions(fold.memberships) };
}

/** An event that cannot be read may have been the entry. */
const wasNeverIn = ({ memberships, unreadable, nextUnreadable }: ContactFold, listId: string): boolean =>
  !memberships.has(listId) && unreadable.length === 0 && nextUnreadable === undefined;

function isDeletedAt(versions: NameVersions | undefined, time: string): boolean {
  const deletion = deletionOf(versions);
  return deletion !== undefined && deletion.at <= time;
}

interface Showing {
  readonly moment: Moment;
  readonly catalogues: Catalogues;
  readonly time: string;
  readonly nextUnreadable: ContactFold['nextUnreadable'];
}

/** Turns what was folded into an answer. A deletion ends a fact as an event of the contact does; its event is read again to be shown. */
function shower({ moment, catalogues, time, nextUnreadable }: Showing) {
  async function evidence(cause: Cause | undefined): Promise<Evidence | null> {
    if (cause === undefined) return null;
    const recorded = 'event' in cause ? cause : await catalogues.eventOf(cause.kind, cause.version);
    return evidenceOf(recorded, summaryOf(recorded, moment));
  }

  /** Events after `end` do not count; by default, those after the next change. */
  async function nextChange(next: Cause | undefined, end = next): Promise<NextChange> {
    const next_change = await evidence(next);
    const isBefore = nextUnreadable !== undefined && (end === undefined || nextUnreadable.position < positionOf(end));
    return { next_change, ...(isBefore ? { next_unreadable: nextUnreadable } : {}) };
  }

  async function reasons({ because, next }: Fact, end = next): Promise<Reasons> {
    return { because: await evidence(because), ...(await nextChange(next, end)) };
  }

  const deletion = (kind: 'list' | 'tag', id: string): Cause | undefined => {
    const version = deletionOf(moment.versions(kind, id));
    return version && { kind, version };
  };

  async function tagsOf(listId: string, { tags }: MembershipFacts): Promise<SubscriptionAt['tags']> {
    const shown: SubscriptionAt['tags'][number][] = [];
    for (const [tag_id, { name, fact }] of [...tags].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const versions = moment.versions('tag', tag_id);
      if (isDeletedAt(versions, time)) continue;
      const tag_name = (versions && versionAt(versions, time)?.name) ?? name;
      const next = soonest([fact.next, deletion('tag', tag_id), deletion('list', listId)]);
      shown.push({ tag_id, tag_name, ...(await reasons({ because: fact.because, next })) });
    }
    return shown;
  }

  async function subscription(list_id: string, membership: MembershipFacts | undefined): Promise<SubscriptionAt> {
    const versions = moment.versions('list', list_id) ?? [];
    const name = versionAt(versions, time)?.name;
    const absent = { list_id, list_name: name ?? null, status: null, consent: null, tags: [] };
    const gone = deletion('list', list_id);
    if (membership === undefined)
      return { ...absent, ...(await reasons({ because: undefined, next: undefined }, gone)) };
    const { status, fact } = membership;
    if (status === null) return { ...absent, ...(await reasons(fact)) };
    // A deletion is for ever: no unreadable event can have changed it.
    if (isDeletedAt(versions, time))
      return { ...absent, consent: await consentIn(membership), because: await evidence(gone), next_change: null };
    return {
      list_id,
      list_name: name ?? membership.name,
      status,
      consent: await consentIn(membership),
      tags: await tagsOf(list_id, membership),
      ...(await reasons({ because: fact.because, next: soonest([fact.next, gone]) })),
    };
  }

  async function consentIn({ consent }: MembershipFacts): Promise<SubscriptionAt['consent']> {
    const because = await evidence(consent?.because);
    return consent === undefined || because === null ? null : { ...consent.consent, because };
  }

  async function subscriptions(memberships: ContactFold['memberships']): Promise<readonly SubscriptionAt[]> {
    const shown: SubscriptionAt[] = [];
    for (const [id, membership] of [...memberships].sort(([a], [b]) => (a < b ? -1 : 1)))
      if (!isDeletedAt(moment.versions('list', id), time)) shown.push(await subscription(id, membership));
    return shown;
  }

  async function contact({ life, creation, erasure, contactId, unreadable }: ContactFold, askedFor: string | null) {
    if (life === undefined) {
      const existed = unreadable.length === 0 ? false : null;
      const erased = await evidence(erasure);
      const past = erased === null ? {} : { erased };
      const next = await nextChange(creation);
      return { contact_id: contactId ?? askedFor, existed, created_at: null, profile: null, ...past, ...next };
    }
    const profile = { ...life.profile, ...(await reasons(life.profileFact)) };
    return { contact_id: life.contactId, existed: true, created_at: life.created.metadata.at, profile };
  }

  return { contact, subscription, subscriptions };
}

function soonest(causes: readonly (Cause | undefined)[]): Cause | undefined {
  let first: Cause | undefined;
  for (const cause of causes)
    if (cause !== undefined && (first === undefined || positionOf(cause) < positionOf(first))) first = cause;
  return first;
}

const positionOf = (cause: Cause): string => ('event' in cause ? cause.position : cause.version.position);
