/** The values that answers are made of: ids, times, days, positions, counts, and objects of them. */
import { z } from 'zod';

/** An opaque id: prefix and ULID. */
export const id = (prefix: 'grp' | 'lst' | 'tag' | 'con' | 'eml' | 'key' | 'ers', description?: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`))
    .meta({ ...(description !== undefined && { description }), examples: [`${prefix}_01JQ8ZK3V5W7X9YABCDEFGHJKM`] });

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** When an id was made, in milliseconds since the epoch: its first ten digits. What is no id was made at 0. */
export const timeOfId = (id: string): number =>
  Array.from(id.slice(4, 14)).reduce((time, digit) => time * 32 + Math.max(0, crockford.indexOf(digit)), 0);

export const groupId = id('grp');
export const listId = id('lst');
export const tagId = id('tag');
export const contactId = id('con');
export const keyId = id('key', 'Id of an API key: the actor of what is done with it.');
export const erasureId = id('ers');
export const emailId = id('eml');

const formed = (form: RegExp, description: string, example: string) =>
  z
    .string()
    .regex(form)
    .meta({ description, examples: [example] });

/** ISO 8601, UTC, with milliseconds. */
export const time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ examples: ['2026-03-01T10:00:00.123Z'], format: 'date-time' });
export const day = formed(/^\d{4}-\d{2}-\d{2}$/, 'A day in UTC.', '2026-03-01').meta({ format: 'date' });
export const position = formed(/^[0-9]+$/, 'Place in the log: digits that sort as text.', '00000000000000000042');
/** A position, and the id of the event there. */
export const feedCursor = formed(
  /^([0-9]+(\.[0-9a-f-]{36})?)?$/,
  'Pass it on as `after`. Empty while there is no event.',
  '00000000000000000042.0190163d-8694-739b-aea5-966c26f8ad91',
);

export const maybePosition = formed(
  /^[0-9]*$/,
  'A position of the log; empty while nothing is known.',
  '00000000000000000042',
);

export const count = z
  .int()
  .min(0)
  .meta({ examples: [3] });

export const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });

export const groupName = text('Name of the group, as it was given.', 'Friends');
export const listName = text('Name of the list, as it was given.', 'Newsletter');
export const tagName = text('Name of the tag, as it was given.', 'VIP');
export const email = text('The e-mail address.', 'ada@example.com');

export const subscriptionStatus = z
  .enum(['Subscribed', 'Unsubscribed'])
  .meta({ id: 'SubscriptionStatus', description: 'The status of a contact in a list.' });

/** What a schema describes, as an answer: read-only. */
export type FrozenOutput<Schema extends z.ZodType> = Frozen<z.output<Schema>>;
type Frozen<Value> = Value extends object ? { readonly [Key in keyof Value]: Frozen<Value[Key]> } : Value;

/** An object that has a name in the API document. */
export const object = <Shape extends z.ZodRawShape>(id: string, shape: Shape, description?: string) =>
  z.strictObject(shape).meta({ id, ...(description === undefined ? {} : { description }) });

export const tag = object('Tag', { tag_id: tagId, tag_name: tagName });

/** When, by whom and on which request an event was written. */
export const origin = {
  at: time.describe('When it happened: never before the event before it in the stream.'),
  actor: text('Id of the API key; `mailer`, `cli` or `service`.', 'shop'),
  request_id: text('`X-Request-Id` of the request that caused it.', 'order-4711'),
};
export const event = { event_id: z.guid(), type: text('Name of the event.', 'ContactUnsubscribed') };

export const cause = object('EventReference', { ...event, ...origin, position }, 'The event that made it so.');
