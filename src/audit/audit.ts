/** The answers for auditors, over one log. */
import { createFeed, type Feed } from './feed.js';
import { createHistories, type HistoryPage, type HistoryRequest } from './history.js';
import { listAt, type ListAt, type ListAtRequest } from './list-at.js';
import { createCatalogues } from './names.js';
import { contactAt, type ContactAt, type ContactAtRequest } from './point-in-time.js';
import type { AuditReader } from './reading.js';
import { createReplayPace } from './replay-pace.js';

/**
 * Every answer reads the log as it stands at the call and no view. All throw StoreUnavailableError,
 * UnreadableHistoryError where an event that the answer depends on cannot be read, and ServiceError `unavailable` when
 * too many long histories are asked for at once; a signal ends them with its reason.
 */
export interface Audit {
  /** Undefined, here and below: there never was such a contact or list. */
  history(request: HistoryRequest): Promise<HistoryPage | undefined>;
  contactAt(request: ContactAtRequest): Promise<ContactAt | undefined>;
  listAt(request: ListAtRequest): Promise<ListAt | undefined>;
  readonly feed: Feed;
}

export function createAudit(reader: AuditReader): Audit {
  const sources = { reader, catalogues: createCatalogues(reader), pace: createReplayPace() };
  return {
    history: createHistories(sources),
    contactAt: (request) => contactAt(sources, request),
    listAt: (request) => listAt(sources, request),
    feed: createFeed(reader),
  };
}
