/** The answer of a report in one sentence. */
import type { ContactAt, SubscriptionAt } from './answers.js';

/** `name`: what the contact was asked for by. */
export function answerOf(contact: ContactAt, name: string): string {
  const { time, existed, profile } = contact;
  if (existed === null) return `Whether there was a contact ${name} at ${time} cannot be told: events cannot be read.`;
  if (profile === null) return `At ${time} there was no contact ${name}.`;
  const who = `At ${time} ${profile.email}`;
  if ('subscription' in contact) return `${who} was ${standingIn(contact.subscription)}.`;
  return `${who} ${standings(contact.subscriptions)}.`;
}

function standingIn(subscription: SubscriptionAt): string {
  const { status } = subscription;
  const list = `the list ${quoted(subscription)}`;
  if (status === null) return `not in ${list}`;
  return `${status === 'Subscribed' ? 'subscribed to' : 'unsubscribed from'} ${list}${since(subscription)}`;
}

function standings(subscriptions: readonly SubscriptionAt[]): string {
  const [on, off] = (['Subscribed', 'Unsubscribed'] as const).map((wanted) =>
    subscriptions.filter(({ status }) => status === wanted).map((one) => `${quoted(one)}${since(one)}`),
  );
  const parts = [
    ...(on === undefined || on.length === 0 ? [] : [`subscribed to ${lists(on)}`]),
    ...(off === undefined || off.length === 0 ? [] : [`unsubscribed from ${lists(off)}`]),
  ];
  return parts.length === 0 ? 'was in no list' : `was ${parts.join(', and ')}`;
}

const since = ({ because }: SubscriptionAt): string => (because === null ? '' : `, since ${because.at}`);

const lists = (names: readonly string[]): string =>
  `the ${names.length === 1 ? 'list' : `${names.length} lists`} ${names.join('; ')}`;

const quoted = ({ list_name, list_id }: SubscriptionAt): string => (list_name === null ? list_id : `“${list_name}”`);
