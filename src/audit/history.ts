/** The history of a contact: every event of its stream, and of its lists and tags, in full and in plain words, page by page. */
import { itemOf, type HistoryItem } from './history-item.js';
import type { Moment, ReplaySources } from './names.js';
import { createPageCache, type PageCache } from './page-cache.js';
import type { AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';
import { initialState, replay, type Step } from './replay.js';
import { ownerOf } from './unreadable.js';

export interface HistoryRequest {
  readonly stream: string;
  /** Only this life of the stream. Default: all of them. */
  readonly contactId?: string | undefined;
  /** Only what is about this list: its own events, the contact's status and consent in it, and the tags there. */
  readonly listId?: string | undefined;
  /** First time that is shown. ISO 8601, UTC, milliseconds. */
  readonly from?: string | undefined;
  /** Last time: every stream is cut after its last event at or before it. */
  readonly to?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  readonly next?: string;
}

export function createHistories({ reader, catalogues, pace }: ReplaySources) {
  const pageCache = createPageCache();
  return async (request: HistoryRequest): Promise<HistoryPage | undefined> => {
    const moment = await catalogues.now();
    if (request.listId !== undefined && moment.versions('list', request.listId) === undefined) return undefined;
    const found = await collect(request, { reader, moment, pageCache, pace });
    if (found === undefined) return undefined;
    const items: HistoryItem[] = [];
    for (const step of found.steps) {
      const item = itemOf(step, moment, catalogues);
      items.push(item instanceof Promise ? await item : item);
    }
    return { items, ...(found.next === undefined ? {} : { next: found.next }) };
  };
}

interface Sources {
  readonly reader: AuditReader;
  readonly pace: ReplayPace;
  readonly moment: Moment;
  readonly pageCache: PageCache;
}

interface Collected {
  readonly steps: readonly Step[];
  readonly next?: string;
}

async function collect(
  request: HistoryRequest,
  { reader, moment, pageCache, pace }: Sources,
): Promise<Collected | undefined> {
  const { stream, to, after = '', limit, signal } = request;
  // The state of a cut stream lacks later events, so it is not valid for the whole stream.
  const key = (position: string): string => `${stream} ${to ?? ''} ${position}`;
  const start = pageCache.get(key(after)) ?? initialState;
  const steps: Step[] = [];
  let isEmpty = start === initialState;
  for await (const some of replay(start, { reader, moment, stream, to, signal, pace, size: limit + 1 }))
    for (const step of some) {
      isEmpty = false;
      if (step.after.position <= after || !isWanted(step, request)) continue;
      if (steps.length === limit) return pageEnding(steps, pageCache, key);
      steps.push(step);
    }
  return isEmpty && (await isUnwritten(reader, stream)) ? undefined : { steps };
}

/** There is more: the next page begins where this one ends. */
function pageEnding(steps: readonly Step[], pageCache: PageCache, key: (position: string) => string): Collected {
  const state = steps.at(-1)?.after ?? initialState;
  pageCache.keep(key(state.position), state);
  return { steps, next: state.position };
}

/** The cut may be before the first event of a stream that exists. */
async function isUnwritten(reader: AuditReader, stream: string): Promise<boolean> {
  for await (const page of reader.readStream(stream, { limit: 1 })) return page.length === 0;
  return true;
}

function isWanted(step: Step, { contactId, listId, from }: HistoryRequest): boolean {
  if (contactId !== undefined && !isOf(step, contactId)) return false;
  if (from !== undefined && (timeOf(step) ?? from) < from) return false;
  return listId === undefined || isAbout(step, listId);
}

/** An event that cannot be read, and whose contact is not known, may be of any contact. */
function isOf(step: Step, contactId: string): boolean {
  if (step.type === 'contact') return step.recorded.event.data.contact_id === contactId;
  if (step.type === 'catalogue') return step.before.contactId === contactId;
  return (ownerOf(step.stored, step.before.contactId) ?? contactId) === contactId;
}

function timeOf(step: Step): string | undefined {
  if (step.type === 'contact') return step.recorded.metadata.at;
  return step.type === 'catalogue' ? step.change.version.at : step.at;
}

function isAbout(step: Step, listId: string): boolean {
  switch (step.type) {
    case 'contact':
      return 'list_id' in step.recorded.event.data && step.recorded.event.data.list_id === listId;
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
