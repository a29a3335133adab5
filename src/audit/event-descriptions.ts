/** Events in plain words, for people who read no JSON. */
import type { DomainEvent } from '../events/codec.js';
import type { EmailEvent } from '../events/email.js';
import { profileFields, type ContactEvent, type SubscriptionStatus } from '../events/contact.js';

/** One sentence. It may hold personal data only where names of lists and tags do. `listName`: where the event has its id only. */
export function describe(event: DomainEvent, listName?: string): string {
  switch (event.type) {
    case 'ContactCreated':
      return 'The contact was created.';
    case 'ContactProfileChanged':
      return `The profile was changed${event.data.person === null ? '' : `: ${profileChanges(event.data.person)}`}.`;
    case 'ContactSubscribed':
    case 'ContactUnsubscribed': {
      const consent = event.data.person === undefined ? '' : `, with ${consentIn(event)}`;
      return `${statusChange(event)}${consent}.`;
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
      return 'The e-mail was cancelled: it will not be sent.';
    case 'EmailErased':
      return data.reason === 'erasure'
        ? 'What the e-mail said was erased with the person.'
        : 'What the e-mail said was erased, for it had been kept long enough.';
    default:
      return type satisfies never;
  }
}

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
