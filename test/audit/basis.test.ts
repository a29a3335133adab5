/** What an answer of the auditor rests on, and which list a name stands for. */
import { describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import { logHeads } from '../../src/evidence/log-head.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';
import { answerTime, auditedLog, contactStream, second, type AuditedLog } from '../support/auditing.js';

const { signal } = new AbortController();
const lists = (type: 'ListCreated' | 'ListDeleted', list_id: string, list_name: string): DomainEvent => ({
  type,
  data: { list_id, list_name },
});
const renamed = (list_id: string, previous_name: string, list_name: string): DomainEvent => ({
  type: 'ListRenamed',
  data: { list_id, list_name, previous_name },
});

describe('the basis', () => {
  test('is the end of the log and of its chain as they were before the answer was read', async () => {
    const log = await auditedLog();
    await log.append('service', e.serviceInitialised);
    await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
    const { count, head, position } = log.store.chainHead();
    const log_id = e.serviceInitialised.type === 'ServiceInitialised' ? e.serviceInitialised.data.log_id : '';
    const basis = { answered_at: new Date(answerTime).toISOString(), log_id, position, ordinal: count, head };
    const request = { stream: contactStream, time: second(0) };
    expect(await log.audit.contactAt(request)).toMatchObject(basis);
    const list = await log.audit.listAt({ list: examples.list.list_id, time: second(0), signal });
    expect(list).toMatchObject(basis);
    const { context, items } = await log.audit.history({ stream: contactStream, limit: 1 });
    expect(context.basis).toEqual(basis);
    // What comes after is not in it, even where the answer goes on.
    await log.at(1, e.unsubscribed);
    for await (const members of list.members()) expect(members).toMatchObject([{ status: 'Subscribed' }]);
    const rest = { stream: contactStream, limit: 50, after: items[0]?.position, context };
    expect((await log.audit.history(rest)).items).toHaveLength(1);
    expect((await log.audit.contactAt(request)).ordinal).toBe(count + 1);
  });

  test('says that a time has not come yet', async () => {
    const log = await auditedLog();
    await log.at(0, e.contactCreated);
    const at = (time: string) => log.audit.contactAt({ stream: contactStream, time });
    expect(await at('2026-03-01T11:00:00.001Z')).toMatchObject({ future: true });
    expect(await at('2026-03-01T11:00:00.000Z')).not.toHaveProperty('future');
    const history = await log.audit.history({ stream: contactStream, to: '9999-12-31T00:00:00.000Z', limit: 1 });
    expect(history.context.basis.future).toBe(true);
  });

  test('where another store keeps the chain: says what has no link yet', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.contactCreated);
    const { chainHead: _, ...plain } = log.store;
    const head = 'ab'.repeat(32);
    const of = (position: string) => logHeads(plain, async () => ({ count: 1, head, position }))();
    const end = await log.store.head();
    expect(await of(end)).toEqual({ log_id: null, position: end, ordinal: 1, head });
    expect(await of('00000000000000000001')).toEqual({ log_id: null, position: end, ordinal: 1, head, unlinked: true });
    const none = await logHeads(plain, async () => undefined)();
    expect(none).toEqual({ log_id: null, position: end, ordinal: null, head: null, unlinked: true });
  });
});

describe('a name', () => {
  const taken = async (log: AuditedLog, list: string, time = second(9)) => {
    const { list_id, list_note } = await log.audit.listAt({ list, time, signal });
    return [list_id, list_note];
  };

  test('stands for the list that has it now, else a living one that had it, else the one deleted last', async () => {
    const log = await auditedLog();
    await log.at(0, lists('ListCreated', 'lst_a', 'News'), renamed('lst_a', 'News', 'Letters'));
    await log.at(1, lists('ListCreated', 'lst_b', 'news'), lists('ListDeleted', 'lst_b', 'news'));
    await log.at(2, lists('ListCreated', 'lst_c', 'Old'), lists('ListDeleted', 'lst_c', 'Old'));
    await log.at(3, lists('ListCreated', 'lst_d', 'Old'), lists('ListDeleted', 'lst_d', 'Old'));
    const gone = `lst_b, which was deleted at ${second(1)}`;
    expect(await taken(log, ' NEWS ')).toEqual([
      'lst_a',
      `"News" stands for the list lst_a, whose name is now "Letters". It was also the name of ${gone}.`,
    ]);
    await log.at(4, lists('ListCreated', 'lst_e', 'News'));
    expect(await taken(log, 'News')).toEqual([
      'lst_e',
      `"News" stands for the list lst_e, which has this name now. It was also the name of lst_a, whose name is now "Letters"; ${gone}.`,
    ]);
    expect(await taken(log, 'old')).toEqual([
      'lst_d',
      `"Old" stands for the list lst_d, which was deleted at ${second(3)}. It was also the name of lst_c, which was deleted at ${second(2)}.`,
    ]);
    expect(await taken(log, 'lst_b')).toEqual(['lst_b', undefined]);
  });

  test('of two lists is that which had it at the time, else that which the contact was in', async () => {
    const log = await auditedLog();
    const { list } = examples;
    const named = list.list_name.toUpperCase();
    await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
    await log.at(2, lists('ListDeleted', list.list_id, list.list_name), lists('ListCreated', 'lst_b', named));
    const of = { stream: contactStream, list: named };
    const old = { list_id: list.list_id };
    expect((await log.audit.contactAt({ ...of, time: second(1) })) as object).toMatchObject({
      subscription: { ...old, status: 'Subscribed' },
      list_note: `"Newsletter" stands for the list ${list.list_id}, which was deleted at ${second(2)}. It was also the name of lst_b, which has this name now.`,
    });
    expect(await log.audit.contactAt(of)).toMatchObject({ subscription: { ...old, status: null } });
    expect((await log.audit.history({ ...of, limit: 9 })).items.map(({ type }) => type)).toEqual([
      'ContactSubscribed',
      'ListDeleted',
    ]);
    expect(await taken(log, named, second(1))).toMatchObject([list.list_id, expect.anything()]);
    // The events of the contact are read for no client that has gone.
    const signal = AbortSignal.abort(new Error('the client has gone'));
    await expect(log.audit.begin({ times: [], list: named, contact: of, signal })).rejects.toThrow(
      'the client has gone',
    );
    // The list that had the name then; the contact was in the other one only.
    const never = { code: 'never_in_list', message: expect.stringMatching(/lst_b.*also the name of/) as unknown };
    await expect(log.audit.contactAt({ ...of, time: second(3) })).rejects.toMatchObject(never);
  });

  test('that no list had: the nearest is named', async () => {
    const log = await auditedLog();
    await log.at(0, lists('ListCreated', 'lst_a', 'Newsletter'), lists('ListDeleted', 'lst_a', 'Newsletter'));
    await expect(taken(log, 'newsleter')).rejects.toThrow('There is no such list. Did you mean "Newsletter"?');
    await expect(taken(log, 'lst_unknown')).rejects.toThrow(/^There is no such list$/);
    await expect(taken(log, 'x'.repeat(5_000))).rejects.toThrow(/^There is no such list$/);
  });

  test('among 20,000 long ones: nobody else waits for the nearest', async () => {
    const log = await auditedLog();
    const names = Array.from({ length: 20_000 }, (_, n) => `${n}`.padEnd(255, 'abcdefghij'));
    const events = names.map((name, n) => toAppend(lists('ListCreated', `lst_${n}`, name), {}));
    for (let from = 0; from < events.length; from += 1_000)
      await log.store.append('lists', events.slice(from, from + 1_000), { expectedRevision: 'any' });
    await taken(log, names[0] ?? '');
    const begun = performance.now();
    await expect(taken(log, 'z'.repeat(255))).rejects.toMatchObject({ code: 'no_such_list' });
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  test('an id wins', async () => {
    const log = await auditedLog();
    await log.at(0, lists('ListCreated', 'lst_a', 'One'), lists('ListCreated', 'lst_b', 'lst_a'));
    expect(await taken(log, 'lst_a')).toEqual(['lst_a', undefined]);
  });
});

test('all lists, with their times and earlier names', async () => {
  const log = await auditedLog();
  await log.at(0, lists('ListCreated', 'lst_a', 'News'), lists('ListCreated', 'lst_b', 'Shop'));
  await log.at(1, renamed('lst_a', 'News', 'Letters'));
  await log.at(2, lists('ListDeleted', 'lst_a', 'Letters'));
  expect((await log.audit.lists()).lists).toEqual([
    {
      list_id: 'lst_a',
      list_name: 'Letters',
      created_at: second(0),
      deleted_at: second(2),
      earlier_names: [{ list_name: 'News', until: second(1) }],
    },
    { list_id: 'lst_b', list_name: 'Shop', created_at: second(0), deleted_at: null, earlier_names: [] },
  ]);
});
