/** The answers for auditors, over one log. */
import { readsPage, type ReadsPage, type ReadsRequest } from './access.js';
import type { Basis, ContactAt } from './answers.js';
import { openAuditContext, type AuditContextRequest, type AuditSources, type AuditContext } from './basis.js';
import { emailsOf, type EmailsOf, type EmailSources, type PersonsEmail } from './emails.js';
import type { Position, StoredEvent } from '../eventstore/event-store.js';
import { createFeed, type Feed } from './feed.js';
import { createHistories, type HistoryPage, type HistoryRequest } from './history.js';
import { listAt, type ListAt, type ListAtRequest } from './list-at.js';
import { createCatalogues, deletionOf, type NamedKind, type NameVersions, type ReplaySources } from './names.js';
import { contactAt, type ContactAtRequest } from './point-in-time.js';
import { createReplayPace, streamPages } from './reading.js';

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
  contactAt(request: ContactAtRequest): Promise<ContactAt>;
  listAt(request: ListAtRequest): Promise<ListAt>;
  lists(): Promise<Lists>;
  /** In the order of their requests. They are found up to `emailsUntil`, to be asked before. */
  emailsOf(request: EmailsOf): AsyncIterable<PersonsEmail>;
  emailsUntil(): Promise<Position>;
  /** Who looked. */
  reads(request: ReadsRequest): Promise<ReadsPage>;
  readonly feed: Feed;
  /** For proofs. */
  readonly stored: StoredEvents;
}

export type AuditOptions = Pick<AuditSources, 'reader' | 'logHead' | 'clock'> & Pick<EmailSources, 'emails'>;

export function createAudit(options: AuditOptions): Audit {
  const { reader } = options;
  const sources = { ...options, catalogues: createCatalogues(reader), pace: createReplayPace() };
  return {
    begin: (request) => openAuditContext(sources, request),
    history: createHistories(sources),
    contactAt: (request) => contactAt(sources, request),
    listAt: (request) => listAt(sources, request),
    lists: () => listsOf(sources),
    emailsOf: (request) => emailsOf(sources, request),
    emailsUntil: () => options.emails.until(),
    reads: (request) => readsPage(sources, request),
    feed: createFeed(reader),
    stored: createStoredEvents(sources),
  };
}

export interface ListOverview {
  readonly list_id: string;
  /** Of a deleted list: its last name. */
  readonly list_name: string;
  readonly created_at: string;
  /** Null while it exists. */
  readonly deleted_at: string | null;
  /** Earlier names, and when each of them ended. */
  readonly earlier_names: readonly { readonly list_name: string; readonly until: string }[];
}

/** In the order of their creation. */
export type Lists = Basis & { readonly lists: readonly ListOverview[] };

export async function listsOf(sources: AuditSources): Promise<Lists> {
  const { moment, basis } = await openAuditContext(sources, { times: [] });
  return { ...basis, lists: [...moment.lists()].flatMap(([id, versions]) => lifeOf(id, versions)) };
}

function lifeOf(list_id: string, versions: NameVersions): readonly ListOverview[] {
  const [first] = versions;
  const last = versions.at(-1);
  if (first === undefined || last === undefined) return [];
  const earlier_names = versions.flatMap(({ name }, index) => {
    const next = versions[index + 1];
    return next === undefined || next.name === name ? [] : [{ list_name: name, until: next.at }];
  });
  const deleted_at = deletionOf(versions)?.at ?? null;
  return [{ list_id, list_name: last.name, created_at: first.at, deleted_at, earlier_names }];
}

export interface StoredEvents {
  /** Pages of one stream from its beginning, of the log as it grows. */
  ofStream(stream: string, signal?: AbortSignal): AsyncIterable<readonly StoredEvent[]>;
  /** Of those that were deleted. */
  deletionsOf(ids: Readonly<Record<NamedKind, ReadonlySet<string>>>): Promise<readonly StoredEvent[]>;
}

export const createStoredEvents = ({ reader, catalogues, pace }: ReplaySources): StoredEvents => ({
  ofStream: (stream, signal) => streamPages(reader, { stream, from: 0n, signal, pace }),
  async deletionsOf({ list, tag }) {
    const moment = await catalogues.now();
    const deleted = (kind: NamedKind, ids: ReadonlySet<string>): readonly string[] =>
      [...ids].flatMap((id) => deletionOf(moment.versions(kind, id))?.position ?? []);
    const events: StoredEvent[] = [];
    for (const position of [...deleted('list', list), ...deleted('tag', tag)]) {
      const event = await reader.readAt(position);
      if (event !== undefined) events.push(event);
    }
    return events;
  },
});
