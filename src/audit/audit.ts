/** The auditor's answers, all over one log and one memory of its names. */
import { createFeed, type Feed } from './feed.js';
import { createHistories, type HistoryPage, type HistoryRequest } from './history.js';
import { createLists, type ListAt, type ListAtRequest } from './list-at.js';
import { createCatalogues } from './names.js';
import { createPointInTime, type ContactAt, type ContactAtRequest } from './point-in-time.js';
import type { AuditReader } from './reading.js';

/**
 * Every answer reads the log as it stands at the call and no view. All throw StoreUnavailableError, and
 * UnreadableHistoryError where an event that the answer rests on cannot be read; a signal ends them with its reason.
 */
export interface Audit {
  /** Undefined: nothing was ever written of such a contact or list. */
  history(request: HistoryRequest): Promise<HistoryPage | undefined>;
  /** Undefined: nothing was ever written of such a contact or list. */
  contactAt(request: ContactAtRequest): Promise<ContactAt | undefined>;
  /** Undefined: there never was such a list. */
  listAt(request: ListAtRequest): Promise<ListAt | undefined>;
  readonly feed: Feed;
}

export function createAudit(reader: AuditReader): Audit {
  const catalogues = createCatalogues(reader);
  return {
    history: createHistories(reader, catalogues).page,
    contactAt: createPointInTime(reader, catalogues).contactAt,
    listAt: createLists(reader, catalogues).listAt,
    feed: createFeed(reader),
  };
}
