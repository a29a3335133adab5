/** What the auditor's endpoints answer: items of a history, a contact and a list at a time, events of the feed. For the API description and for tests. */
import { z } from 'zod';
import { profile, tag } from './answers.js';
import {
  contactId,
  count,
  email,
  listId,
  listName,
  maybePosition,
  position,
  subscriptionStatus,
  tagId,
  tagName,
  text,
  time,
} from './values.js';

/** When, by whom and on which request an event was written. */
const origin = {
  at: time.describe('When it happened. Never earlier than the event before it in the same stream.'),
  actor: text('Id of the API key. `mailer`, `cli` and `service` are the service itself.', 'shop'),
  request_id: text('`X-Request-Id` of the request that caused it.', 'order-4711'),
  correlation_id: text('One id per request.', '6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001'),
  causation_id: text(
    'The event that caused this one; the correlation id where a request did.',
    '6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001',
  ),
};

const named = {
  event_id: z.guid(),
  type: text('Name of the event.', 'ContactUnsubscribed'),
};
const summary = text('The event in plain words.', 'Unsubscribed from the list "News".');
const place = {
  stream: text('The stream that the event stands in.', 'contact-0123456789abcdef0123456789abcdef'),
  revision: count.describe('Place in the stream, from 0.'),
  position,
};

const evidenceFields = { ...named, summary, ...origin, ...place };

export const evidence = z
  .strictObject(evidenceFields)
  .meta({ id: 'Evidence', description: 'An event: when, by whom, on which request, and where it stands in the log.' });

const cause = z
  .strictObject({ ...named, at: time, actor: origin.actor, request_id: origin.request_id, position })
  .meta({ id: 'EventReference', description: 'The event that made it so.' });

/** What an event tells that this version of the service cannot read: time, actor and request where its metadata are readable. */
const unreadableFields = {
  ...named,
  summary,
  ...z.strictObject(origin).partial().shape,
  ...place,
  contact_id: contactId.nullable().describe('Null where nothing says whose it is.'),
};
const unreadable = z
  .strictObject(unreadableFields)
  .meta({ id: 'UnreadableEvent', description: 'An event that this version of the service cannot read.' });

const consentFields = z.strictObject({
  source: text('Where the person agreed.', 'signup form').optional(),
  statement: text('What the person agreed to, as it was shown.', 'Yes, send me the newsletter.').optional(),
  ip: text('IPv4 or IPv6.', '203.0.113.7').optional(),
  legal_basis: text('Why the data may be used.', 'consent').optional(),
  occurred_at: time.describe('When the person agreed.').optional(),
});
const consent = consentFields.meta({ id: 'Consent', description: 'How a person agreed.' });

const thenAndNow = {
  name_then: text('The name when the event was written.', 'News'),
  name_now: text('The name now; of a deleted one the last.', 'Letters'),
  deleted_at: time.nullable().describe('Null while it exists.'),
};
const status = subscriptionStatus.nullable();
const afterDeletion = z.literal(true).describe('It was written after the deletion and changed nothing.');

export const historyEvent = z
  .strictObject({
    ...evidenceFields,
    contact_id: contactId.nullable().describe('Null where nothing says whose it is.'),
    list: z.strictObject({ list_id: listId, ...thenAndNow }).optional(),
    previous_status: status.optional().describe('Null on the first event in a list.'),
    status: status.optional().describe('Null when the list was deleted.'),
    tags: z
      .array(z.strictObject({ tag_id: tagId, ...thenAndNow, without_effect: afterDeletion.optional() }))
      .optional(),
    list_ids: z.array(listId).optional().describe('On an event of a tag: the lists in which the contact bore it.'),
    consent: consent.optional(),
    without_effect: afterDeletion.optional(),
    data: z.record(z.string(), z.unknown()).describe('The event in full, as docs/events.md has it.'),
  })
  .meta({
    id: 'HistoryEvent',
    description: 'An event of a contact, or of its lists and tags. What does not apply is absent.',
  });

export const unreadableHistoryEvent = z
  .strictObject({ ...unreadableFields, unreadable: z.literal(true), data: z.unknown() })
  .meta({
    id: 'UnreadableHistoryEvent',
    description: 'An event in its place that this version of the service cannot read; `data` is as stored.',
  });

export const historyItem = z.union([historyEvent, unreadableHistoryEvent]).meta({ id: 'HistoryItem' });

const nextChange = {
  next_change: evidence.nullable().describe('The first event after the time that changed it; null: none.'),
  next_unreadable: unreadable.optional().describe('An unreadable event that may be the next change.'),
};
const reasons = {
  because: evidence.nullable().describe('The event that made it so; null: it has always been so.'),
  ...nextChange,
};

const subscriptionAt = z
  .strictObject({
    list_id: listId,
    list_name: listName.nullable().describe('As it was; null before the list was created.'),
    status: status.describe('Null: not in this list.'),
    consent: z
      .strictObject({ ...consentFields.shape, because: evidence })
      .nullable()
      .describe('The last consent that was recorded for the list.'),
    tags: z.array(z.strictObject({ tag_id: tagId, tag_name: tagName, ...reasons })),
    ...reasons,
  })
  .meta({ id: 'SubscriptionAt', description: 'A contact in a list at a time.' });

const contactAtFields = {
  time,
  contact_id: contactId.nullable().describe('Null: the address had no contact.'),
  existed: z.boolean().nullable().describe('Null: the event that would tell may be unreadable.'),
  created_at: time.nullable(),
  profile: z.strictObject({ email, ...profile, ...reasons }).nullable(),
  next_change: nextChange.next_change.optional().describe('The creation, where there was none yet.'),
  next_unreadable: nextChange.next_unreadable,
  unreadable: z
    .array(unreadable)
    .optional()
    .describe('Events at or before the time that cannot be read. Absent where there are none.'),
};

export const contactAt = z
  .union([
    z
      .strictObject({ ...contactAtFields, subscriptions: z.array(subscriptionAt) })
      .meta({ id: 'ContactAtWithSubscriptions', description: 'Without `list_id`.' }),
    z
      .strictObject({ ...contactAtFields, subscription: subscriptionAt })
      .meta({ id: 'ContactAtInList', description: 'With `list_id`.' }),
  ])
  .meta({ id: 'ContactAt', description: 'A contact as it was at a time, with the reason of each fact.' });

/** A line of the NDJSON of a list at a time. */
export const listAtLine = z
  .discriminatedUnion('line', [
    z.strictObject({
      line: z.literal('list'),
      list_id: listId,
      list_name: listName.nullable().describe('Null before the list was created.'),
      time,
      state: z.enum(['living', 'deleted', 'not_created']),
      because: evidence.nullable().describe('Its creation, last rename or deletion.'),
    }),
    z.strictObject({
      line: z.literal('member'),
      contact_id: contactId,
      email: email.nullable().describe('Null where the creation of the contact cannot be read.'),
      status: subscriptionStatus,
      tags: z.array(tag),
      because: cause,
    }),
    z.strictObject({ line: z.literal('unreadable'), ...unreadableFields }),
    z.strictObject({
      line: z.literal('end'),
      members: count,
      unreadable: count.min(1).optional().describe('Events that could not be read.'),
    }),
  ])
  .meta({ id: 'ListAtLine', description: 'The list, its members, what could not be read, and the end.' });

export const feedEvent = z
  .strictObject({
    position,
    stream: place.stream,
    revision: place.revision,
    ...named,
    at: time.nullable().describe('Null where the metadata cannot be read; so are the next five.'),
    actor: origin.actor.nullable(),
    request_id: origin.request_id.nullable(),
    correlation_id: origin.correlation_id.nullable(),
    causation_id: origin.causation_id.nullable(),
    schema: count.min(1).nullable().describe('Version of the shape of `data`.'),
    data: z.unknown().describe('As stored; a text where it is no JSON.'),
  })
  .meta({ id: 'FeedEvent', description: 'An event as it is stored.' });

/** A page, lines, or events as they come. */
export const feed = {
  data: z.array(feedEvent),
  beside: {
    next_after: maybePosition.describe('Pass it on as `after`.'),
    has_more: z.boolean().describe('There is more to read after `next_after`.'),
  },
  others: { 'application/x-ndjson': feedEvent, 'text/event-stream': feedEvent },
};
