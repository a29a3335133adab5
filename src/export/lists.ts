/** The lists as they were at a time, with the number of their members: one pass over the log, a few numbers per list. */
import { countsUntil } from '../audit/timeline.js';
import { decoded, readableContact } from '../audit/decoding.js';
import { codec, type DomainEvent } from '../events/codec.js';
import type { RecordedEvent } from '../events/envelope.js';
import { isContactStream } from '../events/streams.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { everyEvent, noteUnreadable, timeOf, versionThen, type ExportLog } from './log.js';
import { tableOf, type Columns, type ExportSource, type ExportRow } from './source.js';

const columns: Columns = {
  list_id: 'text',
  list_name: 'text',
  created_at: 'time',
  state: 'text',
  deleted_at: 'time',
  subscribed: 'integer',
  unsubscribed: 'integer',
};

interface Members {
  Subscribed: number;
  Unsubscribed: number;
}

/** Deleted ones are among them, under their last name and without members. */
export const listsSource = (log: ExportLog): ExportSource => tableOf(columns, () => rows(log));

async function* rows(log: ExportLog): AsyncGenerator<ExportRow> {
  for (const [id, members] of await count(log)) {
    const row = rowOf(log, id, members);
    if (row !== undefined) yield row;
  }
}

/** In the order of their creation. Undefined: it had not been created. */
function rowOf(log: ExportLog, id: string, { Subscribed, Unsubscribed }: Members): ExportRow | undefined {
  const version = versionThen(log, 'list', id);
  const created = log.moment.versions('list', id)?.[0];
  if (version === undefined || created === undefined) return undefined;
  if (version.isDeletion) return [id, version.name, created.at, 'deleted', version.at, 0, 0];
  // Not below zero: the event of joining may be unreadable.
  return [id, version.name, created.at, 'living', null, Math.max(Subscribed, 0), Math.max(Unsubscribed, 0)];
}

const counted = new Set(['ListCreated', 'ContactSubscribed', 'ContactUnsubscribed', 'ContactErased']);

async function count(log: ExportLog): Promise<ReadonlyMap<string, Members>> {
  const lists = new Map<string, Members>();
  const time = timeOf(log);
  for await (const stored of everyEvent(log)) {
    const isCounted = counted.has(stored.type);
    const recorded = isCounted ? readable(stored) : undefined;
    if (recorded !== undefined && recorded.metadata.at <= time) take(lists, recorded, log);
    if (recorded === undefined && (isCounted || isUnknown(stored))) noteUnreadable(log, stored);
  }
  return lists;
}

/** Catalogues have been read before: an unreadable event of theirs has ended the export. */
const readable = (stored: StoredEvent): RecordedEvent<DomainEvent> | undefined =>
  isContactStream(stored.stream) ? readableContact(stored) : decoded(stored);

const isUnknown = ({ type, stream }: StoredEvent): boolean => !codec.knows(type) && isContactStream(stream);

type ErasedData = Extract<DomainEvent, { type: 'ContactErased' }>['data'];

/** An event says what the status was before it, so no member has to be remembered. */
function take(
  lists: Map<string, Members>,
  { event, position }: RecordedEvent<DomainEvent>,
  { moment }: ExportLog,
): void {
  if (event.type === 'ListCreated') lists.set(event.data.list_id, { Subscribed: 0, Unsubscribed: 0 });
  const membersOf = (listId: string): Members | undefined =>
    position > countsUntil(moment, ['list', listId]) ? undefined : lists.get(listId);
  if (event.type === 'ContactErased') leave(event.data, membersOf);
  if (event.type !== 'ContactSubscribed' && event.type !== 'ContactUnsubscribed') return;
  const { list_id, previous_status } = event.data;
  const members = membersOf(list_id);
  if (members === undefined) return;
  members[event.type === 'ContactSubscribed' ? 'Subscribed' : 'Unsubscribed'] += 1;
  if (previous_status !== null) members[previous_status] -= 1;
}

function leave(
  { list_ids, subscribed_list_ids: subscribed }: ErasedData,
  membersOf: (listId: string) => Members | undefined,
): void {
  for (const id of list_ids) {
    const members = membersOf(id);
    if (members !== undefined) members[subscribed.includes(id) ? 'Subscribed' : 'Unsubscribed'] -= 1;
  }
}
