/** What a person is told: the schemas of the export, and the types of its parts. */
import { z } from 'zod';
import { basis, contactAt, historyItem, readRecord, type HistoryItem } from '../audit/answers.js';
import * as value from '../events/values.js';
import { count, object, origin, time, type Answer } from '../events/values.js';

const actor = origin.actor.nullable();

const erasure = object('ErasureOfPerson', {
  erasure_id: value.text('Id of the erasure.', 'ers_01JQ8ZK3V5W7X9YABCDEFGHJKM'),
  requested_at: time.nullable(),
  requested_by: actor,
  reason: value.text('The code that was given.', 'requested').nullable(),
  contact_id: value.contactId.nullable().describe('The contact that it ended; null: there was none.'),
  erased_at: time.nullable(),
  completed_at: time.nullable(),
  emails: count.nullable().describe('How many e-mails were erased.'),
});

export type ErasureOfPerson = Answer<typeof erasure>;

const text = {
  subject: value.text('The subject.', 'Your order'),
  body: value.text('HTML.', '<p>Thank you!</p>'),
};

const email = object('ExportedEmail', {
  email_id: value.emailId,
  erased: z.boolean().describe('What it said is gone.'),
  requested: z
    .strictObject({
      from: value.text('As it was requested.', 'News <news@example.com>'),
      to: value.email,
      ...text,
      variables: z.record(z.string(), z.unknown()).optional(),
    })
    .nullable()
    .describe('Null where it is erased or cannot be read.'),
  sent_as: z.strictObject(text).optional().describe('With the variables filled in. Absent where there are none.'),
  steps: z
    .array(
      z.strictObject({
        at: time.nullable(),
        type: value.text('Name of the event.', 'EmailSent'),
        summary: value.text('The event in plain words.', 'The e-mail was sent.'),
        by: actor,
        request_id: origin.request_id.nullable(),
        response: value.text('What the mail server answered.', '250 OK').optional(),
      }),
    )
    .describe('What became of it, the request first.'),
});

export type ExportedEmail = Answer<typeof email>;

const change = z.strictObject({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() });

export interface ExportedChange {
  readonly event: HistoryItem;
  readonly changes: readonly Answer<typeof change>[];
}

export const personExport = object(
  'PersonExport',
  {
    email: value.email.describe('As it was asked for.'),
    asked_by: origin.actor,
    known: z
      .boolean()
      .describe('False: where was searched, nothing is stored about this address, but who looked for it.'),
    not_searched: z.array(z.string()).describe('Where something about the person may be all the same, in words.'),
    ...basis,
    contact: contactAt.nullable().describe('As it is now. Null: the address never had a contact.'),
    erasures: z.array(erasure).describe('Earlier lives.'),
    kept_after_erasure: z.array(z.strictObject({ what: z.string(), why: z.string() })),
    emails_until: value.maybePosition.describe('The e-mails are complete up to there.'),
    history: z
      .array(
        z.strictObject({
          event: historyItem,
          changes: z.array(change).describe('What it changed in the profile; null: there was no value.'),
        }),
      )
      .describe('Every change, oldest first.'),
    emails: z.array(email).describe('In the order of their requests.'),
    readings: z
      .array(readRecord)
      .describe('Who looked at this record, this reading included where reads are recorded.'),
  },
  'What is stored about an address: as contact and as recipient of e-mails.',
);

/** What is not in parts. */
export type ExportAbout = Omit<Answer<typeof personExport>, 'history' | 'emails' | 'readings'>;
