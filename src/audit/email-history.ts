/** The history of one e-mail: every event of it, and what its recipient did because of it, in full and in plain words, page by page. */
import { ServiceError } from '../errors.js';
import { contactStream, suppressionStream } from '../events/streams.js';
import type { HistoryItem } from './answers.js';
import { openAuditContext, type AuditContext, type AuditSources } from './basis.js';
import { readable } from './decoding.js';
import { readEmail, type EmailSources } from './emails.js';
import { citedEvent, describeSuppression } from './event-descriptions.js';
import { withEmails } from './history.js';
import { itemOf } from './history-item.js';
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
  readonly context: AuditContext;
}

type Sources = AuditSources & EmailSources;
type Reading = EmailHistoryRequest & Pick<AuditContext, 'moment'>;

const eventsAPage = 256;

/** @throws ServiceError `not_found` @throws StoreUnavailableError @throws UnreadableHistoryError */
export async function emailHistory(sources: Sources, request: EmailHistoryRequest): Promise<EmailHistoryPage> {
  const { after = '', limit, signal } = request;
  const context = await openAuditContext(sources, { times: [], signal });
  const reading = { ...request, moment: context.moment };
  const all = [...(await itemsOfEmail(sources, reading)), ...(await itemsOfSuppressions(sources, reading))]
    .filter(({ position }) => position > after)
    .sort((one, other) => (one.position < other.position ? -1 : 1));
  const items = all.slice(0, limit);
  const last = items.at(-1);
  return { items, context, ...(all.length > limit && last !== undefined && { next_cursor: last.position }) };
}

/** Its own events, and those by which the person said something about a list with it. */
async function itemsOfEmail(
  sources: Sources,
  { emailId, stream, recipientKey, hidden, signal, moment }: Reading,
): Promise<readonly HistoryItem[]> {
  const { reader, pace } = sources;
  const { horizon } = moment;
  const email = await readEmail(reader, { stream, recipient: recipientKey, horizon, signal });
  if (email === undefined) throw new ServiceError('not_found');
  const emails = email.events.map((stored) => ({ email, stored }));
  const person = {
    reader,
    moment,
    stream: contactStream(recipientKey),
    to: undefined,
    size: eventsAPage,
    signal,
    pace,
  };
  const items: HistoryItem[] = [];
  for await (const some of withEmails(stepsAfter(initialState, person), { emails, start: initialState }))
    for (const step of some)
      if (step.type === 'email' || isBecauseOf(step, emailId))
        items.push(await itemOf(step, moment, { ...sources, hidden }));
  return items;
}

function isBecauseOf(step: HistoryStep, emailId: string): boolean {
  if (step.type !== 'contact') return false;
  const { data } = step.recorded.event;
  return 'by' in data && data.by?.email_id === emailId;
}

async function itemsOfSuppressions(
  { reader, pace }: Sources,
  { emailId, recipientKey, hidden, signal, moment }: Reading,
): Promise<readonly HistoryItem[]> {
  const stream = suppressionStream(recipientKey);
  const items: HistoryItem[] = [];
  for await (const page of streamPages(reader, { stream, from: 0n, horizon: moment.horizon, signal, pace }))
    for (const stored of page) {
      const recorded = readable(stored);
      if (recorded?.event.type !== 'AddressSuppressed' || recorded.event.data.email_id !== emailId) continue;
      const { data } = recorded.event;
      const versions = moment.versions('list', data.scope) ?? [];
      const summary = describeSuppression(data, versionBefore(versions, stored.position)?.name);
      const shown = jsonOrText(redacted(stored.data, hidden));
      items.push({ kind: 'event', ...citedEvent(recorded, summary), contact_id: null, data: shown });
    }
  return items;
}
