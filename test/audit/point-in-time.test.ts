/** A contact at a time: given what happened, the auditor is told this. */
import { describe, expect, test } from 'vitest';
import type { ContactAt, SubscriptionAt } from '../../src/audit/answers.js';
import { UnreadableHistoryError } from '../../src/audit/decoding.js';
import type { DomainEvent } from '../../src/events/codec.js';
import { exampleEvents as e, exampleMetadata, examples, exampleSalt, toAppend } from '../support/examples.js';
import { auditedLog, contactStream, second, type AuditedLog } from '../support/auditing.js';

const { list, otherList, tag, contact_id } = examples;

const at = async (log: AuditedLog, number: number, contactId?: string): Promise<ContactAt> => {
  return await log.audit.contactAt({ stream: contactStream, time: second(number), contactId });
};

const inList = async (log: AuditedLog, number: number, listId = list.list_id): Promise<SubscriptionAt> => {
  const found = await log.audit.contactAt({ stream: contactStream, time: second(number), list: listId });
  if (!('subscription' in found)) throw new Error('not of one list');
  return found.subscription;
};

const renamed: DomainEvent = {
  type: 'ListRenamed',
  data: { list_id: list.list_id, list_name: 'News', previous_name: list.list_name },
};
const because = (type: string, number: number) => ({ type, at: second(number) });

test('every fact with the event that made it so and the next that changed it', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.tagCreated);
  await log.at(1, e.contactCreated);
  await log.at(2, e.subscribed);
  await log.at(3, e.tagsAttached);
  await log.at(4, e.profileChanged);
  await log.at(5, e.unsubscribed);
  await log.at(6, e.tagsDetached, renamed);
  const profile = { email: 'Ada@example.com', firstName: 'Ada', lastName: null, city: 'London', phone: null };
  expect(await at(log, 3)).toMatchObject({
    contact_id,
    time: second(3),
    existed: true,
    created_at: second(1),
    profile: { ...profile, because: because('ContactCreated', 1), next_change: because('ContactProfileChanged', 4) },
    subscriptions: [
      {
        list_id: list.list_id,
        list_name: 'Newsletter',
        status: 'Subscribed',
        consent: null,
        because: { ...because('ContactSubscribed', 2), actor: 'example', request_id: 'req-example' },
        next_change: because('ContactUnsubscribed', 5),
        tags: [{ ...tag, because: because('TagsAttached', 3), next_change: because('TagsDetached', 6) }],
      },
    ],
  });
  expect(await at(log, 6)).toMatchObject({
    profile: { ...profile, lastName: 'Lovelace', city: null, next_change: null },
    subscriptions: [{ list_name: 'News', status: 'Unsubscribed', tags: [], next_change: null }],
  });
});

describe('one list', () => {
  test('before the contact was in it: what brought it there comes next', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await log.at(1, e.contactCreated);
    await log.at(2, e.subscribed, e.unsubscribed);
    const absent = { status: null, tags: [], because: null, next_change: because('ContactSubscribed', 2) };
    expect(await inList(log, 1)).toMatchObject({ ...absent, list_name: 'Newsletter' });
    expect(await inList(log, 0)).toMatchObject({ ...absent, list_name: 'Newsletter' });
    expect(await inList(log, -1)).toMatchObject({ ...absent, list_name: null });
    // In that very millisecond both had happened.
    expect(await inList(log, 2)).toMatchObject({ status: 'Unsubscribed', next_change: null });
  });

  test('one that it never was in', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated, e.contactCreated, e.subscribed, {
      ...e.listDeleted,
      data: otherList,
    });
    const never = { code: 'never_in_list' };
    await expect(inList(log, 0, otherList.list_id)).rejects.toMatchObject(never);
    await expect(log.history({ list: otherList.list_id })).rejects.toMatchObject(never);
    // Nothing happened in that time, and yet it was in the list.
    expect(await log.history({ list: list.list_id, from: second(1) })).toEqual([]);
  });

  test('deleted: the deletion is why', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed, e.tagsAttached, e.consentRecorded);
    await log.at(5, e.listDeleted);
    const consent = { source: 'form', because: because('ConsentRecorded', 0) };
    const deletion = { ...because('ListDeleted', 5), stream: 'lists' };
    expect(await inList(log, 4)).toMatchObject({
      status: 'Subscribed',
      next_change: deletion,
      tags: [{ ...tag, next_change: deletion }],
    });
    expect(await inList(log, 5)).toMatchObject({
      status: null,
      tags: [],
      consent,
      because: deletion,
      next_change: null,
    });
    expect(await at(log, 5)).toMatchObject({ subscriptions: [] });
  });

  test('consent: the last that was given', async () => {
    const log = await auditedLog();
    const person = { salt: exampleSalt, consent: { source: 'shop' } };
    const withConsent: DomainEvent = {
      type: 'ContactSubscribed',
      data: { contact_id, ...list, previous_status: null, person },
    };
    await log.at(0, e.listCreated, e.contactCreated, withConsent);
    await log.at(1, e.consentRecorded);
    expect((await inList(log, 0)).consent).toMatchObject({ source: 'shop', because: because('ContactSubscribed', 0) });
    expect((await inList(log, 1)).consent).toMatchObject({ source: 'form', because: because('ConsentRecorded', 1) });
  });
});

describe('tags', () => {
  test('deleted: gone from then on', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed, e.tagsAttached);
    await log.at(3, e.tagDeleted);
    expect((await inList(log, 2)).tags).toMatchObject([{ ...tag, next_change: because('TagDeleted', 3) }]);
    expect((await inList(log, 3)).tags).toEqual([]);
  });

  test('attached again: the last attachment is why', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed, e.tagsAttached);
    await log.at(1, e.tagsAttached);
    expect((await inList(log, 1)).tags).toMatchObject([{ because: because('TagsAttached', 0) }]);
    await log.at(2, e.tagsDetached);
    await log.at(3, e.tagsAttached);
    expect((await inList(log, 3)).tags).toMatchObject([{ because: because('TagsAttached', 3), next_change: null }]);
  });
});

describe('where clocks and log disagree', () => {
  test('what was written after the deletion never counted, at no time', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed);
    // The deleting process was ahead by five seconds.
    await log.at(9, e.listDeleted, e.tagDeleted);
    await log.at(4, e.unsubscribed, e.tagsAttached);
    expect(await inList(log, 5)).toMatchObject({
      status: 'Subscribed',
      tags: [],
      because: because('ContactSubscribed', 0),
      next_change: because('ListDeleted', 9),
    });
    expect(await inList(log, 9)).toMatchObject({ status: null, because: because('ListDeleted', 9) });
  });

  test('what was written before the deletion counts up to it', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.contactCreated);
    await log.at(8, e.subscribed);
    await log.at(3, e.listDeleted);
    // Each stream is cut by itself: at 5 the list is gone, and nobody was in it.
    expect(await inList(log, 2)).toMatchObject({
      status: null,
      because: null,
      next_change: because('ContactSubscribed', 8),
    });
    expect(await inList(log, 8)).toMatchObject({ status: null, because: because('ListDeleted', 3) });
  });
});

describe('several lives of a stream', () => {
  const rebirth: DomainEvent = {
    type: 'ContactCreated',
    data: { contact_id: 'con_02', person: { salt: exampleSalt, email: 'ada@example.com' } },
  };

  test('by address the life of that time, by id only its own', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await log.at(1, e.contactCreated, e.subscribed);
    await log.at(5, rebirth);
    await log.at(7, { type: 'ContactUnsubscribed', data: { contact_id: 'con_02', ...list, previous_status: null } });
    expect(await at(log, 0)).toMatchObject({
      contact_id: null,
      existed: false,
      next_change: because('ContactCreated', 1),
    });
    expect(await at(log, 4)).toMatchObject({
      contact_id,
      profile: { next_change: because('ContactCreated', 5) },
      subscriptions: [{ status: 'Subscribed', next_change: because('ContactCreated', 5) }],
    });
    expect(await at(log, 5)).toMatchObject({ contact_id: 'con_02', created_at: second(5), subscriptions: [] });
    expect(await inList(log, 5)).toMatchObject({ status: null, next_change: because('ContactUnsubscribed', 7) });
    expect(await at(log, 9, contact_id)).toMatchObject({
      contact_id,
      existed: false,
      profile: null,
      subscriptions: [],
    });
    expect(await at(log, 4, 'con_02')).toMatchObject({ existed: false, next_change: because('ContactCreated', 5) });
    expect(await at(log, 9, 'con_02')).toMatchObject({ existed: true, subscriptions: [{ status: 'Unsubscribed' }] });
  });
});

test('an unknown contact, an unknown list', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated);
  const time = second(0);
  const nobody = log.audit.contactAt({ stream: 'contact-nobody', time });
  await expect(nobody).rejects.toMatchObject({ code: 'no_such_contact' });
  const nowhere = log.audit.contactAt({ stream: contactStream, list: 'lst_unknown', time });
  await expect(nowhere).rejects.toMatchObject({ code: 'no_such_list' });
});

describe('an event that cannot be read', () => {
  const metadataAt = (number: number) => JSON.stringify({ ...exampleMetadata, at: second(number) });
  const erased = (number: number) => ({
    ...toAppend(e.subscribed),
    type: 'ContactMerged',
    metadata: metadataAt(number),
  });
  const broken = { ...toAppend(e.unsubscribed), data: '{"list_id":7}', metadata: '{"at":"broken"}' };

  test('leaves the answer of before as it was, and is named in those of then and after', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await log.at(1, e.contactCreated, e.subscribed);
    const position = await log.appendRaw(contactStream, erased(2));
    await log.at(3, e.profileChanged);
    expect(await at(log, 1)).toMatchObject({ existed: true, subscriptions: [{ status: 'Subscribed' }] });
    expect(await at(log, 1)).not.toHaveProperty('unreadable');
    const named = {
      event_id: expect.any(String) as string,
      type: 'ContactMerged',
      at: second(2),
      position,
      contact_id,
    };
    for (const number of [2, 3]) {
      expect((await at(log, number)).unreadable).toMatchObject([{ ...named, actor: 'example', revision: 2 }]);
      expect(await at(log, number)).toMatchObject({ existed: true, subscriptions: [{ status: 'Subscribed' }] });
    }
    expect(await at(log, 3)).toMatchObject({ profile: { lastName: 'Lovelace', because: { at: second(3) } } });
    const inHistory = (await log.history())?.find(({ type }) => type === 'ContactMerged');
    expect(inHistory).toMatchObject({ ...(await at(log, 3)).unreadable?.[0], unreadable: true });
    expect(await inList(log, 3)).toMatchObject({ status: 'Subscribed' });
  });

  test('and comes after the time may be the next change: it is named beside the one that is told', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated, e.tagCreated);
    await log.at(1, e.contactCreated, e.subscribed, e.tagsAttached);
    await log.at(2, e.profileChanged);
    const position = await log.appendRaw(contactStream, erased(3));
    await log.appendRaw(contactStream, erased(4));
    await log.at(5, e.unsubscribed);
    const next_unreadable = { type: 'ContactMerged', at: second(3), position, contact_id };
    const answer = await at(log, 1);
    expect(answer).not.toHaveProperty('unreadable');
    expect(answer).toMatchObject({
      subscriptions: [
        {
          next_change: because('ContactUnsubscribed', 5),
          next_unreadable,
          tags: [{ next_change: null, next_unreadable }],
        },
      ],
    });
    // The profile was changed before.
    expect(answer.profile).toMatchObject({ next_change: because('ContactProfileChanged', 2) });
    expect(answer.profile).not.toHaveProperty('next_unreadable');
    expect(await inList(log, 1, otherList.list_id)).toMatchObject({ status: null, next_change: null, next_unreadable });
    expect(await at(log, 0)).not.toHaveProperty('next_unreadable');
    expect(JSON.stringify(await at(log, 4))).not.toContain('next_unreadable');
  });

  test('and comes before the creation that is told of may be that creation', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await log.appendRaw(contactStream, { ...erased(1), data: '{"rubbish":true}' });
    expect(await at(log, 0)).toMatchObject({ existed: false, next_change: null, next_unreadable: { at: second(1) } });
    await log.at(2, e.contactCreated);
    for (const asked of [undefined, contact_id])
      expect(await at(log, 0, asked)).toMatchObject({
        existed: false,
        next_change: because('ContactCreated', 2),
        next_unreadable: { at: second(1), contact_id: null },
      });
  });

  test('and stands behind the deletion of the list, or in the life of another contact, changed nothing', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated, e.contactCreated, e.subscribed);
    await log.at(1, e.listDeleted);
    const person = { salt: exampleSalt, email: 'ada@example.com' };
    await log.at(2, { type: 'ContactCreated', data: { contact_id: 'con_02', person } });
    await log.appendRaw(contactStream, { ...erased(3), data: '{"contact_id":"con_02"}' });
    expect(await at(log, 0)).toMatchObject({ profile: { next_change: because('ContactCreated', 2) } });
    await expect(inList(log, 0, otherList.list_id)).rejects.toMatchObject({ code: 'never_in_list' });
    for (const answer of [await at(log, 0), await inList(log, 0), await inList(log, 1)])
      expect(JSON.stringify(answer)).not.toContain('next_unreadable');
    expect(await at(log, 2)).toMatchObject({
      profile: { next_change: null, next_unreadable: { contact_id: 'con_02' } },
    });
  });

  test('of no time that is known is named wherever it may have been before', async () => {
    const log = await auditedLog();
    await log.at(1, e.listCreated, e.contactCreated, e.subscribed);
    await log.appendRaw(contactStream, broken);
    await log.at(3, e.profileChanged);
    expect(await at(log, 0)).toMatchObject({ existed: false });
    expect(await at(log, 0)).not.toHaveProperty('unreadable');
    for (const number of [1, 3])
      expect((await at(log, number)).unreadable).toMatchObject([{ type: 'ContactUnsubscribed', contact_id }]);
    expect((await at(log, 3)).unreadable?.[0]).not.toHaveProperty('at');
    // It may as well have been after the first of them, and is the next change then.
    const next_unreadable = { type: 'ContactUnsubscribed', contact_id };
    expect((await at(log, 1)).profile).toMatchObject({
      next_change: because('ContactProfileChanged', 3),
      next_unreadable,
    });
    expect(JSON.stringify(await at(log, 3))).not.toContain('next_unreadable');
    expect(await at(log, 1, 'con_other')).not.toHaveProperty('next_unreadable');
  });

  test('when it is the creation, leaves open whether there was such a contact, and tells the rest', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    const data = JSON.stringify({ contact_id, person: 7 });
    await log.appendRaw(contactStream, { ...toAppend(e.contactCreated, { at: second(1) }), data });
    await log.at(2, e.subscribed);
    for (const asked of [undefined, contact_id])
      expect(await at(log, 2, asked)).toMatchObject({
        contact_id,
        existed: null,
        profile: null,
        subscriptions: [{ status: 'Subscribed', because: because('ContactSubscribed', 2) }],
        unreadable: [{ type: 'ContactCreated', at: second(1), contact_id }],
      });
    expect(await at(log, 2, 'con_other')).toMatchObject({ existed: false, subscriptions: [] });
    expect(await log.history({ contactId: contact_id })).toMatchObject([{ unreadable: true }, { contact_id }]);
  });
});

test('an event of the lists that cannot be read makes all answers impossible, and tells nothing of what is in it', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated);
  await log.appendRaw('lists', { ...toAppend(e.listCreated), data: '{"list_id":"ada@example.com"}' });
  await expect(log.history()).rejects.toThrow(UnreadableHistoryError);
  await expect(log.history()).rejects.not.toThrow(/ada@example/);
});
