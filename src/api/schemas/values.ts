/** The values that answers are made of: ids, times, days, positions, counts. */
import { z } from 'zod';

const ulid = '01JQ8ZK3V5W7X9YABCDEFGHJKM';

/** An opaque id: prefix and ULID. */
export const id = (prefix: 'grp' | 'lst' | 'tag' | 'con' | 'eml' | 'key', description: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`))
    .meta({ description, examples: [`${prefix}_${ulid}`] });

export const groupId = id('grp', 'Id of a group. Opaque, never used again.');
export const listId = id('lst', 'Id of a list. Opaque, never used again.');
export const tagId = id('tag', 'Id of a tag. Opaque, never used again.');
export const contactId = id('con', 'Id of a contact. Opaque, never used again.');
export const keyId = id('key', 'Id of an API key: the actor of what is done with it.');
export const emailId = id('eml', 'Id of an e-mail. Opaque, never used again.');

export const time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({
    format: 'date-time',
    description: 'ISO 8601, UTC, with milliseconds.',
    examples: ['2026-03-01T10:00:00.123Z'],
  });

export const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .meta({ format: 'date', description: 'A day in UTC.', examples: ['2026-03-01'] });

export const position = z
  .string()
  .regex(/^[0-9]+$/)
  .meta({
    description: 'Place in the log. Digits; positions of one log sort as text.',
    examples: ['00000000000000000042'],
  });

/** Empty before anything is known. */
export const maybePosition = z
  .string()
  .regex(/^[0-9]*$/)
  .meta({ description: 'A position of the log; empty while nothing is known.', examples: ['00000000000000000042'] });

export const count = z
  .int()
  .min(0)
  .meta({ examples: [3] });

export const text = (description: string, ...examples: readonly [string, ...string[]]) =>
  z.string().meta({ description, examples: [...examples] });

export const listName = text('Name of the list, as it was given.', 'Newsletter');
export const tagName = text('Name of the tag, as it was given.', 'VIP');
export const email = text('The e-mail address.', 'ada@example.com');

export const subscriptionStatus = z
  .enum(['Subscribed', 'Unsubscribed'])
  .meta({ id: 'SubscriptionStatus', description: 'The status of a contact in a list.' });
