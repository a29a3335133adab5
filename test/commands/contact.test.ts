import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contactDecider, type ContactCommand } from '../../src/commands/contact.js';
import type { ContactEvent } from '../../src/events/contact.js';
import { apply, eventCount, given } from './given.js';

const news = { list_id: 'lst_1', list_name: 'News' };
const offers = { list_id: 'lst_2', list_name: 'Offers' };
const vip = { tag_id: 'tag_1', tag_name: 'vip' };
const press = { tag_id: 'tag_2', tag_name: 'press' };
const ann = { contactId: 'con_1', email: 'Ann@example.com', profile: {}, status: 'Subscribed', list: news } as const;

const created: ContactEvent = {
  type: 'ContactCreated',
  data: { contact_id: 'con_1', person: { email: 'Ann@example.com', firstName: 'Ann' } },
};
const subscribed: ContactEvent = {
  type: 'ContactSubscribed',
  data: { contact_id: 'con_1', ...news, previous_status: null },
};
const unsubscribed: ContactEvent = {
  type: 'ContactUnsubscribed',
  data: { contact_id: 'con_1', ...news, previous_status: 'Subscribed' },
};
const attached: ContactEvent = { type: 'TagsAttached', data: { contact_id: 'con_1', list_id: 'lst_1', tags: [vip] } };

describe('create', () => {
  test('a new contact: created, then its status, in one decision', () => {
    given(contactDecider)
      .when({ type: 'Create', ...ann, profile: { firstName: 'Ann', city: null } })
      .then(created, subscribed);
  });
  test('may begin unsubscribed', () => {
    given(contactDecider)
      .when({ type: 'Create', ...ann, status: 'Unsubscribed' })
      .then(
        { type: 'ContactCreated', data: { contact_id: 'con_1', person: { email: 'Ann@example.com' } } },
        { type: 'ContactUnsubscribed', data: { contact_id: 'con_1', ...news, previous_status: null } },
      );
  });
  test('refuses an address that exists, for another list too', () => {
    given(contactDecider, created, subscribed)
      .when({ type: 'Create', ...ann, contactId: 'con_2', list: offers })
      .thenRefused('duplicate_email');
  });
});

describe('upsert', () => {
  test('creates with tags', () => {
    given(contactDecider)
      .when({ type: 'Upsert', ...ann, profile: { firstName: 'Ann' }, tags: [vip] })
      .then(created, subscribed, attached);
  });
  test('changes only what differs; null clears; absent stays', () => {
    given(contactDecider, created, subscribed)
      .when({ type: 'Upsert', ...ann, profile: { firstName: null, city: 'Bern', phone: null }, tags: [] })
      .then({
        type: 'ContactProfileChanged',
        data: { contact_id: 'con_1', person: { firstName: null, city: 'Bern' } },
      });
  });
  test('nothing changed: nothing', () => {
    given(contactDecider, created, subscribed, attached)
      .when({ type: 'Upsert', ...ann, profile: { firstName: 'Ann' }, tags: [vip] })
      .then();
  });
  test('enters a second list', () => {
    given(contactDecider, created, subscribed)
      .when({ type: 'Upsert', ...ann, list: offers, tags: [] })
      .then({ type: 'ContactSubscribed', data: { contact_id: 'con_1', ...offers, previous_status: null } });
  });
  test('tags are added, never replaced', () => {
    given(contactDecider, created, subscribed, attached)
      .when({ type: 'Upsert', ...ann, tags: [vip, press] })
      .then({ type: 'TagsAttached', data: { contact_id: 'con_1', list_id: 'lst_1', tags: [press] } });
  });
});

describe('status', () => {
  test('unsubscribes, and resubscribing carries the previous status', () => {
    given(contactDecider, created, subscribed)
      .when({ type: 'UpdateStatus', list: news, status: 'Unsubscribed' })
      .then(unsubscribed);
    given(contactDecider, created, subscribed, unsubscribed)
      .when({ type: 'UpdateStatus', list: news, status: 'Subscribed' })
      .then({ type: 'ContactSubscribed', data: { contact_id: 'con_1', ...news, previous_status: 'Unsubscribed' } });
  });
  test('same status again: nothing', () => {
    given(contactDecider, created, subscribed).when({ type: 'UpdateStatus', list: news, status: 'Subscribed' }).then();
  });
  test('refuses who does not exist or is not in the list', () => {
    given(contactDecider)
      .when({ type: 'UpdateStatus', list: news, status: 'Subscribed' })
      .thenRefused('unknown_contact');
    given(contactDecider, created, subscribed)
      .when({ type: 'UpdateStatus', list: offers, status: 'Subscribed' })
      .thenRefused('not_in_list');
  });
});

describe('consent', () => {
  const consent = { source: 'form', ip: '203.0.113.7' };
  const agreed: ContactEvent = { type: 'ContactSubscribed', data: { ...subscribed.data, person: { consent } } };
  const again = { contact_id: 'con_1', ...news, status: 'Subscribed' } as const;
  const recorded: ContactEvent = { type: 'ConsentRecorded', data: { ...again, person: { consent } } };

  test('stands with the status', () => {
    given(contactDecider)
      .when({ type: 'Create', ...ann, profile: { firstName: 'Ann' }, consent })
      .then(created, agreed);
    given(contactDecider, created, subscribed)
      .when({ type: 'UpdateStatus', list: news, status: 'Unsubscribed', consent })
      .then({ type: 'ContactUnsubscribed', data: { ...unsubscribed.data, person: { consent } } });
  });
  test('stands by itself where the status stays, before the tags', () => {
    given(contactDecider, created, subscribed)
      .when({ type: 'UpdateStatus', list: news, status: 'Subscribed', consent })
      .then(recorded);
    given(contactDecider, created, subscribed)
      .when({ type: 'Upsert', ...ann, tags: [vip], consent })
      .then(recorded, attached);
  });
  test('the same again: nothing; another one, or after another status: recorded', () => {
    const command = { type: 'UpdateStatus', list: news, status: 'Subscribed', consent } as const;
    given(contactDecider, created, agreed).when(command).then();
    given(contactDecider, created, subscribed, recorded, attached).when(command).then();
    given(contactDecider, created, agreed)
      .when({ ...command, consent: { ...consent, source: 'phone' } })
      .then({ type: 'ConsentRecorded', data: { ...again, person: { consent: { ...consent, source: 'phone' } } } });
    given(contactDecider, created, agreed, unsubscribed, subscribed).when(command).then(recorded);
  });
  test('belongs to a list', () => {
    given(contactDecider, created, agreed)
      .when({ type: 'Upsert', ...ann, list: offers, tags: [], consent })
      .then({
        type: 'ContactSubscribed',
        data: { contact_id: 'con_1', ...offers, previous_status: null, person: { consent } },
      });
  });
  test('none, and a list that the contact is not in: as ever', () => {
    given(contactDecider, created, agreed).when({ type: 'UpdateStatus', list: news, status: 'Subscribed' }).then();
    given(contactDecider, created, agreed)
      .when({ type: 'UpdateStatus', list: offers, status: 'Subscribed', consent })
      .thenRefused('not_in_list');
  });
});

describe('tags', () => {
  test('attaches what is missing', () => {
    given(contactDecider, created, subscribed)
      .when({ type: 'AddTags', list: news, tags: [vip] })
      .then(attached);
    given(contactDecider, created, subscribed, attached)
      .when({ type: 'AddTags', list: news, tags: [vip] })
      .then();
  });
  test('detaches what is attached', () => {
    given(contactDecider, created, subscribed, attached)
      .when({ type: 'RemoveTags', list: news, tags: [press, vip] })
      .then({ type: 'TagsDetached', data: { contact_id: 'con_1', list_id: 'lst_1', tags: [vip] } });
    given(contactDecider, created, subscribed)
      .when({ type: 'RemoveTags', list: news, tags: [vip] })
      .then();
  });
  test.each(['AddTags', 'RemoveTags'] as const)('%s refuses who does not exist or is not in the list', (type) => {
    given(contactDecider)
      .when({ type, list: news, tags: [vip] })
      .thenRefused('unknown_contact');
    given(contactDecider, created, subscribed)
      .when({ type, list: offers, tags: [vip] })
      .thenRefused('not_in_list');
  });
  test('tags belong to a list: the same contact in another list has none', () => {
    const { state } = given(contactDecider, created, subscribed, attached, {
      type: 'ContactSubscribed',
      data: { contact_id: 'con_1', ...offers, previous_status: null },
    });
    expect([...(state.subscriptions.get('lst_2')?.tags ?? ['no subscription'])]).toEqual([]);
  });
});

test('deciding again on the resulting state yields nothing', () => {
  const list = fc.constantFrom(news, offers);
  const status = fc.constantFrom('Subscribed' as const, 'Unsubscribed' as const);
  const tags = fc.subarray([vip, press]);
  const profile = fc.record(
    { firstName: fc.option(fc.constantFrom('Ann', 'Anna')), city: fc.option(fc.constantFrom('Bern')) },
    { requiredKeys: [] },
  );
  const consent = fc.constantFrom(undefined, { source: 'form' }, { source: 'form', ip: '::1' });
  const save = { contactId: fc.uuid(), email: fc.constant('ann@example.com'), profile, status, list, consent };
  const command: fc.Arbitrary<ContactCommand> = fc.oneof(
    fc.record({ type: fc.constant('Create' as const), ...save }),
    fc.record({ type: fc.constant('Upsert' as const), ...save, tags, resubscribe: fc.boolean() }),
    fc.record({ type: fc.constant('UpdateStatus' as const), list, status, consent }),
    fc.record({ type: fc.constant('AddTags' as const), list, tags }),
    fc.record({ type: fc.constant('RemoveTags' as const), list, tags }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
      let state = contactDecider.initial;
      for (const one of commands) {
        state = apply(
          contactDecider,
          state,
          contactDecider.decide(one, state, { revision: 0n, at: '2026-03-01T09:00:00.000Z' }),
        );
        expect(eventCount(contactDecider.decide(one, state, { revision: 0n, at: '2026-03-01T09:00:00.000Z' }))).toBe(0);
      }
    }),
    { numRuns: 300 },
  );
});
