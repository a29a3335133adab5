/** What the endpoints of groups, lists, tags, contacts and e-mail answer: `data` of each, and what may stand beside it. For the API description and for tests. */
import { z } from 'zod';
import { deliveryStates } from '../../projections/emails.js';
import {
  contactId,
  count,
  email,
  emailId,
  groupId,
  listId,
  listName,
  position,
  subscriptionStatus,
  tagId,
  tagName,
  text,
  time,
} from './values.js';

export const nextCursor = z.string().meta({
  description: 'Pass it on as `cursor`, with the same filters, for the next page. Absent on the last page.',
  examples: ['eyJhZnRlciI6ImxzdF8wMSJ9'],
});

export const incomplete = z
  .literal(true)
  .optional()
  .describe('The answer may lack something, because events cannot be read: see `/health/ready`. Else absent.');

/** A page, and what may stand beside it. */
export const pageOf = (item: z.ZodType, more: z.ZodRawShape = {}) => ({
  data: z.array(item),
  beside: { next_cursor: nextCursor.optional(), ...more },
});

const groupName = text('Name of the group, as it was given.', 'Friends');

export const group = z
  .strictObject({ group_id: groupId, group_name: groupName })
  .meta({ id: 'Group', description: 'A group.' });
export const deletedGroup = z.strictObject({ group_id: groupId }).meta({ id: 'DeletedGroup' });

export const list = z
  .strictObject({ list_id: listId, list_name: listName })
  .meta({ id: 'List', description: 'A list.' });
export const deletedList = z.strictObject({ list_id: listId }).meta({ id: 'DeletedList' });

export const tag = z.strictObject({ tag_id: tagId, tag_name: tagName }).meta({ id: 'Tag', description: 'A tag.' });
export const deletedTag = z.strictObject({ tag_id: tagId }).meta({ id: 'DeletedTag' });

export const savedContact = z
  .strictObject({ contact_id: contactId, email, status: subscriptionStatus })
  .meta({ id: 'SavedContact', description: 'A contact that was created or saved. `email` is as the request has it.' });

const lineNumber = z.int().min(1).describe('Number of the line in the request, from 1.');

/** A line of the answer to a bulk request. */
export const bulkLine = z.discriminatedUnion('outcome', [
  z.strictObject({
    line: lineNumber,
    outcome: z.enum(['created', 'updated', 'unchanged']),
    contact_id: contactId,
    status: subscriptionStatus.describe('Of the contact in this list, as it is now.'),
    position,
  }),
  z.strictObject({ line: lineNumber, outcome: z.literal('valid').describe('In a dry run.') }),
  z.strictObject({
    line: lineNumber,
    outcome: z.enum(['refused', 'unavailable']).describe('`unavailable`: send this line and those after it again.'),
    error: z.strictObject({ type: z.string(), message: z.string() }),
  }),
]);

export const changedStatus = z
  .strictObject({ contact_id: contactId, list_id: listId, status: subscriptionStatus })
  .meta({ id: 'ChangedStatus', description: 'The status of a contact in a list.' });

export const addedTags = z
  .strictObject({
    tag_id: tagId.describe('Id of the first named tag.'),
    tag_name: z.array(tagName).min(1).describe('The names of all tags of the request.'),
    tags: z.array(tag).min(1),
  })
  .meta({ id: 'AddedTags', description: 'The tags of the request, in their stored spelling.' });

export const removedTags = z.array(tag).meta({ id: 'RemovedTags', description: 'Those of the named tags that exist.' });

const profileText = (...example: readonly [string]) =>
  z
    .string()
    .nullable()
    .meta({ examples: [...example] });

export const profile = {
  firstName: profileText('Ada'),
  lastName: profileText('Lovelace'),
  phone: profileText('+44 20 7946 0000'),
  dateOfBirth: z
    .string()
    .nullable()
    .meta({ description: '`YYYY-MM-DD`.', examples: ['1985-12-10'] }),
  address: profileText('12 St James’s Square'),
  city: profileText('London'),
  state: profileText('London'),
  country: profileText('United Kingdom'),
  zipcode: profileText('SW1Y 4JH'),
};

const standing = {
  status: subscriptionStatus,
  tags: z.array(tag).describe('The tags of the contact in this list, by id.'),
  because: z
    .strictObject({
      event_id: z.guid(),
      type: z.enum(['ContactSubscribed', 'ContactUnsubscribed']),
      at: time,
      actor: text('Id of the API key.', 'shop'),
      request_id: text('`X-Request-Id` of the request.', 'order-4711'),
      position,
    })
    .meta({ id: 'StatusCause', description: 'The event that made the status so.' }),
};

const contact = {
  contact_id: contactId,
  email,
  ...profile,
  created_at: time,
};

const subscriptions = z
  .array(
    z
      .strictObject({ list_id: listId, list_name: listName, ...standing })
      .meta({ id: 'Subscription', description: 'A contact in a list.' }),
  )
  .describe('The lists that the contact is in, by id.');

export const contactInList = z
  .strictObject({ ...contact, ...standing })
  .meta({ id: 'ContactInList', description: 'A contact with its status and tags in a list.' });

export const contactWithSubscriptions = z
  .strictObject({ ...contact, subscriptions })
  .meta({ id: 'ContactWithSubscriptions', description: 'A contact with all its lists.' });

export const contactInListWithSubscriptions = z.strictObject({ ...contact, ...standing, subscriptions }).meta({
  id: 'ContactInListWithSubscriptions',
  description: 'A contact with its status and tags in a list, and with all its lists.',
});

export const acceptedEmail = z
  .strictObject({
    from_email: text('As it was sent.', 'Ledger <ledger@example.com>'),
    to_email: text('As it was sent.', 'ada@example.com'),
    subject: text('As it was sent.', 'Your receipt'),
    mail_template: text('As it was sent.', '<p>Thank you.</p>'),
  })
  .meta({ id: 'AcceptedEmail', description: 'The four fields of the request.' });

const deliveryState = z.enum(deliveryStates).meta({ id: 'DeliveryState', description: 'What became of an e-mail.' });

export const changedEmail = z.strictObject({ email_id: emailId, state: deliveryState }).meta({ id: 'ChangedEmail' });

export const emailState = z
  .strictObject({
    email_id: emailId,
    state: deliveryState,
    attempts: count.describe('How often it was tried.'),
    requested_at: time,
    sent_at: time.nullable(),
    next_attempt_at: time.nullable().describe('Null when no attempt is planned, or one runs.'),
    last_error: z
      .string()
      .nullable()
      .meta({
        description: 'Reason of the last failure and, where the mail server replied, its codes.',
        examples: ['smtp_5xx 550 5.1.1'],
      }),
  })
  .meta({ id: 'Email', description: 'The state of an e-mail. No addresses, no content.' });
