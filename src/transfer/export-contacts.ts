/** The contacts as they were at a time, with their lists and tags: folded by the auditor's own rules, one stream after the other. */
import { foldContact, type ContactFold, type Life, type Membership } from '../audit/contact-fold.js';
import { profileFields } from '../events/contact.js';
import { isContactStream } from '../events/streams.js';
import { everyEvent, timeOf, versionThen, type ExportLog } from './export-log.js';
import type { Column, ExportSource, Row } from './export-source.js';
import { inOrder } from './in-order.js';
import { withRetry } from './with-retry.js';

interface ExportedTag {
  readonly tag_id: string;
  readonly tag_name: string;
}

interface ExportedSubscription {
  readonly list_id: string;
  readonly list_name: string;
  readonly status: string;
  /** When the status became so. */
  readonly since: string;
  readonly tags: readonly ExportedTag[];
}

interface ExportedContact {
  readonly contact_id: string;
  readonly profile: Life['profile'];
  readonly created_at: string;
  readonly subscriptions: readonly ExportedSubscription[];
}

const columns: readonly Column[] = [
  { name: 'contact_id', type: 'text' },
  { name: 'email', type: 'text' },
  ...profileFields.map((name): Column => ({ name, type: 'text' })),
  { name: 'created_at', type: 'time' },
  { name: 'list_id', type: 'text' },
  { name: 'list_name', type: 'text' },
  { name: 'status', type: 'text' },
  { name: 'since', type: 'time' },
  { name: 'tags', type: 'text' },
];

/** A server is asked for so many streams at once; the answers wait for their turn. */
const streamsAtOnce = 16;

/** In the order of the log in which the contacts' streams begin. */
export const contactsSource = (log: ExportLog): ExportSource<ExportedContact> => ({
  columns,
  async *records() {
    for await (const contact of inOrder(streams(log), streamsAtOnce, (stream) => contactIn(log, stream)))
      if (contact !== undefined) yield contact;
  },
  lineOf: ({ contact_id, profile, created_at, subscriptions }) =>
    JSON.stringify({ contact_id, ...profile, created_at, subscriptions }),
  rowsOf({ contact_id, profile, created_at, subscriptions }) {
    const about = [contact_id, profile.email, ...profileFields.map((field) => profile[field]), created_at];
    if (subscriptions.length === 0) return [[...about, null, null, null, null, null]];
    return subscriptions.map((subscription) => [...about, ...subscriptionCells(subscription)]);
  },
});

/** Tags as a JSON array of names, for a name may hold any separator. */
const subscriptionCells = ({ list_id, list_name, status, since, tags }: ExportedSubscription): Row => [
  list_id,
  list_name,
  status,
  since,
  JSON.stringify(tags.map(({ tag_name }) => tag_name)),
];

async function* streams(log: ExportLog): AsyncGenerator<string> {
  for await (const { revision, stream } of everyEvent(log))
    if (revision === 0n && isContactStream(stream)) yield stream;
}

/** Undefined: there was no such contact then, or its creation cannot be read. */
async function contactIn(log: ExportLog, stream: string): Promise<ExportedContact | undefined> {
  const { reader, moment, signal } = log;
  const request = { stream, time: timeOf(log), moment, signal };
  const fold = await withRetry(() => foldContact(reader, request), log);
  for (const event of fold?.unreadable ?? []) log.unreadable.note(event);
  if (fold?.life === undefined) return undefined;
  const { contactId, profile, created } = fold.life;
  return {
    contact_id: contactId,
    profile,
    created_at: created.metadata.at,
    subscriptions: subscriptionsOf(fold, log),
  };
}

function subscriptionsOf({ memberships }: ContactFold, log: ExportLog): readonly ExportedSubscription[] {
  return [...memberships].sort(byId).flatMap(([list_id, membership]) => {
    const list = versionThen(log, 'list', list_id);
    const { status, fact } = membership;
    if (status === null || list?.isDeletion === true) return [];
    const because = fact.because;
    const since = because !== undefined && 'metadata' in because ? because.metadata.at : '';
    return [{ list_id, list_name: list?.name ?? membership.name, status, since, tags: tagsOf(membership, log) }];
  });
}

function tagsOf({ tags }: Membership, log: ExportLog): readonly ExportedTag[] {
  return [...tags].sort(byId).flatMap(([tag_id, held]) => {
    const tag = versionThen(log, 'tag', tag_id);
    return tag?.isDeletion === true ? [] : [{ tag_id, tag_name: tag?.name ?? held.name }];
  });
}

const byId = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
