/** What is stored about one address, for the person: read from the log as it is asked for, so that it may be long. */
import { everyRead } from '../audit/access.js';
import type { Basis, HistoryItem, ReadRecord } from '../audit/answers.js';
import type { Audit } from '../audit/audit.js';
import type { StoredEvents } from '../audit/stored-events.js';
import { lastPositionIn, type AuditContext } from '../audit/basis.js';
import { readableEmail } from '../audit/decoding.js';
import type { PersonsEmail } from '../audit/emails.js';
import { describeEmail, profileIn } from '../audit/event-descriptions.js';
import { unreadableEvent } from '../audit/unreadable.js';
import { emailContent } from '../commands/mustache.js';
import { ServiceError } from '../errors.js';
import type { EmailEvent } from '../events/email.js';
import { erasuresStream, recipientOf, suppressionStream } from '../events/streams.js';
import { suppressionsIn } from '../audit/suppressions.js';
import type { Position, StoredEvent } from '../eventstore/event-store.js';
import {
  keptAfterErasure,
  notSearched,
  type ErasureOfPerson,
  type ExportAbout,
  type ExportedChange,
  type ExportedEmail,
} from './export-answer.js';
import { readable } from '../audit/decoding.js';
import type { DomainEvent } from '../events/codec.js';
import { lifeChange } from '../events/contact.js';
import type { RecordedEvent } from '../events/envelope.js';

interface PersonExportRequest {
  /** As it was asked for. */
  readonly email: string;
  readonly stream: string;
  /** Id of the API key, or `cli`. */
  readonly askedBy: string;
  readonly signal?: AbortSignal | undefined;
}

export type ItemPages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** Each part is read from the log when it is asked for, up to the same moment for all. The reads of the record go up to the time of the answer. */
export interface PersonExport {
  readonly about: ExportAbout;
  /** Oldest first. */
  history(): ItemPages<ExportedChange>;
  /** In the order of their requests. */
  emails(): ItemPages<ExportedEmail>;
  readings(): ItemPages<ReadRecord>;
  /** The newest seal that covers the parts but the reads. Call this when history and emails have been read. */
  seal(): Promise<Basis['seal']>;
}

type ExportSources = Omit<Audit, 'feed' | 'lists' | 'listAt'>;

const itemsAPage = 200;

/** @throws StoreUnavailableError @throws UnreadableHistoryError @throws ServiceError `unavailable`; the parts throw the same */
export async function exportPerson(audit: ExportSources, request: PersonExportRequest): Promise<PersonExport> {
  const { email, stream, askedBy, signal } = request;
  const until = await audit.emailsUntil();
  const context = await audit.begin({ times: [] });
  const { basis, moment } = context;
  const { horizon } = moment;
  const emails_until = until > horizon ? horizon : until;
  const contact = await ifKnown(audit.contactAt({ stream, time: basis.answered_at, context, signal }));
  let last = '';
  const see = (position: Position): void => {
    if (position > last) last = position;
  };
  const erasures = await erasuresOf(audit.stored, { stream, horizon, signal }, see);
  const refusals = audit.stored.ofStream(suppressionStream(recipientOf(stream)), signal);
  const refused_mail = await suppressionsIn(refusals, horizon);
  // The position of a basis is the end of the log, and not that of an event in the answer.
  see(lastPositionIn([contact === null ? null : { ...contact, position: '' }, refused_mail]));
  const emails = () => emailsIn(audit, { stream, horizon, signal }, see);
  const isWritten = contact !== null || erasures.length > 0 || refused_mail.history.length > 0;
  const known = isWritten || !(await isEmpty(emails()));
  return {
    about: {
      email,
      asked_by: askedBy,
      known,
      not_searched: notSearched,
      ...basis,
      contact,
      erasures,
      kept_after_erasure: keptAfterErasure,
      refused_mail,
      emails_until,
    },
    history: () => historyOf(audit, { stream, context, signal, isWritten: contact !== null }, see),
    emails,
    readings: () => everyRead(audit, { subject: recipientOf(stream), signal }),
    seal: () => audit.sealOf(last || basis.position),
  };
}

/** Null where nothing was ever written of such a contact. */
const ifKnown = <Found>(found: Promise<Found>): Promise<Found | null> =>
  found.catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'no_such_contact') return null;
    throw error;
  });

async function isEmpty(items: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of items) return false;
  return true;
}

interface PartRequest extends Pick<PersonExportRequest, 'stream' | 'signal'> {
  readonly context: AuditContext;
  /** There is such a stream. */
  readonly isWritten: boolean;
}

async function* historyOf(
  audit: Pick<Audit, 'history'>,
  { isWritten, ...request }: PartRequest,
  see: (position: Position) => void,
): AsyncGenerator<readonly ExportedChange[]> {
  const profile = new Map<string, string>();
  let after: string | undefined;
  while (isWritten) {
    const page = await audit.history({ ...request, emails: false, after, limit: itemsAPage });
    see(lastPositionIn(page.items));
    yield page.items.map((event) => ({ event, changes: changesBy(event, profile) }));
    if (page.next_cursor === undefined) return;
    after = page.next_cursor;
  }
}

/** Brings the profile up to the event. */
function changesBy(item: HistoryItem, profile: Map<string, string>): ExportedChange['changes'] {
  if (item.type === 'ContactCreated') profile.clear();
  return profileIn(item).map(([field, after]) => {
    const before = profile.get(field) ?? null;
    if (after === null) profile.delete(field);
    else profile.set(field, after);
    return { field, before, after };
  });
}

async function* emailsIn(
  audit: Pick<Audit, 'emailsOf'>,
  request: Parameters<Audit['emailsOf']>[0],
  see: (position: Position) => void,
): AsyncGenerator<readonly ExportedEmail[]> {
  for await (const email of audit.emailsOf(request)) {
    for (const { position } of email.events) see(position);
    yield [exportedEmail(email)];
  }
}

/** The link itself is stored nowhere, and whoever has it can unsubscribe the person. */
const linkInWords = '[link to unsubscribe]';

/** What was requested, what went out, and all that became of it. */
function exportedEmail({ emailId, message, events }: PersonsEmail): ExportedEmail {
  const common = { email_id: emailId, erased: message === null, steps: events.map(stepOf) };
  if (!message) return { ...common, requested: null };
  const { from_email: from, to_email: to, subject, mail_template: body, variables } = message;
  if (variables === undefined) return { ...common, requested: { from, to, subject, body } };
  const { subject: sentSubject, html } = emailContent(message, linkInWords);
  const sent_as = { subject: sentSubject, body: html };
  return { ...common, requested: { from, to, subject, body, variables }, sent_as };
}

function stepOf(stored: StoredEvent): ExportedEmail['steps'][number] {
  const recorded = readableEmail(stored);
  if (recorded === undefined) {
    const { at = null, type, summary, actor: by = null, request_id = null } = unreadableEvent(stored, null);
    return { at, type, summary, by, request_id };
  }
  const { event, metadata } = recorded;
  const response = responseIn(event);
  return {
    at: metadata.at,
    type: event.type,
    summary: describeEmail(event),
    by: metadata.actor,
    request_id: metadata.request_id,
    ...(response === undefined ? {} : { response }),
  };
}

function responseIn({ data }: EmailEvent): string | undefined {
  if (!('message' in data) || !data.message) return undefined;
  if ('diagnostic' in data.message) return data.message.diagnostic;
  return 'response' in data.message ? data.message.response : undefined;
}

/** As one JSON text. */
export async function* personExportAsJson(made: PersonExport): AsyncGenerator<string> {
  const { about, history, emails, readings, seal } = made;
  yield `${JSON.stringify(about).slice(0, -1)},"history":[`;
  yield* listed(history());
  yield '],"emails":[';
  yield* listed(emails());
  yield '],"readings":[';
  yield* listed(readings());
  yield `],"seal":${JSON.stringify(await seal())}}`;
}

async function* listed(pages: ItemPages<unknown>): AsyncGenerator<string> {
  let comma = '';
  for await (const items of pages) {
    if (items.length === 0) continue;
    yield comma + JSON.stringify(items).slice(1, -1);
    comma = ',';
  }
}

interface ErasuresRequest {
  /** Of the person as a contact. */
  readonly stream: string;
  readonly horizon: Position;
  readonly signal?: AbortSignal | undefined;
}

/** Oldest first. @throws StoreUnavailableError */
async function erasuresOf(
  stored: Pick<StoredEvents, 'ofStream'>,
  { stream, horizon, signal }: ErasuresRequest,
  see: (position: Position) => void,
): Promise<readonly ErasureOfPerson[]> {
  const found = new Map<string, ErasureOfPerson>();
  const key = recipientOf(stream);
  const take = (event: StoredEvent): void => {
    const recorded = isAbout(event, key, found) ? readable(event) : undefined;
    const known = recorded && 'erasure_id' in recorded.event.data ? recorded.event.data.erasure_id : undefined;
    if (recorded === undefined || known === undefined) return;
    see(event.position);
    found.set(known, { ...none(known), ...found.get(known), ...toldBy(recorded) });
  };
  for (const name of [erasuresStream, stream])
    for await (const page of stored.ofStream(name, signal))
      for (const event of page) if (event.position <= horizon) take(event);
  return [...found.values()];
}

/** Nearly no event needs to be parsed. */
function isAbout({ type, data }: StoredEvent, key: string, found: ReadonlyMap<string, unknown>): boolean {
  if (type === 'ContactErased') return true;
  if (type === 'ErasureRequested') return data.includes(key);
  return type === 'ErasureCompleted' && found.size > 0 && [...found.keys()].some((id) => data.includes(id));
}

const none = (erasure_id: string): ErasureOfPerson => ({
  erasure_id,
  requested_at: null,
  requested_by: null,
  reason: null,
  contact_id: null,
  erased_at: null,
  completed_at: null,
  emails: null,
});

function toldBy({ event, metadata, revision }: RecordedEvent<DomainEvent>): Partial<ErasureOfPerson> {
  const { at, actor } = metadata;
  switch (event.type) {
    case 'ErasureRequested':
      return { requested_at: at, requested_by: actor, reason: event.data.reason ?? null };
    case 'ContactErased':
      return lifeChange(event, revision) === undefined ? {} : { contact_id: event.data.contact_id, erased_at: at };
    case 'ErasureCompleted':
      return { completed_at: at, emails: event.data.emails };
    default:
      return {};
  }
}
