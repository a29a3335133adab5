/** What the endpoints of groups, lists, tags, contacts and e-mail answer: `data` of each, and what may stand beside it. For the API description and for tests. */
import { z } from 'zod';
import { profileFields } from '../../../events/contact.js';
import { deliveryStates } from '../../../projections/emails.js';
import * as value from '../../../events/values.js';
import {
  cause,
  contactId,
  count,
  email,
  listId,
  object,
  position,
  subscriptionStatus,
  tag,
  time,
} from '../../../events/values.js';

const nextCursor = value.text(
  'The `cursor` of the next page, with the same filters. Absent on the last.',
  'eyJhZnRlciI6ImxzdF8wMSJ9',
);

export const incomplete = z
  .literal(true)
  .optional()
  .describe('Something may be missing: see `/health/ready`. Else absent.');

/** A page, and what may stand beside it. */
export const pageOf = (item: z.ZodType, more: z.ZodRawShape = {}) => ({
  data: z.array(item),
  beside: { next_cursor: nextCursor.optional(), ...more },
});

export const group = object('Group', { group_id: value.groupId, group_name: value.groupName });
export const list = object('ContactList', { list_id: listId, list_name: value.listName });

export const savedContact = object(
  'SavedContact',
  { contact_id: contactId, email, status: subscriptionStatus },
  'A contact that was created or saved. `email` is as the request has it.',
);

const line = z.int().min(1).describe('Number of the line in the request, from 1.');

/** A line of the answer to a bulk request. */
export const bulkLine = z.discriminatedUnion('outcome', [
  object('SavedLine', {
    line,
    outcome: z.enum(['created', 'updated', 'unchanged']).meta({ id: 'SavedOutcome' }),
    contact_id: contactId,
    status: subscriptionStatus.describe('Of the contact in this list, as it is now.'),
    position,
  }),
  object('ValidLine', { line, outcome: z.literal('valid').describe('In a dry run.') }),
  object('RefusedLine', {
    line,
    outcome: z.enum(['refused', 'unavailable']).meta({
      id: 'RefusedOutcome',
      description: '`unavailable`: send this line and those after it again.',
    }),
    error: object('ErrorOfLine', { type: z.string(), message: z.string() }),
  }),
]);

export const changedStatus = object('ChangedStatus', {
  contact_id: contactId,
  list_id: listId,
  status: subscriptionStatus,
});

export const addedTags = object(
  'AddedTags',
  {
    tag_id: value.tagId.describe('Id of the first named tag.'),
    tag_name: z.array(value.tagName).min(1).describe('The names of all tags of the request.'),
    tags: z.array(tag).min(1),
  },
  'The tags of the request, in their stored spelling.',
);

export const removedTags = z.array(tag).describe('Those of the named tags that exist.');

/** Null where it is empty. */
export const profile = Object.fromEntries(profileFields.map((field) => [field, z.string().nullable()]));

const contact = { contact_id: contactId, email, ...profile, created_at: time };

const standing = {
  status: subscriptionStatus,
  tags: z.array(tag).describe('The tags of the contact in this list, by id.'),
  because: cause,
};

const subscription = object('Subscription', { list_id: listId, list_name: value.listName, ...standing });
const subscriptions = z.array(subscription).describe('The lists that the contact is in, by id.');

export const contactInList = object('ContactInList', { ...contact, ...standing });
export const contactWithSubscriptions = object('ContactWithSubscriptions', { ...contact, subscriptions });
export const contactInListWithSubscriptions = object('ContactInListWithSubscriptions', {
  ...contact,
  ...standing,
  subscriptions,
});

const asSent = z.string().describe('As it was sent.');
export const acceptedEmail = object('AcceptedEmail', {
  from_email: asSent,
  to_email: asSent,
  subject: asSent,
  mail_template: asSent,
});

const deliveryState = z.enum(deliveryStates).meta({ id: 'DeliveryState', description: 'What became of an e-mail.' });

export const changedEmail = object('ChangedEmail', { email_id: value.emailId, state: deliveryState });

export const emailState = object(
  'Email',
  {
    email_id: value.emailId,
    state: deliveryState,
    attempts: count.describe('How often it was tried.'),
    requested_at: time,
    sent_at: time.nullable(),
    next_attempt_at: time.nullable().describe('Null when no attempt is planned, or one runs.'),
    last_error: value
      .text('Reason of the last failure and, where the mail server replied, its codes.', 'smtp_5xx 550 5.1.1')
      .nullable(),
  },
  'The state of an e-mail. No addresses, no content.',
);
