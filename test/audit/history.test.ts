/** The history of a contact: given what happened, the auditor reads this. */
import { describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import type { SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { usually } from '../support/amount.js';
import { exampleEvents as e, exampleMetadata, examples, exampleSalt, toAppend } from '../support/examples.js';
import { auditedLog, auditOf, contactStream, second } from '../support/auditing.js';

const { list, otherList, tag, otherTag, contact_id } = examples;

const listRenamed = (from: string, to: string): DomainEvent => ({
  type: 'ListRenamed',
  data: { list_id: list.list_id, list_name: to, previous_name: from },
});
const tagRenamed = (from: string, to: string): DomainEvent => ({
  type: 'TagRenamed',
  data: { tag_id: tag.tag_id, tag_name: to, previous_name: from },
});
const otherListDeleted: DomainEvent = { type: 'ListDeleted', data: otherList };
const subscribedSince: DomainEvent = {
  type: 'ContactSubscribed',
  data: { contact_id, ...list, previous_status: 'Unsubscribed' },
};
const inOtherList: DomainEvent = {
  type: 'ContactUnsubscribed',
  data: { contact_id, ...otherList, previous_status: null },
};
const typesOf = (items: readonly { type: string }[] | undefined): string[] | undefined =>
  items?.map(({ type }) => type);

describe('each event', () => {
  test('in full: words, time, actor, ids, statuses, names, place and data', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.contactCreated);
    const position = await log.append(contactStream, e.subscribed, { at: second(1), actor: 'shop', request_id: 'r-7' });
    expect((await log.history())?.[1]).toEqual({
      kind: 'event',
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      type: 'ContactSubscribed',
      at: second(1),
      summary: 'Subscribed to the list "Newsletter" for the first time.',
      actor: 'shop',
      request_id: 'r-7',
      correlation_id: exampleMetadata.$correlationId,
      causation_id: exampleMetadata.$causationId,
      stream: contactStream,
      revision: 1,
      position,
      contact_id,
      list: { list_id: list.list_id, name_then: 'Newsletter', name_now: 'Newsletter', deleted_at: null },
      previous_status: null,
      status: 'Subscribed',
      data: e.subscribed.data,
    });
  });

  test.for([
    ['The contact was created.', e.contactCreated],
    ['The profile was changed: lastName set, city cleared.', e.profileChanged],
    ['Subscribed to the list "Newsletter" for the first time.', e.subscribed],
    ['Subscribed to the list "Newsletter".', subscribedSince],
    ['Unsubscribed from the list "Newsletter".', e.unsubscribed],
    ['Put on the list "Offers" unsubscribed.', inOtherList],
    ['Consent was recorded for the list "Newsletter"; the status stayed Subscribed.', e.consentRecorded],
    ['The tag "VIP" was attached in the list "Newsletter".', e.tagsAttached],
    ['The tag "VIP" was removed in the list "Newsletter".', e.tagsDetached],
  ] as [string, DomainEvent][])('in plain words: %s', async ([words, event]) => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated, e.tagCreated, e.contactCreated, event);
    expect((await log.history())?.at(-1)?.summary).toBe(words);
  });

  test('shows consent given with a subscription, and consent given later', async () => {
    const log = await auditedLog();
    const consent = { source: 'form', statement: 'I agree', ip: '192.0.2.1' };
    const withConsent: DomainEvent = {
      type: 'ContactSubscribed',
      data: { contact_id, ...list, previous_status: null, person: { salt: exampleSalt, consent } },
    };
    await log.at(0, e.listCreated, e.contactCreated, withConsent, e.consentRecorded);
    expect(await log.history()).toMatchObject([
      {},
      { consent, summary: 'Subscribed to the list "Newsletter" for the first time, with consent.' },
      { consent: { source: 'form' }, previous_status: 'Subscribed', status: 'Subscribed' },
    ]);
  });

  test('of a type or shape that this version does not know is shown as it is stored', async () => {
    const log = await auditedLog();
    await log.at(0, e.contactCreated);
    const metadata = JSON.stringify({ ...exampleMetadata, at: second(1) });
    await log.appendRaw(contactStream, { ...toAppend(e.subscribed), type: 'ContactMerged', data: '{"a":1}', metadata });
    await log.appendRaw(contactStream, { ...toAppend(e.subscribed), data: '{"list_id":7}', metadata: '{}' });
    const [, unknown, broken] = (await log.history()) ?? [];
    expect(unknown).toMatchObject({
      type: 'ContactMerged',
      at: second(1),
      actor: exampleMetadata.actor,
      request_id: exampleMetadata.request_id,
      correlation_id: exampleMetadata.$correlationId,
      causation_id: exampleMetadata.$causationId,
      data: { a: 1 },
      contact_id,
      kind: 'unreadable',
      unreadable: true,
      summary: 'This version of the service cannot read this event: it does not know the type.',
    });
    expect(broken).toMatchObject({ type: 'ContactSubscribed', data: { list_id: 7 }, contact_id, unreadable: true });
    expect(broken?.summary).toContain('its content does not fit its type');
    for (const name of ['at', 'actor', 'request_id']) expect(broken).not.toHaveProperty(name);
  });
});

describe('renames and deletions of its lists and tags', () => {
  test('stand in their place in the log, with the names then and now', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed, e.tagsAttached);
    await log.at(1, listRenamed('Newsletter', 'News'), tagRenamed('VIP', 'Gold'));
    await log.at(2, e.unsubscribed);
    await log.at(3, { type: 'TagDeleted', data: { ...tag, tag_name: 'Gold' } });
    await log.at(4, { type: 'ListDeleted', data: { ...list, list_name: 'News' } });
    const lists = { list_id: list.list_id, name_now: 'News', deleted_at: second(4) };
    const tags = { tag_id: tag.tag_id, name_now: 'Gold', deleted_at: second(3) };
    expect(await log.history()).toMatchObject([
      { type: 'ContactCreated' },
      { type: 'ContactSubscribed', list: { ...lists, name_then: 'Newsletter' } },
      { type: 'TagsAttached', list: { ...lists, name_then: 'Newsletter' }, tags: [{ ...tags, name_then: 'VIP' }] },
      { type: 'ListRenamed', list: { ...lists, name_then: 'Newsletter' }, data: { list_name: 'News' }, contact_id },
      { type: 'TagRenamed', tags: [{ ...tags, name_then: 'VIP' }], list_ids: [list.list_id], stream: 'tags' },
      { type: 'ContactUnsubscribed', list: { ...lists, name_then: 'Newsletter' } },
      { type: 'TagDeleted', tags: [{ ...tags, name_then: 'Gold' }], list_ids: [list.list_id] },
      { type: 'ListDeleted', previous_status: 'Unsubscribed', status: null, stream: 'lists', at: second(4) },
    ]);
  });

  test('says how the person decided, and by which e-mail', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
    // The first ten digits are the time of 3 May 2026.
    const email_id = 'eml_01KQPH1RM0W7X9YABCDEFGHJKM';
    const by = (kind: 'one_click' | 'page' | 'complaint'): DomainEvent => ({
      type: 'ContactUnsubscribed',
      data: { contact_id, ...list, previous_status: 'Subscribed', by: { kind, email_id } },
    });
    const again: DomainEvent = {
      type: 'ContactSubscribed',
      data: {
        contact_id,
        ...list,
        previous_status: 'Unsubscribed',
        by: { kind: 'page', email_id },
        person: { salt: exampleSalt, consent: { source: 'a page' } },
      },
    };
    await log.at(1, by('one_click'), again, by('page'), again, by('complaint'));
    const left = 'Unsubscribed from the list "Newsletter" by the person';
    const came =
      'Subscribed to the list "Newsletter" by the person, on the page of the e-mail of 3 May 2026, with consent.';
    expect((await log.history())?.slice(2).map(({ summary }) => summary)).toEqual([
      `${left}, with the button in the e-mail of 3 May 2026.`,
      came,
      `${left}, on the page of the e-mail of 3 May 2026.`,
      came,
      `${left}, who complained about the e-mail of 3 May 2026.`,
    ]);
  });

  test('only while the list or tag is the contact’s', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated, e.tagCreated, e.contactCreated);
    await log.at(1, listRenamed('Newsletter', 'News'), e.subscribed, e.tagsAttached, e.tagsDetached);
    await log.at(2, tagRenamed('VIP', 'Gold'), otherListDeleted);
    expect(typesOf(await log.history())).toEqual([
      'ContactCreated',
      'ContactSubscribed',
      'TagsAttached',
      'TagsDetached',
    ]);
  });

  test('a tag goes with its list', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed, e.tagsAttached, e.listDeleted);
    await log.at(1, tagRenamed('VIP', 'Gold'), e.tagDeleted);
    expect(typesOf(await log.history())?.at(-1)).toBe('ListDeleted');
  });

  test('what was written after the deletion is shown as being without effect', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.otherTagCreated, e.contactCreated, e.subscribed, e.tagDeleted);
    const both: DomainEvent = { type: 'TagsAttached', data: { contact_id, list_id: 'lst_01', tags: [tag, otherTag] } };
    // By the clocks the list went after the last two; the log decides.
    await log.at(5, both, e.listDeleted);
    await log.append(contactStream, e.unsubscribed, { at: second(5) });
    const items = await log.history();
    expect(items?.at(2)).toMatchObject({ type: 'TagsAttached', tags: [{ without_effect: true }, {}] });
    expect(items?.at(2)?.tags?.at(1)?.without_effect).toBeUndefined();
    expect(items?.at(-1)).toMatchObject({
      type: 'ContactUnsubscribed',
      without_effect: true,
      summary: 'Unsubscribed from the list "Newsletter"; without effect, for the list had been deleted before.',
    });
    expect(items?.at(-2)).toMatchObject({ type: 'ListDeleted', previous_status: 'Subscribed' });
  });
});

describe('several lives of a stream', () => {
  const rebirth: DomainEvent = {
    type: 'ContactCreated',
    data: { contact_id: 'con_02', person: { salt: exampleSalt, email: 'ada@example.com' } },
  };

  test('by address all of them, by id only its own; a new life is in no list', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
    await log.at(1, rebirth, listRenamed('Newsletter', 'News'));
    await log.at(2, { type: 'ContactSubscribed', data: { ...e.subscribed.data, contact_id: 'con_02' } });
    await log.at(3, listRenamed('News', 'Letters'));
    const all = await log.history();
    expect(all?.map((item) => [item.type, item.contact_id])).toEqual([
      ['ContactCreated', 'con_01'],
      ['ContactSubscribed', 'con_01'],
      ['ContactCreated', 'con_02'],
      ['ContactSubscribed', 'con_02'],
      ['ListRenamed', 'con_02'],
    ]);
    expect(await log.history({ contactId: 'con_01' })).toEqual(all?.slice(0, 2));
    expect(await log.history({ contactId: 'con_02' })).toEqual(all?.slice(2));
  });
});

describe('filters and pages', () => {
  async function life() {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated, e.tagCreated, e.contactCreated, e.subscribed, inOtherList);
    await log.at(1, e.tagsAttached, listRenamed('Newsletter', 'News'));
    await log.at(2, tagRenamed('VIP', 'Gold'), e.unsubscribed, otherListDeleted);
    await log.at(3, e.profileChanged, { type: 'ListDeleted', data: { ...list, list_name: 'News' } });
    return log;
  }

  test('by list', async () => {
    const log = await life();
    expect(typesOf(await log.history({ list: list.list_id }))).toEqual([
      'ContactSubscribed',
      'TagsAttached',
      'ListRenamed',
      'TagRenamed',
      'ContactUnsubscribed',
      'ListDeleted',
    ]);
    expect(typesOf(await log.history({ list: otherList.list_id }))).toEqual(['ContactUnsubscribed', 'ListDeleted']);
  });

  test('by time, both ends included', async () => {
    const log = await life();
    const all = (await log.history()) ?? [];
    expect(await log.history({ from: second(1), to: second(2) })).toEqual(
      all.filter(({ at }) => at === second(1) || at === second(2)),
    );
    expect(await log.history({ from: second(4) })).toEqual([]);
    expect(await log.history({ to: second(-1) })).toEqual([]);
  });

  test.for([1, 2, 3, 50])(
    'pages of %i are the whole, with and without what was remembered of earlier pages',
    async (limit) => {
      const log = await life();
      const all = await log.history();
      expect(await log.history({ limit })).toEqual(all);
      const filter = { list: list.list_id, from: second(1), to: second(2) };
      expect(await log.history({ ...filter, limit })).toEqual(await log.history(filter));
      // Nobody has paged this far by this auditor: the place is found from the beginning.
      const stranger = auditOf(log.store);
      const after = all?.[3]?.position;
      const page = await stranger.history({ stream: contactStream, limit: 2, after });
      expect(page?.items).toEqual(all?.slice(4, 6));
    },
  );

  test('what was remembered of the whole is not taken for what was cut', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed, e.tagsAttached);
    // The deleting process was ahead: cut at 5, the list and its tag are still there.
    await log.at(9, e.listDeleted);
    await log.at(4, e.profileChanged, tagRenamed('VIP', 'Gold'));
    const page = (request: object) => log.audit.history({ stream: contactStream, limit: 4, ...request });
    const whole = await log.audit.history({ stream: contactStream, limit: 50 });
    expect(typesOf(whole?.items)?.slice(3)).toEqual(['ListDeleted', 'ContactProfileChanged']);
    const cut = await page({ to: second(5) });
    expect(typesOf(cut?.items)?.at(-1)).toBe('ContactProfileChanged');
    // Another page that ends at the same event, of a history that was not cut.
    await log.at(10, {
      type: 'ContactProfileChanged',
      data: { contact_id, person: { salt: exampleSalt, city: 'Paris' } },
    });
    expect((await page({ limit: 5 }))?.next_cursor).toBe(cut?.next_cursor);
    expect(typesOf((await page({ to: second(5), after: cut?.next_cursor }))?.items)).toEqual(['TagRenamed']);
  });

  test('a page that ends the history says so', async () => {
    const log = await life();
    const all = (await log.history()) ?? [];
    expect(await log.history({ limit: all.length })).toHaveLength(all.length);
  });

  test('an unknown contact, an unknown list', async () => {
    const log = await life();
    await expect(log.history({ stream: 'contact-nobody' })).rejects.toMatchObject({ code: 'no_such_contact' });
    await expect(log.history({ list: 'lst_unknown' })).rejects.toMatchObject({ code: 'no_such_list' });
  });

  test('a reading that is given up fails and is no short history', async () => {
    const log = await life();
    await expect(log.history({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
  });
});

test('what is written while an answer is put together is not half in it', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed);
  let isLate = false;
  const busy: SqliteEventStore = {
    ...log.store,
    // The catalogues are read after the end of the log.
    async *readStream(...args) {
      if (!isLate && args[0] === 'lists') {
        isLate = true;
        await log.at(1, listRenamed('Newsletter', 'News'), e.tagsAttached, tagRenamed('VIP', 'Gold'), e.unsubscribed);
      }
      yield* log.store.readStream(...args);
    },
  };
  const request = { stream: contactStream, limit: 50 };
  const audit = auditOf(busy);
  const quiet = await log.audit.history(request);
  expect(quiet.items).toHaveLength(2);
  expect((await audit.history(request)).items).toEqual(quiet.items);
  expect((await audit.history(request)).items).toEqual((await log.audit.history(request)).items);
  expect((await audit.history(request))?.items).toHaveLength(6);
});

test('hundreds of events between two pages of a list that was renamed meanwhile: each item once, in log order', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
  const rounds = usually(6, 20);
  for (let round = 0; round < rounds; round += 1) {
    const events = Array.from({ length: 100 }, (_, index) => toAppend(index % 2 === 0 ? e.unsubscribed : e.subscribed));
    await log.store.append(contactStream, events, { expectedRevision: 'stream_exists' });
    await log.append('lists', listRenamed(`News ${round}`, `News ${round + 1}`));
  }
  const items = (await log.history({ limit: 37 })) ?? [];
  expect(items).toHaveLength(2 + 100 * rounds + rounds);
  const positions = items.map(({ position }) => position);
  expect(positions).toEqual([...positions].sort());
  expect(new Set(positions).size).toBe(items.length);
});
