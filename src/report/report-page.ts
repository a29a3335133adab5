/** A report as a page of HTML that is whole by itself: it can be kept, sent and printed, and loads and runs nothing. */
import { readFileSync } from 'node:fs';
import type { Consent } from '../events/contact.js';
import { profileFields } from '../events/contact.js';
import type { ContactAt, CitedEvent, ContactLife, ProfileValues, SubscriptionAt } from '../audit/answers.js';
import { profileIn } from '../audit/event-descriptions.js';
import { rendered } from './page.js';
import type { Report, ReportedEmail, ReportedEvent } from './report-answer.js';

const template = readFileSync(new URL('./report.mustache', import.meta.url), 'utf8');

export function reportPage({ question, contact, history, emails, ...rest }: Report): string {
  const { answered_at, log_id, position, count, future = false, list_note = false } = contact;
  return rendered(template, {
    title: `Report on ${question.contact}`,
    ...rest,
    ...question,
    ...{ answered_at, log_id, position, count, future, list_note },
    contact_id: contact.contact_id ?? 'CONTACT',
    lives: contact.lives.length === 0 ? false : { rows: contact.lives.map((life) => lifeRow(life, question.time)) },
    profile: profileRows(contact),
    subscriptions: subscriptionsOf(contact).map(subscriptionRow),
    unreadable: contact.unreadable ?? [],
    history: history.map((one) => eventRow(one, { time: question.time, hasLives: contact.lives.length > 1 })),
    emails: emails.length === 0 ? false : { rows: emails.map((one) => emailRow(one, question.time)) },
  });
}

export const lifeRow = ({ contact_id, created_at, created, erased_at, erased }: ContactLife, time: string) => ({
  contact_id: contact_id ?? 'unknown',
  created_at: created_at ?? 'at an unknown time',
  created_by: created?.actor ?? 'unknown',
  isCreatedLater: isLater(created_at, time),
  end: erased !== null && { erased_at, by: erased.actor, request_id: erased.request_id },
  isErasedLater: isLater(erased_at, time),
});

const emailRow = ({ requested_at, subject, outcome, outcome_at }: ReportedEmail, time: string) => ({
  isLater: isLater(requested_at, time),
  isOutcomeLater: isLater(outcome_at, time),
  requested_at: requested_at ?? 'unknown',
  subject: subject ?? '(not shown)',
  outcome,
  outcome_at: outcome_at ?? 'unknown',
});

export const subscriptionsOf = (contact: ContactAt): readonly SubscriptionAt[] =>
  'subscription' in contact ? [contact.subscription] : contact.subscriptions;

export function profileRows({ profile }: ContactAt) {
  if (profile === null) return false;
  return { rows: [{ name: 'email', value: profile.email ?? '(erased)' }, ...valuesOf(profile)] };
}

const valuesOf = (values: Partial<ProfileValues>) =>
  profileFields.flatMap((field) => {
    const value = values[field];
    return value === undefined || value === null ? [] : [{ name: nameInWords(field), value }];
  });

/** A name of the API as people write it: `firstName`, `first_name`. */
export const nameInWords = (name: string): string =>
  name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export function subscriptionRow({ list_id, list_name, status, consent, tags, because }: SubscriptionAt) {
  return {
    list_id,
    list_name: list_name ?? list_id,
    status: status ?? 'Not in the list',
    because: because ?? false,
    tags: tags.length === 0 ? false : { names: joined(tags) },
    consent: consent === null ? false : recordedConsent(consent),
  };
}

function recordedConsent({ because: recorded, ...consent }: NonNullable<SubscriptionAt['consent']>) {
  return { ...consentRow(consent, recorded), recorded };
}

/** All that was recorded of it: when first, then the rest under its own name. */
export function consentRow(consent: Consent, { type }: Pick<CitedEvent, 'type'>) {
  const isRefused = type === 'ContactUnsubscribed';
  const { statement, occurred_at, source, legal_basis, ip, ...others } = consent;
  const facts = Object.entries({
    [isRefused ? 'said at' : 'given at']: occurred_at,
    source,
    [isRefused ? 'legal basis that it concerns' : 'legal basis']: legal_basis,
    from: ip,
    ...others,
  });
  return {
    title: isRefused ? 'Consent refused or withdrawn' : 'Consent',
    rows: joined(facts.flatMap(([name, value]) => (value === undefined ? [] : [{ name: nameInWords(name), value }]))),
    statement: statement ?? false,
  };
}

/** Each with what stands before it in a line. */
const joined = <Item extends object>(items: readonly Item[]) =>
  items.map((item, index) => ({ ...item, comma: index === 0 ? '' : ', ' }));

/** What came after the time that was asked for is in the record, and not in the answer. */
const isLater = (at: string | null | undefined, time: string): boolean => typeof at === 'string' && at > time;

interface Until {
  readonly time: string;
  /** The changes may be of several contacts. */
  readonly hasLives: boolean;
}

function eventRow({ ordinal, event }: ReportedEvent, { time, hasLives }: Until) {
  const { at, position, summary, actor, request_id, consent, type, contact_id } = event;
  return {
    at: at ?? 'unknown',
    place: ordinal === null ? `position ${position}` : `number ${ordinal}`,
    isLater: isLater(at, time),
    summary,
    whose: hasLives && contact_id !== null && { contact_id },
    by: actor ?? 'unknown',
    request_id: request_id ?? 'unknown',
    changes: profileIn(event).map(([name, value]) => ({ name, value: value ?? 'cleared' })),
    consent: consent === undefined ? false : consentRow(consent, { type }),
  };
}
