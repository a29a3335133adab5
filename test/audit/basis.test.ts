/** What an answer of the auditor rests on, and which list a name stands for. */
import { describe, expect, test } from 'vitest';
import { lastPositionIn } from '../../src/audit/basis.js';
import type { DomainEvent } from '../../src/events/codec.js';
import { createSeal, type Seal } from '../../src/integrity/seal.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';
import { answerTime, auditedLog, basisOf, contactStream, second, type AuditedLog } from '../support/auditing.js';
import { testKey } from '../support/proofs.js';

const { signal } = new AbortController();
const lists = (type: 'ListCreated' | 'ListDeleted', list_id: string, list_name: string): DomainEvent => ({
  type,
  data: { list_id, list_name },
});
const renamed = (list_id: string, previous_name: string, list_name: string): DomainEvent => ({
  type: 'ListRenamed',
  data: { list_id, list_name, previous_name },
});

const root = 'ab'.repeat(32);
const sealOver = (count: number): Seal =>
  createSeal({ log_id: 'log', seq: count, restores: 0, count, root, final: false }, testKey(7), 0);

describe('the basis', () => {
  test('is the end of the log as it was before the answer was read', async () => {
    const log = await auditedLog();
    await log.append('service', e.serviceInitialised);
    await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
    const position = await log.store.head();
    const log_id = e.serviceInitialised.type === 'ServiceInitialised' ? e.serviceInitialised.data.log_id : '';
    const basis = { answered_at: new Date(answerTime).toISOString(), log_id, position, count: 4 };
    const request = { stream: contactStream, time: second(0) };
    expect(await log.audit.contactAt(request)).toMatchObject({ ...basis, seal: null });
    const list = await log.audit.listAt({ list: examples.list.list_id, time: second(0), signal });
    expect(list).toMatchObject(basis);
    const page = await log.audit.history({ stream: contactStream, limit: 1 });
    const { context, items } = page;
    expect(page.basis).toEqual({ ...basis, seal: null });
    // Later events are not in the answer, even if it is continued.
    await log.at(1, e.unsubscribed);
    for await (const members of list.members()) expect(members).toMatchObject([{ status: 'Subscribed' }]);
    const rest = { stream: contactStream, limit: 50, after: items[0]?.position, context };
    expect((await log.audit.history(rest)).items).toHaveLength(1);
    expect((await log.audit.contactAt(request)).count).toBe(5);
  });

  test('says that a time has not come yet', async () => {
    const log = await auditedLog();
    await log.at(0, e.contactCreated);
    const at = (time: string) => log.audit.contactAt({ stream: contactStream, time });
    expect(await at('2026-03-01T11:00:00.001Z')).toMatchObject({ future: true });
    expect(await at('2026-03-01T11:00:00.000Z')).not.toHaveProperty('future');
    const history = await log.audit.history({ stream: contactStream, to: '9999-12-31T00:00:00.000Z', limit: 1 });
    expect(history.basis.future).toBe(true);
  });

  test('has no count while the newest events have not been counted', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.contactCreated);
    const { store } = log;
    const tree = { ...store.tree, ordinalsAt: async (positions: readonly string[]) => positions.map(() => undefined) };
    const { logBasis, sealOf } = basisOf({ ...store, tree }, () => sealOver(2));
    expect(await logBasis()).toEqual({ log_id: null, position: await store.head(), count: null });
    expect(await sealOf(await store.head())).toBeNull();
  });

  test('names the newest seal only if the seal covers every event in the answer', async () => {
    let seal: Seal | undefined;
    const log = await auditedLog(() => seal);
    await log.at(0, e.listCreated, e.contactCreated);
    await log.at(1, e.subscribed);
    await log.at(2, e.unsubscribed);
    const sealsAt = async (count: number) => {
      seal = sealOver(count);
      const list = { list: examples.list.list_id, time: second(1), signal };
      const [members, diff] = [
        await log.audit.listAt(list),
        await log.audit.listDiff({ ...list, from: second(1), to: second(2) }),
      ];
      for await (const _ of members.members());
      for await (const _ of diff.changes());
      const seals = [
        (await log.audit.history({ stream: contactStream, limit: 9 })).basis.seal,
        (await log.audit.history({ stream: contactStream, limit: 1 })).basis.seal,
        (await log.audit.contactAt({ stream: contactStream, time: second(2) })).seal,
        await members.seal(),
        await diff.seal(),
        (await log.audit.lists()).seal,
      ];
      return seals.map((one) => one?.count ?? null);
    };
    // The history ends with event 4, and its first page with event 2. The member at second 1 rests on event 3.
    expect(await sealsAt(1)).toEqual([null, null, null, null, null, 1]);
    expect(await sealsAt(2)).toEqual([null, 2, null, null, null, 2]);
    expect(await sealsAt(3)).toEqual([null, 3, null, 3, null, 3]);
    // Events that nobody asked about come after the seal.
    await log.at(3, e.otherListCreated);
    expect(await sealsAt(4)).toEqual([4, 4, 4, 4, 4, null]);
  });

  test('of an answer without events is a seal over the whole log', async () => {
    let seal = sealOver(1);
    const log = await auditedLog(() => seal);
    await log.at(5, e.listCreated, e.contactCreated);
    const before = { stream: contactStream, time: second(0), contactId: 'con_other' };
    expect(await log.audit.contactAt(before)).toMatchObject({ profile: null });
    const empty = await log.audit.history({ stream: contactStream, to: second(0), limit: 9, contactId: 'con_other' });
    expect([empty.items, lastPositionIn(empty.lives)]).toEqual([[], await log.store.head()]);
    expect(empty.basis.seal).toBeNull();
    seal = sealOver(2);
    expect((await log.audit.contactAt(before)).seal).toMatchObject({ count: 2, root });
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
