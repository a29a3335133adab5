/** The contacts as they were at a time, with their lists and tags: folded by the auditor's own rules, one stream after the other. */
import { contactAsOf } from '../audit/contact-as-of.js';
import { livingName, type ContactRecord, type Membership, type Memberships } from '../audit/timeline.js';
import { profileFields } from '../events/contact.js';
import { isContactStream } from '../events/streams.js';
import { everyEvent, timeOf, type ExportLog } from './log.js';
import type { Columns, ExportRecord, ExportSource } from './source.js';
import { inOrder } from '../flow/batches.js';
import { withRetry } from '../eventstore/with-retry.js';

interface ExportedTag {
  readonly tag_id: string;
  readonly tag_name: string;
}

interface ExportedSubscription {
  readonly list_id: string;
  readonly list_name: string;
  readonly status: string;
  readonly since: string;
  readonly tags: readonly ExportedTag[];
}

const columns: Columns = {
  contact_id: 'text',
  email: 'text',
  ...Object.fromEntries(profileFields.map((name) => [name, name === 'dateOfBirth' ? 'day' : 'text'] as const)),
  created_at: 'time',
  list_id: 'text',
  list_name: 'text',
  status: 'text',
  since: 'time',
  tags: 'text',
};

/** Streams that are read from a server at once; results keep their order. */
const streamsAtOnce = 16;

/** In the order of the log in which the contacts' streams begin. */
export const contactsSource = (log: ExportLog): ExportSource => ({
  columns,
  async *records() {
    for await (const contact of inOrder(streams(log), streamsAtOnce, (stream) => contactIn(log, stream)))
      if (contact !== undefined) yield contact;
  },
});

async function* streams(log: ExportLog): AsyncGenerator<string> {
  for await (const { revision, stream } of everyEvent(log))
    if (revision === 0n && isContactStream(stream)) yield stream;
}

/** Undefined: there was no such contact then, its creation cannot be read, or nothing is left of the person. */
async function contactIn(log: ExportLog, stream: string): Promise<ExportRecord | undefined> {
  const { reader, moment, signal } = log;
  const found = await withRetry(() => contactAsOf(reader, { stream, time: timeOf(log), moment, signal }), log);
  for (const event of found?.unreadable ?? []) log.unreadable.note(event);
  if (found?.state.life === undefined || found.state.life.profile.email === null) return undefined;
  const { contactId: contact_id, life, memberships } = found.state;
  const { profile, created } = life;
  const created_at = created.metadata.at;
  const subscriptions = subscriptionsOf(memberships, log);
  return {
    line: () => JSON.stringify({ contact_id, ...profile, created_at, subscriptions }),
    rows() {
      const about = [contact_id, profile.email, ...profileFields.map((field) => profile[field]), created_at];
      if (subscriptions.length === 0) return [[...about, null, null, null, null, null]];
      return subscriptions.map(({ list_id, list_name, status, since, tags }) => {
        // An array, for a name may hold any separator.
        const names = JSON.stringify(tags.map(({ tag_name }) => tag_name));
        return [...about, list_id, list_name, status, since, names];
      });
    },
  };
}

function subscriptionsOf(memberships: Memberships, log: ExportLog): readonly ExportedSubscription[] {
  return [...memberships].sort(byId).flatMap(([list_id, membership]) => {
    const { name: nameThen, status, because } = membership;
    const list_name = livingName(log.moment, ['list', list_id], { time: timeOf(log), nameThen });
    const since = because.metadata.at;
    return list_name === null ? [] : [{ list_id, list_name, status, since, tags: tagsOf(membership, log) }];
  });
}

function tagsOf({ tags }: Membership<ContactRecord>, log: ExportLog): readonly ExportedTag[] {
  return [...tags].sort(byId).flatMap(([tag_id, { name: nameThen }]) => {
    const tag_name = livingName(log.moment, ['tag', tag_id], { time: timeOf(log), nameThen });
    return tag_name === null ? [] : [{ tag_id, tag_name }];
  });
}

const byId = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
