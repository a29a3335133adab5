/** The history of one e-mail: every event of it, and what its recipient did because of it, in full and in plain words, page by page. */
import { ServiceError } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import type { RecordedEvent } from '../events/envelope.js';
import { contactStream, suppressionStream } from '../events/streams.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { Basis, HistoryItem } from './answers.js';
import { openAuditContext, withSeal, type AuditContext, type AuditSources } from './basis.js';
import { readable } from './decoding.js';
import { readEmail, type EmailSources, type EmailStep } from './emails.js';
import { citedEvent, describeCountedBounce, describeSuppression } from './event-descriptions.js';
import { withEmails } from './history.js';
import { itemOf, unreadableItem } from './history-item.js';
import { stepsAfter, type HistoryStep } from './history-steps.js';
import { versionBefore } from './names.js';
import { streamPages } from './reading.js';
import { jsonOrText, redacted, type HiddenMembers } from './redaction.js';
import { initialState } from './timeline.js';

export interface EmailHistoryRequest {
  readonly emailId: string;
  /** Of the e-mail. */
  readonly stream: string;
  readonly recipientKey: string;
  readonly after?: string | undefined;
  readonly limit: number;
  /** What the reader may not see. */
  readonly hidden: HiddenMembers;
  readonly signal?: AbortSignal | undefined;
}

export interface EmailHistoryPage {
  readonly items: readonly HistoryItem[];
  readonly next_cursor?: string;
  readonly basis: Basis;
}

type Sources = AuditSources & EmailSources;
type Reading = EmailHistoryRequest & Pick<AuditContext, 'moment'>;

const eventsAPage = 256;

/** @throws ServiceError `not_found` @throws StoreUnavailableError @throws UnreadableHistoryError */
export async function emailHistory(sources: Sources, request: EmailHistoryRequest): Promise<EmailHistoryPage> {
  const { after = '', limit, signal } = request;
  const context = await openAuditContext(sources, { times: [], signal });
  const all = (await itemsOf(sources, { ...request, moment: context.moment })).filter(
    ({ position }) => position > after,
  );
  const items = all.slice(0, limit);
  const last = items.at(-1);
  const basis = await withSeal(sources, context.basis, items);
  return { items, basis, ...(all.length > limit && last !== undefined && { next_cursor: last.position }) };
}

async function itemsOf(sources: Sources, reading: Reading): Promise<readonly HistoryItem[]> {
  const { reader, pace } = sources;
  const { emailId, recipientKey, hidden, signal, moment } = reading;
  const person = {
    reader,
    moment,
    stream: contactStream(recipientKey),
    to: undefined,
    size: eventsAPage,
    signal,
    pace,
  };
  const emails = await eventsOutsideContact(sources, reading);
  const items: HistoryItem[] = [];
  for await (const some of withEmails(stepsAfter(initialState, person), { emails, start: initialState }))
    for (const step of some) {
      if (step.type === 'email' && step.stored.stream !== reading.stream)
        items.push(suppressionItem(step.stored, step.before.contactId, reading));
      else if (step.type === 'email' || isBecauseOf(step, emailId))
        items.push(await itemOf(step, moment, { ...sources, hidden }));
    }
  return items;
}

/** Returns the events of the email, and those of the suppression of its address that name the email, in log order. */
async function eventsOutsideContact(sources: Sources, reading: Reading): Promise<readonly EmailStep[]> {
  const { stream, recipientKey: recipient, signal, moment } = reading;
  const email = await readEmail(sources.reader, { stream, recipient, horizon: moment.horizon, signal });
  if (email === undefined) throw new ServiceError('not_found');
  return [...email.events, ...(await suppressionsBecauseOf(sources, reading))]
    .sort((one, other) => (one.position < other.position ? -1 : 1))
    .map((stored) => ({ email, stored }));
}

function isBecauseOf(step: HistoryStep, emailId: string): boolean {
  if (step.type === 'unreadable') return names(step.stored, emailId);
  if (step.type !== 'contact') return false;
  const { data } = step.recorded.event;
  return 'by' in data && data.by?.email_id === emailId;
}

/** Of an event that cannot be read: an auditor must not miss it. */
const names = ({ data }: StoredEvent, emailId: string): boolean => data.includes(JSON.stringify(emailId));

async function suppressionsBecauseOf(
  { reader, pace }: Sources,
  { emailId, recipientKey, signal, moment }: Reading,
): Promise<readonly StoredEvent[]> {
  const stream = suppressionStream(recipientKey);
  const found: StoredEvent[] = [];
  for await (const page of streamPages(reader, { stream, from: 0n, horizon: moment.horizon, signal, pace }))
    for (const stored of page) {
      const event = readable(stored)?.event;
      if (event === undefined ? names(stored, emailId) : isBecauseOfEmail(event, emailId)) found.push(stored);
    }
  return found;
}

const isBecauseOfEmail = ({ type, data }: DomainEvent, emailId: string): boolean =>
  (type === 'AddressSuppressed' || type === 'BounceCounted') && data.email_id === emailId;

function suppressionItem(stored: StoredEvent, contactId: string | null, { hidden, moment }: Reading): HistoryItem {
  const shown = jsonOrText(redacted(stored.data, hidden));
  const recorded = readable(stored);
  const summary = recorded && suppressionSummary(recorded, moment);
  if (recorded === undefined || summary === undefined) return unreadableItem(stored, contactId, shown);
  return { kind: 'event', ...citedEvent(recorded, summary), contact_id: contactId, data: shown };
}

/** Returns undefined for an event that says nothing about an email. */
function suppressionSummary(
  { event: { type, data }, position }: RecordedEvent<DomainEvent>,
  { versions }: AuditContext['moment'],
): string | undefined {
  if (type === 'BounceCounted') return describeCountedBounce(data);
  if (type !== 'AddressSuppressed') return undefined;
  return describeSuppression(data, versionBefore(versions('list', data.scope) ?? [], position)?.name);
}
