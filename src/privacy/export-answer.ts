/** What a person is told: the schemas of the export, the types of its parts, and what it says beside what it found. */
import { z } from 'zod';
import {
  basisWithoutSeal,
  contactAtSchema,
  historyItem,
  readRecordSchema,
  sealOfAnswer,
  type HistoryItem,
} from '../audit/answers.js';
import { addressSuppressions } from '../audit/suppressions.js';
import * as value from '../events/values.js';
import { count, object, origin, time, type FrozenOutput } from '../events/values.js';

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

export type ErasureOfPerson = FrozenOutput<typeof erasure>;

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
    .meta({ id: 'RequestedEmail' })
    .nullable()
    .describe('Null where it is erased or cannot be read.'),
  sent_as: object('RenderedEmail', text)
    .optional()
    .describe('With the variables filled in. Absent where there are none.'),
  steps: z
    .array(
      object('EmailStep', {
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

export type ExportedEmail = FrozenOutput<typeof email>;

const change = object('ProfileChange', {
  field: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

export interface ExportedChange {
  readonly event: HistoryItem;
  readonly changes: readonly FrozenOutput<typeof change>[];
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
    ...basisWithoutSeal,
    contact: contactAtSchema.nullable().describe('As it is now. Null: the address never had a contact.'),
    erasures: z.array(erasure).describe('The erasures of the person, oldest first. `contact.lives` has the contacts.'),
    kept_after_erasure: z.array(object('KeptAfterErasure', { what: z.string(), why: z.string() })),
    refused_mail: addressSuppressions.describe('Mail that does not go to the address, and how it came to that.'),
    emails_until: value.maybePosition.describe('The e-mails are complete up to there.'),
    history: z
      .array(
        object('ExportedChange', {
          event: historyItem,
          changes: z.array(change).describe('What it changed in the profile; null: there was no value.'),
        }),
      )
      .describe('Every change, oldest first.'),
    emails: z.array(email).describe('In the order of their requests.'),
    readings: z
      .array(readRecordSchema)
      .describe('Who looked at this record, this reading included where reads are recorded.'),
    seal: sealOfAnswer.describe(
      'The newest seal that covers all of this but `readings`. Null if no seal covers it yet.',
    ),
  },
  'What is stored about an address: as contact and as recipient of e-mails.',
);

/** The members that are known before the parts are read. */
export type ExportAbout = Omit<FrozenOutput<typeof personExport>, 'history' | 'emails' | 'readings' | 'seal'>;

/** Where it did not look. As docs/privacy.md has it, and so the next. */
export const notSearched: readonly string[] = [
  'The address as that of a sender: it stands in e-mails to others, which are found by their recipients only.',
  'What others wrote about the person: in an e-mail to somebody else, in the name of a group, list or tag, in the id of a request.',
  'What has left the service: delivered e-mails, exported files, copies and backups, logs of proxies and mail servers.',
];

/** What stays when the person is erased. */
export const keptAfterErasure: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'A pseudonym of the address: a hash under a key that the operator has. It names the streams of events. Who has the key and knows the address can find them again, so what stays is pseudonymised personal data, and not anonymous.',
    why: 'So that the same erasure is not forgotten when a backup is put back, and that a repeated request is recognised.',
  },
  {
    what: 'That something happened to this pseudonym, and when: the events without what they said about the person. In its place stands a digest (SHA-256 with a random salt that is erased, too), from which nothing can be computed back.',
    why: 'Every proof is computed over all events of the record. Removing an event completely would break the proofs about everyone else.',
  },
  {
    what: 'Which lists the pseudonym was in and which tags it bore, and how e-mails ended: ids of the contact, of e-mails, lists and tags, the names of lists and tags, which may tell something by themselves, the ids of requests and of the API keys that made them, reply codes of mail servers, keyed hashes of what was requested, and counts.',
    why: 'They say how lists grew and who did what.',
  },
  {
    what: 'That mail to this pseudonym is refused: of which list or of every kind, for which reason, and since when. Not the address, and not what was said about it.',
    why: 'So that you are not written to again, by an import or because somebody enters your address once more. It is asked for by the address only, and goes where you want it to go with the rest.',
  },
  {
    what: 'The register of erasures, with the reason as a code, and the record of who looked: under the pseudonym, with times.',
    why: 'They prove that the erasure was carried out, and who had read what before.',
  },
];
