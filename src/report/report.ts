/** A report on one person, for somebody who decides by it: the question, the answer in one sentence, and every fact behind both. */
import { ServiceError } from '../errors.js';
import type { TreeSource } from '../eventstore/tree.js';
import type { ContactLife, HistoryItem } from '../audit/answers.js';
import type { Audit } from '../audit/audit.js';
import type { AuditContext } from '../audit/basis.js';
import type { HistoryPage, HistoryRequest } from '../audit/history.js';
import { sealOfAnswerFrom } from '../integrity/log-basis.js';
import type { PageSeals } from '../integrity/proofs.js';
import { answerInWords, type Report, type ReportedEmail, type ReportedEvent } from './report-answer.js';

/** With a list the e-mails are still all those to the person. */
export interface ReportRequest extends Pick<HistoryRequest, 'stream' | 'contactId' | 'list' | 'hidden' | 'signal'> {
  /** As it was asked for: an id or an address. */
  readonly contact: string;
  /** ISO 8601, UTC, milliseconds. Default: now. */
  readonly time?: string | undefined;
  /** Id of the API key, or `cli`. */
  readonly askedBy: string;
  /** Largest number of events, where a tag in an event counts as one. Default: no limit. */
  readonly limit?: number;
}

export interface ReportSources {
  readonly audit: Pick<Audit, 'begin' | 'contactAt' | 'history'>;
  /** Knows the numbers of events. Undefined if no tree of the log is kept. */
  readonly tree: Pick<TreeSource, 'ordinalsAt'> | undefined;
  readonly seals: PageSeals;
}

const itemsAPage = 500;

/**
 * Creates a report of events that are in the tree of the log.
 * @throws AlteredLogError if an event of the report is not the one in the tree
 * @throws ServiceError `no_such_contact`, `no_such_list`, `never_in_list`, `too_many_events`
 * @throws StoreUnavailableError @throws UnreadableHistoryError
 */
export async function createReport(sources: ReportSources, request: ReportRequest): Promise<Report> {
  const { audit, seals } = sources;
  const { list, contact: name, askedBy, limit = Infinity, ...about } = request;
  const { time: namedAt, signal } = about;
  const context = await audit.begin({ times: [namedAt], list, namedAt, contact: about, signal });
  const { time = context.basis.answered_at } = request;
  const contact = await audit.contactAt({ ...about, list, time, context });
  const whole = await pagesOf(audit, { ...about, limit, context: { ...context, listId: undefined } });
  const events = [...whole.items, ...contact.lives.flatMap(eventsOfLife)];
  const last = await seals.demandInTree({ stream: about.stream, positions: positionsBehind(events, context) });
  const covering = seals.holding.find(({ count }) => last <= count);
  const { items } = list === undefined ? whole : await pagesOf(audit, { ...about, limit, list, context });
  const history = items.filter(({ email }) => email === undefined);
  return {
    question: { contact: name, list_id: context.listId ?? null, time, asked_by: askedBy },
    answer: answerInWords(contact, name),
    contact,
    history: await numbered(history, sources),
    emails: emailsIn(whole.items),
    emails_until: whole.emails_until ?? null,
    seal: covering === undefined ? null : sealOfAnswerFrom(covering),
    failing_seal: seals.failing ?? null,
    not_proven: notProven,
  };
}

async function pagesOf(
  audit: Pick<Audit, 'history'>,
  { limit, ...request }: HistoryRequest,
): Promise<Pick<HistoryPage, 'items' | 'emails_until'>> {
  const items: HistoryItem[] = [];
  let left = limit;
  let page: HistoryPage | undefined;
  do {
    page = await audit.history({ ...request, after: page?.next_cursor, limit: itemsAPage });
    for (const { tags = [] } of page.items) left -= 1 + tags.length;
    if (left < 0) throw new ServiceError('too_many_events', { limit, names: 'report' });
    items.push(...page.items);
  } while (page.next_cursor !== undefined);
  return { ...page, items };
}

type EventBehind = Pick<HistoryItem, 'position' | 'list' | 'tags'>;

/** Returns the creation and the erasure of a life, which the report also shows. */
const eventsOfLife = ({ created, erased }: ContactLife): readonly EventBehind[] =>
  [created, erased].filter((event) => event !== null);

function positionsBehind(items: readonly EventBehind[], { moment, listId }: AuditContext): ReadonlySet<string> {
  const lists = new Set([listId ?? '', ...items.flatMap(({ list }) => list?.list_id ?? [])]);
  const tags = new Set(items.flatMap((item) => item.tags?.map(({ tag_id }) => tag_id) ?? []));
  const names = [...lists]
    .map((id) => moment.versions('list', id))
    .concat([...tags].map((id) => moment.versions('tag', id)));
  return new Set([...items, ...names.flatMap((versions = []) => versions)].map(({ position }) => position));
}

async function numbered(items: readonly HistoryItem[], { tree }: ReportSources): Promise<ReportedEvent[]> {
  const ordinals = await tree?.ordinalsAt(items.map(({ position }) => position));
  return items.map((event, index) => ({ ordinal: ordinals?.[index] ?? null, event }));
}

/** In the order of their requests. */
function emailsIn(items: readonly HistoryItem[]): readonly ReportedEmail[] {
  const found = new Map<string, ReportedEmail>();
  for (const { email, at = null, summary } of items) {
    if (email === undefined) continue;
    const first = found.get(email.email_id) ?? { ...email, requested_at: at };
    found.set(email.email_id, { ...first, outcome: summary, outcome_at: at });
  }
  return [...found.values()];
}

const notProven: readonly string[] = [
  'Who the person is. The record says what the program that wrote it was told: that the address is this person’s, where and how they agreed, and from which network address.',
  'Which human being used an API key. “By” names the key, and nobody else.',
  'That a clock was right. Times are those of the machine that wrote the event; within one stream they never run backwards.',
  'That an e-mail was read, or arrived. “Sent” means that a mail server took it; “written to a file”, that it went nowhere. E-mails are in no proof.',
  'Anything by itself: this page is not signed. Compare it with the record by the commands above, and with a seal that was kept by somebody who cannot write to the record. Anyone who can read the key of the seals can sign other seals.',
];
