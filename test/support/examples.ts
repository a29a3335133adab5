/** Named examples: one group, list, tag, contact and e-mail, the events of their lives, and these events as a store takes or returns them. */
import { randomUUID } from 'node:crypto';
import { codec, type DomainEvent } from '../../src/events/codec.js';
import type { Metadata, RecordedEvent } from '../../src/events/envelope.js';
import type { EventToAppend } from '../../src/eventstore/event-store.js';

export const exampleSalt = '000102030405060708090a0b0c0d0e0f';
export const exampleTime = '2026-03-01T10:00:00.000Z';

export const exampleMetadata: Metadata = {
  at: exampleTime,
  $correlationId: '6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001',
  $causationId: '6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0001',
  request_id: 'req-example',
  actor: 'example',
  schema: 1,
};

export const examples = {
  group: { group_id: 'grp_01', group_name: 'Friends' },
  list: { list_id: 'lst_01', list_name: 'Newsletter' },
  otherList: { list_id: 'lst_02', list_name: 'Offers' },
  tag: { tag_id: 'tag_01', tag_name: 'VIP' },
  otherTag: { tag_id: 'tag_02', tag_name: 'Press' },
  contactStream: `contact-${'a1'.repeat(16)}`,
  contact_id: 'con_01',
  emailStream: `email-${'b2'.repeat(16)}`,
  email_id: 'eml_01',
};

/** Of a contact of whom nothing but the address is known, as documents have it. */
export const emptyProfile = {
  firstName: null,
  lastName: null,
  phone: null,
  dateOfBirth: null,
  address: null,
  city: null,
  state: null,
  country: null,
  zipcode: null,
};

const { list, tag, contact_id, email_id } = examples;

export const exampleEvents = {
  serviceInitialised: {
    type: 'ServiceInitialised',
    data: { log_id: 'log-example', secret_fingerprint: 'fingerprint' },
  },
  groupCreated: { type: 'GroupCreated', data: examples.group },
  listCreated: { type: 'ListCreated', data: list },
  otherListCreated: { type: 'ListCreated', data: examples.otherList },
  listDeleted: { type: 'ListDeleted', data: list },
  tagCreated: { type: 'TagCreated', data: tag },
  otherTagCreated: { type: 'TagCreated', data: examples.otherTag },
  tagDeleted: { type: 'TagDeleted', data: tag },
  contactCreated: {
    type: 'ContactCreated',
    data: { contact_id, person: { salt: exampleSalt, email: 'Ada@example.com', firstName: 'Ada', city: 'London' } },
  },
  profileChanged: {
    type: 'ContactProfileChanged',
    data: { contact_id, person: { salt: exampleSalt, lastName: 'Lovelace', city: null } },
  },
  subscribed: { type: 'ContactSubscribed', data: { contact_id, ...list, previous_status: null } },
  unsubscribed: { type: 'ContactUnsubscribed', data: { contact_id, ...list, previous_status: 'Subscribed' } },
  consentRecorded: {
    type: 'ConsentRecorded',
    data: { contact_id, ...list, status: 'Subscribed', person: { salt: exampleSalt, consent: { source: 'form' } } },
  },
  tagsAttached: { type: 'TagsAttached', data: { contact_id, list_id: list.list_id, tags: [tag] } },
  tagsDetached: { type: 'TagsDetached', data: { contact_id, list_id: list.list_id, tags: [tag] } },
  emailRequested: {
    type: 'EmailRequested',
    data: {
      email_id,
      recipient_key: 'a1'.repeat(16),
      request_hash: 'c3'.repeat(16),
      message: {
        salt: exampleSalt,
        from_email: 'shop@example.com',
        to_email: 'ada@example.com',
        subject: 'Hello',
        mail_template: '<p>Hello</p>',
      },
    },
  },
  dispatchStarted: {
    type: 'EmailDispatchStarted',
    data: { email_id, attempt: 1, run_id: 'run-1', deadline: '2026-03-01T10:05:00.000Z' },
  },
  emailSent: { type: 'EmailSent', data: { email_id, attempt: 1, smtp_code: 250, reason: 'accepted' } },
  emailDeferred: {
    type: 'EmailDeferred',
    data: { email_id, attempt: 1, reason: 'smtp_4xx', next_attempt_at: '2026-03-01T10:10:00.000Z' },
  },
  emailFailed: {
    type: 'EmailFailed',
    data: { email_id, attempt: 1, smtp_code: 550, enhanced_code: '5.1.1', reason: 'smtp_5xx' },
  },
  emailInDoubt: {
    type: 'EmailInDoubt',
    data: { email_id, attempt: 1, reason: 'connection_lost', next_attempt_at: '2026-03-01T10:20:00.000Z' },
  },
  emailInDoubtHeld: {
    type: 'EmailInDoubt',
    data: { email_id, attempt: 1, reason: 'connection_lost', next_attempt_at: null },
  },
  emailHeld: { type: 'EmailHeld', data: { email_id, reason: 'policy' } },
  emailReleased: { type: 'EmailReleased', data: { email_id, next_attempt_at: '2026-03-01T11:00:00.000Z' } },
  emailReopened: {
    type: 'EmailReleased',
    data: { email_id, next_attempt_at: '2026-03-01T11:00:00.000Z', previous_status: 'failed' },
  },
  addressSuppressed: {
    type: 'AddressSuppressed',
    data: { reason: 'unsubscribe', scope: list.list_id, person: { salt: exampleSalt, email: 'ada@example.com' } },
  },
  bounceCounted: { type: 'BounceCounted', data: { email_id, kind: 'unclear' } },
  emailCancelled: { type: 'EmailCancelled', data: { email_id, reason: 'requested_by_client' } },
  emailBounced: {
    type: 'EmailBounced',
    data: {
      ...{ email_id, kind: 'hard', enhanced_code: '5.1.1', verified: true, report_hash: 'b0'.repeat(16) },
      message: { salt: '5a17'.repeat(8), diagnostic: '550 5.1.1 <ada@example.com>: User unknown' },
    },
  },
  emailComplained: { type: 'EmailComplained', data: { email_id, verified: true, report_hash: 'c0'.repeat(16) } },
} satisfies Record<string, DomainEvent>;

/** A new event as a store takes it. Other metadata may be laid over the example's. */
export function toAppend(event: DomainEvent, metadata: Partial<Metadata> = {}): EventToAppend {
  return {
    id: randomUUID(),
    type: event.type,
    data: codec.encode(event),
    metadata: JSON.stringify({ ...exampleMetadata, schema: codec.schemaVersion(event.type), ...metadata }),
  };
}

export const examplePosition = (number: number): string => String(number).padStart(20, '0');

/** The events of one stream as decoded from a log that holds nothing else, one second apart. */
export function recorded(stream: string, events: readonly DomainEvent[]): readonly RecordedEvent<DomainEvent>[] {
  return events.map((event, index) => ({
    stream,
    revision: BigInt(index),
    position: examplePosition(index + 1),
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    event,
    metadata: { ...exampleMetadata, at: new Date(Date.parse(exampleTime) + index * 1_000).toISOString() },
  }));
}
