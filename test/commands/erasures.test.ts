/** Erasures by given, when, then: the register, the contact, the e-mail; and what an erased event looks like when it is read. */
import { describe, expect, it } from 'vitest';
import { contactDecider } from '../../src/commands/contact.js';
import { emailDecider } from '../../src/commands/email.js';
import { erasureDecider } from '../../src/commands/erasures.js';
import { codec } from '../../src/events/codec.js';
import type { ContactEvent } from '../../src/events/contact.js';
import { withDigests } from '../../src/eventstore/leaf.js';
import { exampleEvents as e, exampleMetadata, examples } from '../support/examples.js';
import { given } from './given.js';

const requested = {
  type: 'ErasureRequested',
  data: { erasure_id: 'ers_1', subject_key: 'k1', reason: 'asked' },
} as const;
const completed = { type: 'ErasureCompleted', data: { erasure_id: 'ers_1', contacts: 1, emails: 2 } } as const;

describe('the register of erasures', () => {
  it('takes a request once, and one per person at a time', () => {
    const again = { type: 'Request', erasure_id: 'ers_2', subject_key: 'k1' } as const;
    given(erasureDecider)
      .when({ type: 'Request', ...requested.data })
      .then(requested);
    given(erasureDecider, requested)
      .when({ type: 'Request', ...requested.data })
      .then();
    given(erasureDecider, requested).when(again).then();
    given(erasureDecider, requested, completed)
      .when(again)
      .then({ type: 'ErasureRequested', data: { erasure_id: 'ers_2', subject_key: 'k1' } });
  });

  it('takes another request of a person who has come back since the unfinished one, and finishes both', () => {
    const second = { type: 'ErasureRequested', data: { erasure_id: 'ers_2', subject_key: 'k1' } } as const;
    const request = { type: 'Request', ...second.data } as const;
    given(erasureDecider, requested)
      .when({ ...request, after: 'ers_1' })
      .then(second);
    given(erasureDecider, requested)
      .when({ ...request, after: 'ers_0' })
      .then();
    const both = given(erasureDecider, requested, second);
    both.when({ type: 'Request', erasure_id: 'ers_3', subject_key: 'k1', after: 'ers_1' }).then();
    both.when({ type: 'Complete', ...completed.data }).then(completed);
    expect(given(erasureDecider, requested, second, completed).state.unfinished.has('ers_2')).toBe(true);
  });

  it('completes what was requested, once', () => {
    given(erasureDecider, requested)
      .when({ type: 'Complete', ...completed.data })
      .then(completed);
    given(erasureDecider, requested, completed)
      .when({ type: 'Complete', ...completed.data })
      .then();
    given(erasureDecider)
      .when({ type: 'Complete', ...completed.data })
      .then();
    const { state } = given(erasureDecider, requested, completed);
    expect(state.all.get('ers_1')).toMatchObject({ subject_key: 'k1', completed: { contacts: 1, emails: 2 } });
    expect(state.unfinished.size).toBe(0);
  });
});

const erased: ContactEvent = {
  type: 'ContactErased',
  data: {
    erasure_id: 'ers_1',
    contact_id: examples.contact_id,
    through: 2,
    list_ids: ['lst_01'],
    subscribed_list_ids: ['lst_01'],
    attached: [{ list_id: 'lst_01', tag_ids: ['tag_01'] }],
    reason: 'asked',
  },
};
const life = [e.contactCreated, e.subscribed, e.tagsAttached];
const erase = { type: 'Erase', erasure_id: 'ers_1', reason: 'asked' } as const;

describe('the erasure of a contact', () => {
  it('names what its events must be taken out of, and happens once', () => {
    given(contactDecider, ...life)
      .when(erase)
      .then(erased);
    given(contactDecider, ...life, erased)
      .when(erase)
      .then();
    given(contactDecider).when(erase).then();
    given(contactDecider, e.contactCreated, e.unsubscribed)
      .when({ type: 'Erase', erasure_id: 'ers_2' })
      .then({
        type: 'ContactErased',
        data: {
          erasure_id: 'ers_2',
          contact_id: examples.contact_id,
          through: 1,
          list_ids: ['lst_01'],
          subscribed_list_ids: [],
          attached: [],
        },
      });
  });

  it('leaves somebody unknown, who may come back as another contact that this erasure does not touch', () => {
    const list = { list_id: 'lst_01', list_name: 'News' };
    const unknown = given(contactDecider, ...life, erased);
    unknown.when({ type: 'UpdateStatus', list, status: 'Subscribed' }).thenRefused('unknown_contact');
    const save = { contactId: 'con_02', email: 'ada@example.com', profile: {}, list, status: 'Subscribed' } as const;
    const created = unknown.when({ type: 'Create', ...save }, { key_hash: 'k', hash: () => 'other' });
    created.then(
      { type: 'ContactCreated', data: { contact_id: 'con_02', person: { email: 'ada@example.com' } } },
      { type: 'ContactSubscribed', data: { contact_id: 'con_02', ...list, previous_status: null } },
    );
    const back: ContactEvent = { type: 'ContactCreated', data: { contact_id: 'con_02', person: { email: 'a@b.c' } } };
    given(contactDecider, ...life, erased, back)
      .when(erase)
      .then();
    const { state } = given(contactDecider, ...life, erased, back);
    expect(state).toMatchObject({ contactId: 'con_02', erasure: { erasure_id: 'ers_1', through: 2 } });
  });
});

describe('the erasure of an e-mail', () => {
  const eraseEmail = { type: 'EraseEmail', reason: 'erasure' } as const;
  const gone = (through: number) =>
    ({ type: 'EmailErased', data: { email_id: 'eml_01', through, reason: 'erasure' } }) as const;

  it('cancels an open one, waits for one that is being sent, and happens once', () => {
    const cancelled = { type: 'EmailCancelled', data: { email_id: 'eml_01', reason: 'erased' } } as const;
    given(emailDecider, e.emailRequested).when(eraseEmail).then(cancelled, gone(1));
    given(emailDecider, e.emailRequested, e.dispatchStarted).when(eraseEmail).then();
    given(emailDecider, e.emailRequested, e.dispatchStarted, e.emailSent).when(eraseEmail).then(gone(2));
    given(emailDecider, e.emailRequested, e.dispatchStarted, e.emailSent, gone(2)).when(eraseEmail).then();
    given(emailDecider).when(eraseEmail).then();
  });

  it('keeps the words of a server out of a late outcome', () => {
    const history = [e.emailRequested, e.dispatchStarted, e.emailInDoubt, e.emailCancelled, gone(3)];
    const { decision } = given(emailDecider, ...history).when({
      type: 'RecordSent',
      attempt: 1,
      reason: 'accepted',
      response: '250 ada@example.com is welcome',
    });
    expect(decision).toEqual([{ type: 'EmailSent', data: { email_id: 'eml_01', attempt: 1, reason: 'accepted' } }]);
  });
});

describe('an event whose personal data are erased', () => {
  const stored = (event: (typeof e)['contactCreated'] | (typeof e)['emailRequested']) => ({
    stream: 's',
    revision: 0n,
    position: '1',
    id: 'id',
    type: event.type,
    data: withDigests(JSON.stringify(event.data)),
    metadata: JSON.stringify(exampleMetadata),
  });

  it('is read with null in their place, and is folded', () => {
    const { event } = codec.decode(stored(e.contactCreated));
    expect(event).toEqual({ type: 'ContactCreated', data: { contact_id: 'con_01', person: null } });
    expect(codec.decode(stored(e.emailRequested)).event.data).toMatchObject({ message: null, email_id: 'eml_01' });
    const { state } = given(contactDecider, event as ContactEvent, e.subscribed);
    expect(state).toMatchObject({ contactId: 'con_01', profile: {} });
  });

  it('is no other text, and is never written', () => {
    const { data: text, ...rest } = stored(e.contactCreated);
    expect(() => codec.decode({ ...rest, data: text.replace('sha256:', 'sha1:') })).toThrow('does not fit its schema');
    expect(() => codec.decode({ ...rest, data: '{"contact_id":"c","person":null}' })).toThrow('does not fit');
    const { event } = codec.decode(stored(e.contactCreated));
    expect(() => codec.encode(event)).toThrow(TypeError);
  });
});
