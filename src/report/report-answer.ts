/** What a report answers: its shape, and the answer in one sentence. */
import { z } from 'zod';
import * as value from '../events/values.js';
import { count, object, origin, position, time, type FrozenOutput } from '../events/values.js';
import { lifeInWords } from '../audit/lives.js';
import {
  contactAtSchema,
  historyItem,
  sealOfAnswer,
  type ContactAt,
  type HistoryItem,
  type SubscriptionAt,
} from '../audit/answers.js';

const failingSeal = object('FailingSeal', {
  count: count.min(1).describe('Number of sealed events.'),
  sealed_at: time,
  reason: value.text('Why it does not hold.', 'the tree over the first 12 events has another root'),
});

export const report = object(
  'Report',
  {
    question: object('ReportQuestion', {
      contact: value.text('As it was asked for.', 'ada@example.com'),
      list_id: value.listId.nullable(),
      time,
      asked_by: origin.actor,
    }),
    answer: value.text(
      'The answer in one sentence. A second sentence follows if the address has had another contact or the contact was erased later.',
      'At 2026-03-01T10:00:00.000Z ada@example.com was subscribed to the list “News”.',
    ),
    contact: contactAtSchema,
    history: z
      .array(
        object('ReportedEvent', {
          ordinal: count.min(1).nullable().describe('Number of the event in the log.'),
          event: historyItem,
        }),
      )
      .describe('Every change, oldest first.'),
    emails: z.array(
      object('ReportedEmail', {
        email_id: value.emailId,
        requested_at: time.nullable(),
        subject: z.string().nullable().describe('Null where the key may not see it.'),
        outcome: z.string().describe('What happened last.'),
        outcome_at: time.nullable(),
      }),
    ),
    emails_until: position.nullable().describe('The e-mails are complete up to there.'),
    seal: sealOfAnswer.describe(
      'The newest seal that holds and covers every event in the report. Null if no seal covers all of them yet.',
    ),
    failing_seal: failingSeal.nullable().describe('The newest seal that does not hold. Null if there is no such seal.'),
    not_proven: z.array(z.string()),
  },
  'What a page about a contact tells.',
);
type WholeReport = FrozenOutput<typeof report>;
export type ReportedEvent = { readonly ordinal: number | null; readonly event: HistoryItem };
export type ReportedEmail = WholeReport['emails'][number];
export type Report = Omit<WholeReport, 'history'> & { readonly history: readonly ReportedEvent[] };

/** `name` is the id or address with which the contact was requested. */
export function answerInWords(contact: ContactAt, name: string): string {
  return [`${answerAtTheTime(contact, name)}.`, ...livesInWords(contact)].join(' ');
}

function answerAtTheTime(contact: ContactAt, name: string): string {
  const { time, existed, profile, erased } = contact;
  if (existed === null) return `Whether there was a contact ${name} at ${time} cannot be told: events cannot be read`;
  if (profile === null) {
    const why = erased === undefined ? '' : `: erased on ${erased.at} by ${erased.actor}`;
    return `At ${time} there was no contact ${name}${why}`;
  }
  const who = `At ${time} ${profile.email ?? name}`;
  if ('subscription' in contact) return `${who} was ${standingIn(contact.subscription)}`;
  return `${who} ${standings(contact.subscriptions)}`;
}

/** The maximum number of lives in the sentence. If there are more, only the list of all lives has them. */
const mostLivesInSentence = 5;

/** Says what the answer leaves out: other contacts of the address, and an erasure after the time. */
function livesInWords({ lives, erased }: ContactAt): readonly string[] {
  const isTold = lives.length === 1 && (lives[0]?.erased === null || erased !== undefined);
  if (lives.length === 0 || isTold) return [];
  const what = `This address has had ${lives.length === 1 ? 'one contact' : `${lives.length} contacts`}`;
  if (lives.length > mostLivesInSentence) return [`${what}.`];
  return [`${what}: ${lives.map(lifeInWords).join('; ')}.`];
}

function standingIn(subscription: SubscriptionAt): string {
  const { status } = subscription;
  const list = `the list ${quoted(subscription)}`;
  if (status === null) return `not in ${list}`;
  return `${status === 'Subscribed' ? 'subscribed to' : 'Unsubscribed in'} ${list}${since(subscription)}`;
}

function standings(subscriptions: readonly SubscriptionAt[]): string {
  const [on, off] = (['Subscribed', 'Unsubscribed'] as const).map((wanted) =>
    subscriptions.filter(({ status }) => status === wanted).map((one) => `${quoted(one)}${since(one)}`),
  );
  const parts = [
    ...(on === undefined || on.length === 0 ? [] : [`subscribed to ${lists(on)}`]),
    ...(off === undefined || off.length === 0 ? [] : [`Unsubscribed in ${lists(off)}`]),
  ];
  return parts.length === 0 ? 'was in no list' : `was ${parts.join(', and ')}`;
}

const since = ({ because }: SubscriptionAt): string => (because === null ? '' : `, since ${because.at}`);

const lists = (names: readonly string[]): string =>
  `the ${names.length === 1 ? 'list' : `${names.length} lists`} ${names.join('; ')}`;

const quoted = ({ list_name, list_id }: SubscriptionAt): string => (list_name === null ? list_id : `“${list_name}”`);
