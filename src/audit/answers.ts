/** What auditors are answered: items of a history, a contact at a time, events of the feed, who looked. */
import { z } from 'zod';
import * as value from '../events/values.js';
import { cause, count, event, object, origin, position, subscriptionStatus, tag, time } from '../events/values.js';
import type { FrozenOutput } from '../events/values.js';

const correlation = value.text('One id per request.', '6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001');
const circumstances = {
  ...origin,
  correlation_id: correlation,
  causation_id: correlation.describe('Id of the event that caused it, else the correlation id.'),
};
const named = { ...event, summary: value.text('The event in plain words.', 'Unsubscribed from the list "News".') };
const place = {
  stream: value.text('The stream that the event stands in.', 'contact-0123456789abcdef0123456789abcdef'),
  revision: count.describe('Place in the stream, from 0.'),
  position,
};

const citedEventFields = { ...named, ...circumstances, ...place };
export const evidenceSchema = object(
  'Evidence',
  citedEventFields,
  'An event: when, by whom, on which request, and where it stands.',
);
export type CitedEvent = FrozenOutput<typeof evidenceSchema>;

const life = object(
  'ContactLife',
  {
    contact_id: value.contactId.nullable().describe('Null if no readable event names the contact.'),
    created_at: time.nullable().describe('When the contact was created. Null if the event cannot be read.'),
    created: cause.nullable().describe('The event that created the contact. Null if it cannot be read.'),
    erased_at: time.nullable().describe('When the contact was erased. Null if it was not erased.'),
    erasure_id: value.erasureId.nullable().describe('The erasure that ended the contact.'),
    erased: cause.nullable().describe('The event that erased the contact. Null if the contact was not erased.'),
  },
  'A contact that an address has or had, from its creation to its erasure.',
);
export type ContactLife = FrozenOutput<typeof life>;
const lives = z
  .array(life)
  .describe(
    'Every contact that the address has had, oldest first, whatever time or contact the request names. A person who was erased and came back is a new contact.',
  );

const contactId = value.contactId.nullable().describe('Null where nothing says whose it is.');
export const unreadableFields = {
  ...named,
  ...z.strictObject(circumstances).partial().shape,
  ...place,
  contact_id: contactId,
};
const unreadable = object(
  'UnreadableEvent',
  unreadableFields,
  'An event that this version of the service cannot read. Time, actor and request stand there where they are readable.',
);
export type UnreadableEvent = FrozenOutput<typeof unreadable>;

const howAgreed = z
  .strictObject({
    source: value.text('Where the person agreed.', 'signup form'),
    statement: value.text('What the person agreed to, as it was shown.', 'Yes, send me the newsletter.'),
    ip: value.text('IPv4 or IPv6.', '203.0.113.7'),
    legal_basis: value.text('Why the data may be used.', 'consent'),
    occurred_at: time.describe('When the person agreed.'),
  })
  .partial();

const thenAndNow = {
  name_then: value.text('The name when the event was written.', 'News'),
  name_now: value.text('The name now; of a deleted one the last.', 'Letters'),
  deleted_at: time.nullable().describe('Null while it exists.'),
};
export type NameThenAndNow = FrozenOutput<z.ZodObject<typeof thenAndNow>>;
const status = subscriptionStatus.nullable();
const withoutEffect = z.literal(true).optional().describe('It was written after the deletion and changed nothing.');

const email = object(
  'EmailOfHistory',
  {
    email_id: value.emailId,
    subject: value.text('As it went out; null to a key without `email:read`.', 'Welcome').nullable(),
  },
  'An e-mail to this person.',
);

const historyEvent = object(
  'HistoryEvent',
  {
    kind: z.literal('event'),
    ...citedEventFields,
    contact_id: contactId,
    list: object('ListThenAndNow', { list_id: value.listId, ...thenAndNow }).optional(),
    previous_status: status.optional().describe('Null on the first event in a list.'),
    status: status.optional().describe('Null when the list was deleted.'),
    tags: z
      .array(object('TagThenAndNow', { tag_id: value.tagId, ...thenAndNow, without_effect: withoutEffect }))
      .optional(),
    list_ids: z
      .array(value.listId)
      .optional()
      .describe('On an event of a tag: the lists in which the contact bore it.'),
    consent: howAgreed.meta({ id: 'RecordedConsent' }).optional(),
    email: email.optional(),
    without_effect: withoutEffect,
    data: z
      .record(z.string(), z.unknown())
      .describe('The event in full, as docs/events.md has it; of an e-mail without its text.'),
  },
  'An event of a contact, of its lists and tags, or of an e-mail to it. What does not apply is absent.',
);

const unreadableHistoryEvent = object(
  'UnreadableHistoryEvent',
  {
    kind: z.literal('unreadable'),
    ...unreadableFields,
    unreadable: z.literal(true),
    email: email.optional(),
    data: z.unknown(),
  },
  'An event in its place that this version of the service cannot read; `data` is as stored.',
);

type HistoryEvent = Omit<FrozenOutput<typeof historyEvent>, 'data' | 'kind' | keyof UnreadableEvent>;
/** What does not apply is undefined, and so not in the answer. */
export type HistoryItem = Partial<HistoryEvent> &
  UnreadableEvent & {
    readonly kind: 'event' | 'unreadable';
    readonly unreadable?: true;
    readonly data: unknown;
  };
export const historyItem = z
  .discriminatedUnion('kind', [historyEvent, unreadableHistoryEvent])
  .meta({ id: 'HistoryItem' });

const hash = value.text('SHA-256, hex.', 'a3'.repeat(32));
const answerSeal = object(
  'SealOfAnswer',
  {
    seq: count.describe('Number of the seal among the seals of the log.'),
    restores: count.describe('Number of restores from a backup among the sealed events.'),
    count: count.min(1).describe('Number of sealed events.'),
    root: hash.describe('Root of the tree over the sealed events, hex.'),
    sealed_at: time,
    key_fingerprint: hash.describe('SHA-256 of the public key that signed, hex.'),
  },
  'The seal that an answer rests on. `GET /v1/audit/seals` has its signature.',
);
export type SealOfAnswer = FrozenOutput<typeof answerSeal>;
export const sealOfAnswer = answerSeal
  .nullable()
  .describe('The newest seal that covers every event in the answer. Null if no seal covers them yet.');

/** The basis of every line of a list. The seal comes with the last line, when all events are known. */
export const basisWithoutSeal = {
  answered_at: time,
  log_id: z.guid().nullable().describe('Null: nothing was ever written to the log.'),
  position: value.maybePosition.describe('Position of the last event of the log when the question was answered.'),
  count: count
    .nullable()
    .describe('Number of events in the log, up to `position`. Null if the newest events have not been counted yet.'),
  future: z
    .literal(true)
    .optional()
    .describe('A time that was asked for had not come: until then the answer may change.'),
  list_note: value.text('Which list was taken for a name.', '"News" stands for the list lst_01J….').optional(),
};
/** The basis of an answer. */
export const basis = { ...basisWithoutSeal, seal: sealOfAnswer };
export type Basis = FrozenOutput<z.ZodObject<typeof basis>>;
export type BasisWithoutSeal = Omit<Basis, 'seal'>;
/** Which log it is and where it ends. */
export type LogBasis = Pick<Basis, 'log_id' | 'position' | 'count'>;

/** The members beside the items of a history. */
export const historyBasis = {
  ...basis,
  lives,
  emails_until: value.maybePosition.optional().describe('The e-mails are complete up to here. Absent with `list_id`.'),
};

const nextChange = {
  next_change: evidenceSchema.nullable().describe('The first event after the time that changed it; null: none.'),
  next_unreadable: unreadable.optional().describe('An unreadable event that may be the next change.'),
};
export type NextChange = FrozenOutput<z.ZodObject<typeof nextChange>>;
const reasons = {
  because: evidenceSchema.nullable().describe('The event that made it so; null: it has always been so.'),
  ...nextChange,
};
/** What made a fact so, and what changed it next. */
export type Reasons = FrozenOutput<z.ZodObject<typeof reasons>>;

const subscriptionAt = object('SubscriptionAt', {
  list_id: value.listId,
  list_name: value.listName.nullable().describe('As it was; null before the list was created.'),
  status: status.describe('Null: not in this list.'),
  consent: howAgreed
    .extend({ because: evidenceSchema })
    .meta({ id: 'ConsentAt' })
    .nullable()
    .describe('The last consent that was recorded for the list, also after its deletion.'),
  tags: z.array(tag.extend(reasons).meta({ id: 'TagAt' })),
  ...reasons,
});
export type SubscriptionAt = FrozenOutput<typeof subscriptionAt>;

const cleared = z.string().nullable();
const profile = {
  email: value.email.nullable().describe('Null: the person is erased.'),
  firstName: cleared,
  lastName: cleared,
  phone: cleared,
  dateOfBirth: cleared,
  address: cleared,
  city: cleared,
  state: cleared,
  country: cleared,
  zipcode: cleared,
};
export type ProfileValues = FrozenOutput<z.ZodObject<typeof profile>>;

const contactAtFields = {
  time,
  ...basis,
  contact_id: value.contactId.nullable().describe('Null: the address had no contact.'),
  existed: z.boolean().nullable().describe('Null: the event that would tell may be unreadable.'),
  created_at: time.nullable(),
  erased: evidenceSchema
    .optional()
    .describe(
      'The erasure that ended the contact before the time. Absent if the contact existed then, or had not been created.',
    ),
  lives,
  profile: object('ProfileAt', { ...profile, ...reasons }).nullable(),
  ...z.strictObject(nextChange).partial().shape,
  unreadable: z
    .array(unreadable)
    .optional()
    .describe('Events at or before the time that cannot be read. Absent where there are none.'),
};

export const contactAtSchema = z
  .union([
    object('ContactAtWithSubscriptions', { ...contactAtFields, subscriptions: z.array(subscriptionAt) }),
    object('ContactAtInList', { ...contactAtFields, subscription: subscriptionAt }, 'With `list_id`.'),
  ])
  .meta({ id: 'ContactAt', description: 'A contact as it was at a time, with the reason of each fact.' });
export type ContactAt = FrozenOutput<typeof contactAtSchema>;

const feedEvent = object(
  'FeedEvent',
  {
    ...place,
    ...event,
    at: circumstances.at.nullable().describe('Null where the metadata cannot be read; so are the next five.'),
    actor: circumstances.actor.nullable(),
    request_id: circumstances.request_id.nullable(),
    correlation_id: circumstances.correlation_id.nullable(),
    causation_id: circumstances.causation_id.nullable(),
    schema: count.min(1).nullable().describe('Version of the shape of `data`.'),
    data: z.unknown().describe('As stored; a text where it is no JSON.'),
  },
  'An event as it is stored.',
);
export type FeedEvent = FrozenOutput<typeof feedEvent>;

export const eventInFull = object(
  'EventInFull',
  {
    ...feedEvent.shape,
    ordinal: count.min(1).nullable().describe('Number of the event in the log. Null if it has not been counted yet.'),
    leaf: hash.nullable().describe('Leaf of the event in the tree, hex. Null if the event has not been counted yet.'),
  },
  'An event as it is stored, with its number in the log and its leaf.',
);

/** A page, lines, or events as they come. */
export const feed = {
  data: z.array(feedEvent),
  beside: {
    next_after: value.feedCursor,
    has_more: z.boolean().describe('There is more to read after `next_after`.'),
    searched: count.describe('Number of events that were read for this page, whether they matched or not.'),
    total: count.nullable().describe('Number of events in the log. Null if the number is not known.'),
  },
  others: { 'application/x-ndjson': feedEvent, 'text/event-stream': feedEvent },
};

const readTime = time.nullable().describe('Of the times that were asked for; null: none.');

export const readRecordSchema = object(
  'ReadRecord',
  {
    at: origin.at.nullable().describe('Null where the event cannot be read; so may be all but `position`.'),
    actor: origin.actor.nullable(),
    request_id: origin.request_id.nullable(),
    what: value.text('What was read: see docs/events.md.', 'history').nullable(),
    subject: value
      .text('Key of the stream of a contact, id of a list, or `log`.', '0123456789abcdef0123456789abcdef')
      .nullable(),
    from: readTime,
    to: readTime,
    position,
  },
  'Somebody looked.',
);
export type ReadRecord = FrozenOutput<typeof readRecordSchema>;
