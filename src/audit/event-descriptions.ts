/** What every audit answer says of an event: its words for people who read no JSON, its place in the log, its consent and status. A new event is described here alone. */
import type { DomainEvent } from '../events/codec.js';
import type { EmailEvent } from '../events/email.js';
import {
  lifeChange,
  profileFields,
  type Consent,
  type ContactEvent,
  type SubscriptionStatus,
} from '../events/contact.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { RefusalKind } from '../events/refusal-kind.js';
import { everyMail, type SuppressionEvent, type SuppressionReason } from '../events/suppressions.js';
import { timeOfId, type cause, type FrozenOutput } from '../events/values.js';
import type { CitedEvent, HistoryItem } from './answers.js';
import { versionBefore, type CataloguesAsOf } from './names.js';

export type Because = FrozenOutput<typeof cause>;

/** One sentence. It may hold personal data only where names of lists and tags do. `listName`: where the event has its id only. */
function describe(event: DomainEvent, listName?: string): string {
  switch (event.type) {
    case 'ContactCreated':
      return 'The contact was created.';
    case 'ContactProfileChanged':
      return `The profile was changed${event.data.person === null ? '' : `: ${profileChanges(event.data.person)}`}.`;
    case 'ContactSubscribed':
    case 'ContactUnsubscribed': {
      const consent = event.data.person === undefined ? '' : `, with ${consentIn(event)}`;
      return `${statusChange(event)}${decisionIn(event)}${consent}.`;
    }
    case 'ConsentRecorded':
      return `Consent was recorded for the list ${quoted(event.data.list_name)}; the status stayed ${event.data.status}.`;
    case 'TagsAttached':
      return `${tagNames(event)} attached in the list ${quoted(listName ?? event.data.list_id)}.`;
    case 'TagsDetached':
      return `${tagNames(event)} removed in the list ${quoted(listName ?? event.data.list_id)}.`;
    case 'ContactErased':
      return 'The person was erased: what is stored before this says nothing of them any more.';
    default:
      return describeCatalogue(event);
  }
}

function describeCatalogue(event: Exclude<DomainEvent, ContactEvent>): string {
  switch (event.type) {
    case 'ListCreated':
      return `The list ${quoted(event.data.list_name)} was created.`;
    case 'ListRenamed':
      return `The list ${quoted(event.data.previous_name)} was renamed ${quoted(event.data.list_name)}.`;
    case 'ListDeleted':
      return `The list ${quoted(event.data.list_name)} was deleted, and with it the subscription.`;
    case 'TagCreated':
      return `The tag ${quoted(event.data.tag_name)} was created.`;
    case 'TagRenamed':
      return `The tag ${quoted(event.data.previous_name)} was renamed ${quoted(event.data.tag_name)}.`;
    case 'TagDeleted':
      return `The tag ${quoted(event.data.tag_name)} was deleted, and with it removed from the contact.`;
    default:
      return `${event.type}.`;
  }
}

/** Without the subject, which is personal. */
export function describeEmail({ type, data }: EmailEvent): string {
  switch (type) {
    case 'EmailRequested':
      return 'An e-mail was requested.';
    case 'EmailDispatchStarted':
      return 'An attempt to send the e-mail began.';
    case 'EmailSent':
      return data.reason === 'written'
        ? 'The e-mail was written to a file, and sent to nobody: there was no mail server.'
        : 'The e-mail was sent.';
    case 'EmailDeferred':
      return `The e-mail was not accepted yet (${data.reason}), and is to be tried again.`;
    case 'EmailFailed':
      return `The e-mail was given up (${data.reason}).`;
    case 'EmailInDoubt':
      return `The e-mail was perhaps sent (${data.reason})${data.next_attempt_at === null ? ', and is held' : ''}.`;
    case 'EmailHeld':
      return `The e-mail is held (${data.reason}).`;
    case 'EmailReleased':
      return 'The e-mail was released: it is to be tried again.';
    case 'EmailCancelled':
      return `The e-mail was cancelled: ${cancelledFor.get(data.reason) ?? 'it will not be sent'}.`;
    case 'EmailBounced':
      return `The e-mail bounced${bounceOf(data)}.`;
    case 'EmailComplained':
      return `The e-mail was called spam by its recipient${data.verified ? '' : ', according to an unverified report'}.`;
    case 'EmailErased':
      return data.reason === 'erasure'
        ? 'What the e-mail said was erased with the person.'
        : 'What the e-mail said was erased, for it had been kept long enough.';
    default:
      return type satisfies never;
  }
}

function bounceOf({ kind, enhanced_code, verified }: Extract<EmailEvent, { type: 'EmailBounced' }>['data']): string {
  const code = enhanced_code === undefined ? '' : ` (${enhanced_code})`;
  const why = kind === 'other' && enhanced_code?.startsWith('4.') ? 'it was not delivered in time' : bouncedFor[kind];
  return `${code}: ${why}${verified ? '' : ', according to an unverified report'}`;
}

const bouncedFor: Readonly<Record<RefusalKind, string>> = {
  hard: 'the mailbox does not exist',
  full: 'the mailbox is full',
  policy: "the recipient's mail server refused the sender or the email",
  other: 'it could not be delivered',
};

const cancelledFor = new Map([
  ['suppressed', 'its recipient refuses such e-mails'],
  ['unsubscribed', 'its recipient is no longer subscribed to the list'],
  ['list_deleted', 'the list that it was for was deleted'],
  ['bounced', 'it was reported as undeliverable'],
  ['complained', 'its recipient called it spam'],
]);

type Suppressed = Extract<SuppressionEvent, { type: 'AddressSuppressed' }>['data'];
type Counted = Extract<SuppressionEvent, { type: 'BounceCounted' }>['data'];

/** `listName`: of the list that is its scope. */
export function describeSuppression({ scope, reason, by }: Suppressed, listName?: string): string {
  const mail = scope === everyMail ? 'all mail' : `mail of the list ${quoted(listName ?? scope)}`;
  const how =
    by === undefined ? '' : by.kind === 'page' ? ', on the page of the e-mail' : ', with the button in the e-mail';
  return `From then on, ${mail} to the address is refused: ${suppressedFor[reason]}${how}.`;
}

export function describeCountedBounce({ kind }: Counted): string {
  const refused =
    kind === 'unclear' ? 'permanently refused the email without a clear reason' : 'temporarily refused the email';
  return `The recipient's mail server ${refused}: this counts toward stopping mail to the address.`;
}

const suppressedFor: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'the mailbox does not exist',
  repeated_bounces: "the recipient's mail server keeps refusing",
  complaint: 'the person called an e-mail spam',
  unsubscribe: 'the person does not want it',
  manual: 'an operator decided this',
};

export const unreadableDescription =
  'This version of the service cannot read this event: its content does not fit its type.';
export const unknownDescription = 'This version of the service cannot read this event: it does not know the type.';

export const withoutEffect = (sentence: string): string =>
  `${sentence.slice(0, -1)}; without effect, for the list had been deleted before.`;

const quoted = (name: string): string => `"${name}"`;

type StatusEvent = Extract<ContactEvent, { type: 'ContactSubscribed' | 'ContactUnsubscribed' }>;
type TagEvent = Extract<ContactEvent, { type: 'TagsAttached' | 'TagsDetached' }>;
type ProfileEvent = Extract<ContactEvent, { type: 'ContactProfileChanged' }>;

function statusChange({ type, data }: StatusEvent): string {
  const list = quoted(data.list_name);
  const isSubscription = type === 'ContactSubscribed';
  if (data.previous_status === null)
    return isSubscription
      ? `Subscribed to the list ${list} for the first time`
      : `Put on the list ${list} unsubscribed`;
  // Not "again": the contact may have come into the list unsubscribed.
  return isSubscription ? `Subscribed to the list ${list}` : `Unsubscribed from the list ${list}`;
}

function consentIn({ type, data }: StatusEvent): string {
  if (type === 'ContactSubscribed') return 'consent';
  return `the ${data.previous_status === null ? 'refusal' : 'withdrawal'} of consent`;
}

/** How the person decided it, where nobody else did. */
function decisionIn({ data: { by } }: StatusEvent): string {
  if (by === undefined) return '';
  const { kind, email_id } = by;
  const email = `the e-mail of ${dayOf(email_id)}`;
  switch (kind) {
    case 'one_click':
      return ` by the person, with the button in ${email}`;
    case 'page':
      return ` by the person, on the page of ${email}`;
    case 'complaint':
      return ` by the person, who complained about ${email}`;
    default:
      return kind satisfies never;
  }
}

const dayOf = (emailId: string): string =>
  new Date(timeOfId(emailId)).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

function tagNames({ data: { tags } }: TagEvent): string {
  const names = tags.map(({ tag_name }) => quoted(tag_name)).join(', ');
  return tags.length === 1 ? `The tag ${names} was` : `The tags ${names} were`;
}

function profileChanges(person: NonNullable<ProfileEvent['data']['person']>): string {
  const changes = profileFields.flatMap((field) => {
    const value = person[field];
    return value === undefined ? [] : [`${field} ${value === null ? 'cleared' : 'set'}`];
  });
  return changes.join(', ');
}

export const statusOf = ({ type }: StatusEvent): SubscriptionStatus =>
  type === 'ContactSubscribed' ? 'Subscribed' : 'Unsubscribed';

export function citedEvent(recorded: RecordedEvent<DomainEvent>, summary: string): CitedEvent {
  const { metadata } = recorded;
  return {
    event_id: recorded.id,
    type: recorded.event.type,
    at: metadata.at,
    summary,
    actor: metadata.actor,
    request_id: metadata.request_id,
    correlation_id: metadata.$correlationId,
    causation_id: metadata.$causationId,
    stream: recorded.stream,
    revision: Number(recorded.revision),
    position: recorded.position,
  };
}

/** Names the event without its content. */
export const eventReference = ({ id, event, metadata, position }: RecordedEvent<DomainEvent>): Because => ({
  event_id: id,
  type: event.type,
  at: metadata.at,
  actor: metadata.actor,
  request_id: metadata.request_id,
  position,
});

export function summaryOf({ event, position, revision }: RecordedEvent<DomainEvent>, moment: CataloguesAsOf): string {
  if (event.type === 'ContactErased' && lifeChange(event, revision) === undefined)
    return 'The erasure went on: it names further lists and tags of the person who was erased.';
  if (event.type !== 'TagsAttached' && event.type !== 'TagsDetached') return describe(event);
  const versions = moment.versions('list', event.data.list_id);
  return describe(event, versions && versionBefore(versions, position)?.name);
}

export function consentOf(event: ContactEvent): Consent | undefined {
  switch (event.type) {
    case 'ContactSubscribed':
    case 'ContactUnsubscribed':
    case 'ConsentRecorded':
      return event.data.person?.consent;
    default:
      return undefined;
  }
}

type Status = SubscriptionStatus | null;

/** The status in its list before and after the event. */
export function statusesOf(event: ContactEvent): { readonly before: Status; readonly after: Status } | undefined {
  switch (event.type) {
    case 'ContactSubscribed':
    case 'ContactUnsubscribed':
      return { before: event.data.previous_status, after: statusOf(event) };
    case 'ConsentRecorded':
      return { before: event.data.status, after: event.data.status };
    default:
      return undefined;
  }
}

/** The values that an event of the profile wrote. None where they were erased. */
export function profileIn({ type, data }: Pick<HistoryItem, 'type' | 'data'>): readonly FieldChange[] {
  if (type !== 'ContactCreated' && type !== 'ContactProfileChanged') return [];
  const person: unknown = typeof data === 'object' && data !== null && 'person' in data ? data.person : undefined;
  if (typeof person !== 'object' || person === null) return [];
  return Object.entries(person).flatMap(([field, value]: [string, unknown]) =>
    field !== 'salt' && (value === null || typeof value === 'string') ? [[field, value] as const] : [],
  );
}

type FieldChange = readonly [field: string, value: string | null];
