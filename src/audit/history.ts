/** The history of a contact: every event of its stream, of its lists and tags and of the e-mails to it, in full and in plain words, page by page. */
import { ServiceError } from '../errors.js';
import { lifeChange } from '../events/contact.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { Basis, ContactLife, HistoryItem } from './answers.js';
import { openAuditContext, neverInList, withSeal, type AuditSources, type AuditContext } from './basis.js';
import { emailsOf, firstEmailSteps, type EmailSources, type EmailStep } from './emails.js';
import { itemOf } from './history-item.js';
import { createLivesReader } from './lives.js';
import type { CataloguesAsOf } from './names.js';
import { createPageCache, type PageCache } from './page-cache.js';
import type { AuditReader } from './reading.js';
import type { HiddenMembers } from './redaction.js';
import { stepsAfter, type HistoryStep } from './history-steps.js';
import { initialState, type TimelineState } from './timeline.js';
import { ownerOf, timeOfUnreadable } from './unreadable.js';

export interface HistoryRequest {
  readonly stream: string;
  /** Only this life of the stream. Default: all of them. */
  readonly contactId?: string | undefined;
  /** Id or name. Only what is about this list: its own events, the contact's status and consent in it, and the tags there. No e-mails. */
  readonly list?: string | undefined;
  /** `false`: none are in it. */
  readonly emails?: false;
  /** First time that is shown. ISO 8601, UTC, milliseconds. */
  readonly from?: string | undefined;
  /** Last time: every stream is cut after its last event at or before it. */
  readonly to?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  /** Of an e-mail, what the reader may not see. */
  readonly hidden?: HiddenMembers;
  /** Of the page before, which this one is to agree with. Default: the log as it is now. */
  readonly context?: AuditContext | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  readonly next_cursor?: string;
  readonly context: AuditContext;
  readonly basis: Basis;
  /** Every contact that the address has had, whatever part of the history was asked for. */
  readonly lives: readonly ContactLife[];
  /** The e-mails are complete up to this position. Absent where none are asked for. */
  readonly emails_until?: string;
}

/** @throws ServiceError `no_such_contact`, `no_such_list`, `never_in_list` */
export function createHistories(sources: AuditSources & EmailSources) {
  const pageCache = createPageCache();
  const livesOf = createLivesReader(sources.reader);
  return async (request: HistoryRequest): Promise<HistoryPage> => {
    const { from, to, list, hidden = [] } = request;
    const context =
      request.context ??
      (await openAuditContext(sources, { times: [from, to], list, contact: request, signal: request.signal }));
    const wanted = { ...request, listId: context.listId };
    const collecting = { ...sources, moment: context.moment, pageCache };
    const { emails, ...looked } = await emailsIn(wanted, collecting);
    const found = await collect(wanted, { ...collecting, emails });
    if (found === undefined) throw new ServiceError('no_such_contact');
    if (found.steps.length === 0 && !(await wasEverIn(wanted, collecting))) throw neverInList(context.basis);
    const items: HistoryItem[] = [];
    for (const step of found.steps) {
      const item = itemOf(step, context.moment, { ...sources, hidden });
      items.push(item instanceof Promise ? await item : item);
    }
    const { stream, signal } = request;
    const lives = await livesOf({ stream, signal, moment: context.moment, pace: sources.pace });
    return {
      items,
      context,
      basis: await withSeal(sources, context.basis, [items, lives]),
      lives,
      ...looked,
      ...(found.next === undefined ? {} : { next_cursor: found.next }),
    };
  };
}

interface Sources extends AuditSources {
  readonly moment: CataloguesAsOf;
  readonly pageCache: PageCache;
}

type HistoryQuery = Omit<HistoryRequest, 'list'> & { readonly listId: string | undefined };

interface FoundEmails {
  readonly emails: readonly EmailStep[];
  readonly emails_until?: string;
}

async function emailsIn(request: HistoryQuery, { moment, ...sources }: Sources & EmailSources): Promise<FoundEmails> {
  const { stream, listId, from = '', to, after = '', limit, signal } = request;
  if (listId !== undefined || request.emails === false) return { emails: [] };
  const { horizon } = moment;
  const isWanted = (stored: StoredEvent): boolean => {
    const at = timeOfUnreadable(stored);
    return at === undefined || (from <= at && (to === undefined || at <= to));
  };
  const until = await sources.emails.until();
  const found = emailsOf(sources, { stream, horizon, after, signal });
  const emails = await firstEmailSteps(found, { after, most: limit + 1, isWanted });
  return { emails, emails_until: until > horizon ? horizon : until };
}

/** Whether anything is about the list, whatever the time. */
async function wasEverIn({ listId, ...request }: HistoryQuery, sources: Sources): Promise<boolean> {
  if (listId === undefined || (request.after ?? '') !== '') return true;
  const whole = { ...request, listId, from: undefined, to: undefined, limit: 1 };
  return ((await collect(whole, { ...sources, emails: [] }))?.steps.length ?? 0) > 0;
}

interface Collected {
  readonly steps: readonly HistoryStep[];
  readonly next?: string;
}

async function collect(
  request: HistoryQuery,
  { reader, moment, pageCache, pace, emails }: Sources & { readonly emails: readonly EmailStep[] },
): Promise<Collected | undefined> {
  const { stream, to, after = '', limit, signal } = request;
  // The state of a cut stream lacks later events, so it is not valid for the whole stream.
  const key = (position: string): string => `${stream} ${to ?? ''} ${position}`;
  const start = pageCache.get(key(after)) ?? initialState;
  const steps: HistoryStep[] = [];
  let isEmpty = start === initialState;
  const replayed = stepsAfter(start, { reader, moment, stream, to, signal, pace, size: limit + 1 });
  for await (const some of withEmails(replayed, { emails, start }))
    for (const step of some) {
      isEmpty = false;
      if (step.after.position <= after || !isWanted(step, request)) continue;
      if (steps.length === limit) return pageEnding(steps, pageCache, key);
      steps.push(step);
    }
  return isEmpty && (await isUnwritten(reader, stream)) ? undefined : { steps };
}

/** There is more: the next page begins where this one ends. */
function pageEnding(steps: readonly HistoryStep[], pageCache: PageCache, key: (position: string) => string): Collected {
  const state = steps.at(-1)?.after ?? initialState;
  pageCache.keep(key(state.position), state);
  return { steps, next: state.position };
}

/** The cut may be before the first event of a stream that exists. */
async function isUnwritten(reader: AuditReader, stream: string): Promise<boolean> {
  for await (const page of reader.readStream(stream, { limit: 1 })) return page.length === 0;
  return true;
}

function isWanted(step: HistoryStep, { contactId, listId, from }: HistoryQuery): boolean {
  if (step.type === 'email') return true;
  if (contactId !== undefined && !isOf(step, contactId)) return false;
  if (from !== undefined && (timeOf(step) ?? from) < from) return false;
  return listId === undefined || isAbout(step, listId);
}

type OwnStep = Exclude<HistoryStep, { type: 'email' }>;

/** An event that cannot be read, and whose contact is not known, may be of any contact. */
function isOf(step: OwnStep, contactId: string): boolean {
  if (step.type === 'contact') return step.recorded.event.data.contact_id === contactId;
  if (step.type === 'catalogue') return step.before.contactId === contactId;
  return (ownerOf(step.stored, step.before.contactId) ?? contactId) === contactId;
}

function timeOf(step: OwnStep): string | undefined {
  if (step.type === 'contact') return step.recorded.metadata.at;
  return step.type === 'catalogue' ? step.change.version.at : step.at;
}

function isAbout(step: OwnStep, listId: string): boolean {
  switch (step.type) {
    case 'contact': {
      const { event, revision } = step.recorded;
      // An erasure ends the subscription, as the deletion of the list does.
      if (lifeChange(event, revision) === 'ends') return step.before.memberships.has(listId);
      return 'list_id' in event.data && event.data.list_id === listId;
    }
    case 'catalogue':
      return step.change.kind === 'list'
        ? step.change.id === listId
        : step.before.memberships.get(listId)?.tags.has(step.change.id) === true;
    case 'unreadable':
      // It may be about any list, and an auditor must not miss it.
      return true;
    default:
      return step satisfies never;
  }
}

/** The steps with the e-mails among them, each in its place. */
export async function* withEmails(
  steps: AsyncIterable<Iterable<HistoryStep>>,
  { emails, start }: { readonly emails: readonly EmailStep[]; readonly start: TimelineState },
): AsyncGenerator<Iterable<HistoryStep>> {
  let state = start;
  let next = 0;
  function* emailsUntil(position: string | undefined): Generator<HistoryStep> {
    for (let email = emails[next]; email !== undefined; email = emails[(next += 1)]) {
      if (position !== undefined && position < email.stored.position) return;
      const before = state;
      state = { ...before, position: email.stored.position };
      yield { type: 'email', ...email, after: state, before };
    }
  }
  function* among(some: Iterable<HistoryStep>): Generator<HistoryStep> {
    for (const step of some) {
      yield* emailsUntil(step.after.position);
      state = step.after;
      yield step;
    }
  }
  for await (const some of steps) yield emails.length === 0 ? some : among(some);
  yield emailsUntil(undefined);
}
