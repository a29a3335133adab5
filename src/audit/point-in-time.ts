/** A contact as it was at a time: every fact with the event that made it so, and the next that changed it. */
import type { ContactAt, CitedEvent, NextChange, Reasons, SubscriptionAt } from './answers.js';
import { openAuditContext, neverInList, withSeal, type AuditSources, type AuditContext } from './basis.js';
import { contactAsOf, type ContactAsOf } from './contact-as-of.js';
import { consentOf, citedEvent, summaryOf } from './event-descriptions.js';
import { ServiceError } from '../errors.js';
import {
  deletionOf,
  versionAt,
  type Catalogues,
  type CataloguesAsOf,
  type NamedKind,
  type NameVersion,
} from './names.js';
import { factKey, livingName, profileKey, type ContactRecord, type Membership, type Memberships } from './timeline.js';

export interface ContactAtRequest {
  readonly stream: string;
  /** Only this life of the stream. Default: the one at the time. */
  readonly contactId?: string | undefined;
  /** Id or name. */
  readonly list?: string | undefined;
  /** Every stream is cut after its last event at or before it. ISO 8601, UTC, milliseconds. Default: now. */
  readonly time?: string | undefined;
  /** Default: the log as it is now. */
  readonly context?: AuditContext | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws ServiceError `no_such_contact`, `no_such_list`, `never_in_list` */
export async function contactAt(sources: AuditSources, request: ContactAtRequest): Promise<ContactAt> {
  const { reader, catalogues, pace } = sources;
  const { time: namedAt, list, signal } = request;
  const contextRequest = { times: [namedAt], list, namedAt, contact: request, signal };
  const { moment, basis, listId } = request.context ?? (await openAuditContext(sources, contextRequest));
  const { time = basis.answered_at } = request;
  const asOf = await contactAsOf(reader, { ...request, time, moment, pace });
  if (asOf === undefined) throw new ServiceError('no_such_contact');
  if (listId !== undefined && wasNeverIn(asOf, listId)) throw neverInList(basis);
  const parts = answerParts(asOf, { moment, catalogues, time });
  const contact = {
    ...(await parts.contact(request.contactId ?? null)),
    lives: asOf.lives,
    ...(asOf.unreadable.length === 0 ? {} : { unreadable: asOf.unreadable }),
  };
  const { memberships } = asOf.state;
  const facts =
    listId === undefined
      ? { ...contact, subscriptions: await parts.subscriptions(memberships) }
      : { ...contact, subscription: await parts.subscription(listId, memberships.get(listId)) };
  return { time, ...(await withSeal(sources, basis, facts)), ...facts };
}

/** An event that cannot be read may have been the entry. */
const wasNeverIn = ({ everIn, unreadable, nextUnreadable }: ContactAsOf, listId: string): boolean =>
  !everIn.has(listId) && unreadable.length === 0 && nextUnreadable === undefined;

type Cause = ContactRecord | { readonly kind: NamedKind; readonly version: NameVersion };

interface AnswerSources {
  readonly moment: CataloguesAsOf;
  readonly catalogues: Catalogues;
  readonly time: string;
}

/** What the answer is made of. A deletion ends a fact as an event of the contact does; its event is read again to be shown. */
function answerParts(asOf: ContactAsOf, { moment, catalogues, time }: AnswerSources) {
  const { changes, end, ended, entries, nextUnreadable } = asOf;

  async function cite(cause: Cause | undefined): Promise<CitedEvent | null> {
    if (cause === undefined) return null;
    const recorded = 'event' in cause ? cause : await catalogues.eventOf(cause.kind, cause.version);
    return citedEvent(recorded, summaryOf(recorded, moment));
  }

  /** Events after `until` do not count; by default, those after the next change. */
  async function nextChange(next: Cause | undefined, until = next): Promise<NextChange> {
    const next_change = await cite(next);
    const isBefore =
      nextUnreadable !== undefined && (until === undefined || nextUnreadable.position < positionOf(until));
    return { next_change, ...(isBefore ? { next_unreadable: nextUnreadable } : {}) };
  }

  async function reasons(because: Cause, nexts: readonly (Cause | undefined)[]): Promise<Reasons> {
    return { because: await cite(because), ...(await nextChange(soonest([...nexts, end]))) };
  }

  const deletion = (kind: NamedKind, id: string): Cause | undefined => {
    const version = deletionOf(moment.versions(kind, id));
    return version && { kind, version };
  };

  async function tagsOf(listId: string, { tags }: Membership<ContactRecord>): Promise<SubscriptionAt['tags']> {
    const shown: SubscriptionAt['tags'][number][] = [];
    for (const [tag_id, { name: nameThen, because }] of [...tags].sort(byId)) {
      const tag_name = livingName(moment, ['tag', tag_id], { time, nameThen });
      if (tag_name === null) continue;
      const nexts = [changes.get(factKey(listId, tag_id)), deletion('tag', tag_id), deletion('list', listId)];
      shown.push({ tag_id, tag_name, ...(await reasons(because, nexts)) });
    }
    return shown;
  }

  const nameOf = (listId: string, { name: nameThen }: Membership<ContactRecord>): string | null =>
    livingName(moment, ['list', listId], { time, nameThen });

  async function subscription(
    list_id: string,
    membership: Membership<ContactRecord> | undefined,
  ): Promise<SubscriptionAt> {
    const lastName = versionAt(moment.versions('list', list_id) ?? [], time)?.name ?? null;
    const absent = { list_id, list_name: lastName, status: null, consent: null, tags: [] };
    const gone = deletion('list', list_id);
    const change = changes.get(factKey(list_id));
    if (membership === undefined) {
      const because = await cite(causeOfAbsence(list_id));
      const entry = change ?? entries.get(list_id);
      return { ...absent, because, ...(await nextChange(entry, entry ?? gone)) };
    }
    const consent = await consentIn(membership);
    const list_name = nameOf(list_id, membership);
    // A deletion is for ever: no unreadable event can have changed it.
    if (list_name === null) return { ...absent, consent, because: await cite(gone), next_change: null };
    return {
      list_id,
      list_name,
      status: membership.status,
      consent,
      tags: await tagsOf(list_id, membership),
      ...(await reasons(membership.because, [change, gone])),
    };
  }

  /** Returns what ended the subscription of a life that is over, or undefined if no such life was in the list. */
  function causeOfAbsence(listId: string): Cause | undefined {
    const last = ended.findLast(({ memberships }) => memberships.has(listId));
    const version = deletionOf(moment.versions('list', listId));
    if (last === undefined || version === undefined || version.at > time) return last?.end;
    return soonest([last.end, { kind: 'list', version }]);
  }

  async function consentIn({ consent }: Membership<ContactRecord>): Promise<SubscriptionAt['consent']> {
    const because = await cite(consent);
    return consent === undefined || because === null ? null : { ...consentOf(consent.event), because };
  }

  async function subscriptions(memberships: Memberships): Promise<readonly SubscriptionAt[]> {
    const shown: SubscriptionAt[] = [];
    for (const [id, membership] of [...memberships].sort(byId))
      if (nameOf(id, membership) !== null) shown.push(await subscription(id, membership));
    return shown;
  }

  async function contact(askedFor: string | null) {
    const { life, contactId, erasure } = asOf.state;
    if (life === undefined) {
      const erased = await cite(erasure);
      const past = erased === null ? {} : { erased };
      const next = await nextChange(asOf.creation);
      const existed = mayHaveExisted(erasure, askedFor) ? null : false;
      return { contact_id: contactId ?? askedFor, existed, created_at: null, profile: null, ...past, ...next };
    }
    const profile = { ...life.profile, ...(await reasons(life.because, [changes.get(profileKey)])) };
    return { contact_id: contactId, existed: true, created_at: life.created.metadata.at, profile };
  }

  /** An event that cannot be read may be a creation. The id of an erased contact is never used again. */
  function mayHaveExisted(erasure: ContactRecord | undefined, askedFor: string | null): boolean {
    if (erasure === undefined) return asOf.unreadable.length > 0;
    return askedFor === null && asOf.unreadable.some(({ position }) => position > erasure.position);
  }

  return { contact, subscription, subscriptions };
}

const byId = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

function soonest(causes: readonly (Cause | undefined)[]): Cause | undefined {
  let first: Cause | undefined;
  for (const cause of causes)
    if (cause !== undefined && (first === undefined || positionOf(cause) < positionOf(first))) first = cause;
  return first;
}

const positionOf = (cause: Cause): string => ('event' in cause ? cause.position : cause.version.position);
