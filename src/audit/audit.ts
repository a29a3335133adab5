/** The answers for auditors, over one log. */
import { readsPage, type ReadsPage, type ReadsRequest } from './access.js';
import type { ContactAt, SealOfAnswer } from './answers.js';
import { openAuditContext, type AuditContextRequest, type AuditSources, type AuditContext } from './basis.js';
import { emailsOf, type EmailsOf, type EmailSources, type PersonsEmail } from './emails.js';
import { emailHistory, type EmailHistoryPage, type EmailHistoryRequest } from './email-history.js';
import type { Position } from '../eventstore/event-store.js';
import { createFeed, type Feed } from './feed.js';
import { createHistories, type HistoryPage, type HistoryRequest } from './history.js';
import { listAt, type ListAt, type ListAtRequest } from './list-at.js';
import { listDiff, type ListDiff, type ListDiffRequest } from './list-diff.js';
import { everyList, type Lists } from './lists.js';
import { createCatalogues } from './names.js';
import { contactAt, type ContactAtRequest } from './point-in-time.js';
import { createReplayPace } from './replay-pace.js';
import { createStoredEvents, type StoredEvents } from './stored-events.js';

/**
 * Every answer reads the log as it stands at the call and no view, but to find e-mails. All throw StoreUnavailableError,
 * UnreadableHistoryError where an event that the answer depends on cannot be read, and ServiceError: `unavailable` when
 * too many long histories are asked for at once, `no_such_contact`, `no_such_list`, `never_in_list`. A signal ends them
 * with its reason.
 */
export interface Audit {
  /** One moment of the log, for several answers that agree. */
  begin(request: AuditContextRequest): Promise<AuditContext>;
  history(request: HistoryRequest): Promise<HistoryPage>;
  emailHistory(request: EmailHistoryRequest): Promise<EmailHistoryPage>;
  contactAt(request: ContactAtRequest): Promise<ContactAt>;
  listAt(request: ListAtRequest): Promise<ListAt>;
  listDiff(request: ListDiffRequest): Promise<ListDiff>;
  lists(): Promise<Lists>;
  /** In the order of their requests. They are found up to `emailsUntil`, to be asked before. */
  emailsOf(request: EmailsOf): AsyncIterable<PersonsEmail>;
  emailsUntil(): Promise<Position>;
  /** Returns the number of events in the log, or null if the newest events have not been counted yet. */
  size(): Promise<number | null>;
  /** Who looked. */
  reads(request: ReadsRequest): Promise<ReadsPage>;
  readonly feed: Feed;
  /** Returns the newest seal that covers the event at this position, or null if none does yet. */
  sealOf(position: Position): Promise<SealOfAnswer | null>;
  /** For proofs. */
  readonly stored: StoredEvents;
}

interface AuditOptions
  extends Pick<AuditSources, 'reader' | 'logBasis' | 'sealOf' | 'clock'>, Pick<EmailSources, 'emails'> {
  /** The maximum number of events or records that are read for one page. Only tests set it. */
  readonly mostSearched?: number | undefined;
}

export function createAudit(options: AuditOptions): Audit {
  const { reader, logBasis, mostSearched } = options;
  const pace = createReplayPace();
  const sources = { ...options, catalogues: createCatalogues(reader), pace };
  return {
    begin: (request) => openAuditContext(sources, request),
    history: createHistories(sources),
    emailHistory: (request) => emailHistory(sources, request),
    contactAt: (request) => contactAt(sources, request),
    listAt: (request) => listAt(sources, request),
    listDiff: (request) => listDiff(sources, request),
    lists: () => everyList(sources),
    emailsOf: (request) => emailsOf(sources, request),
    emailsUntil: () => options.emails.until(),
    sealOf: options.sealOf,
    size: async () => (await logBasis()).count,
    reads: (request) => readsPage(sources, request, mostSearched),
    feed: createFeed(reader, pace, mostSearched),
    stored: createStoredEvents(sources),
  };
}
