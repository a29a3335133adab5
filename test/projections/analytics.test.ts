/** The analysts' views against a fold by hand: random histories over months, clocks that differ, deletions, events after them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codec, type DomainEvent } from '../../src/events/codec.js';
import type { RecordedEvent } from '../../src/events/envelope.js';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import {
  createAnalyticsQueries,
  type AnalyticsQueries,
  type SeriesRequest,
} from '../../src/projections/analytics-queries.js';
import { countIntervals, dayOf, endOf, intervalsOf, startOf } from '../../src/projections/calendar.js';
import { createGrowthFold, growthRows } from '../../src/projections/growth-rows.js';
import { usually } from '../support/amount.js';
import { exampleEvents as e, examplePosition, toAppend } from '../support/examples.js';
import { queryViewsOf } from '../support/query-views.js';
import { anyHistory, historyOf, openFoldedViews, type FoldedViews, type History } from './analytics-log.js';

let views: FoldedViews;
let queries: AnalyticsQueries;

beforeAll(async () => {
  views = await openFoldedViews();
  queries = createAnalyticsQueries(queryViewsOf(views.models));
});
afterAll(() => views.close());

const whole = { check: () => undefined };
/** Beyond every wait of the histories. */
const end = '2027-01-31';
const byDay: SeriesRequest = { from: '2025-11-20', to: end, interval: 'day', ...whole };
const days = [...intervalsOf({ from: '2025-11-20', to: end, interval: 'day' })].map(({ from }) => from);

const decoded = ({ events }: History): readonly RecordedEvent<DomainEvent>[] =>
  events.map((stored) => codec.decode(stored));

/** What deletes it, the first time. */
const deletionOf = (log: readonly RecordedEvent<DomainEvent>[], id: string) =>
  log.find(({ event }) =>
    event.type === 'ListDeleted' ? event.data.list_id === id : event.type === 'TagDeleted' && event.data.tag_id === id,
  );

/** What the log has of one list before its deletion, each on its day; `until`: as it was at that time. */
function movesOf(log: readonly RecordedEvent<DomainEvent>[], listId: string, until: string) {
  const deletion = deletionOf(log, listId);
  const over = deletion !== undefined && deletion.metadata.at <= until ? dayOf(deletion.metadata.at) : undefined;
  const moves = log.flatMap(({ event, position, metadata }) => {
    if (event.type !== 'ContactSubscribed' && event.type !== 'ContactUnsubscribed') return [];
    if (event.data.list_id !== listId || position > (deletion?.position ?? '9') || metadata.at > until) return [];
    const day = dayOf(metadata.at);
    const subscribes = event.type === 'ContactSubscribed';
    return [{ day: over !== undefined && day > over ? over : day, subscribes, contact: event.data.contact_id }];
  });
  return { moves, over };
}

/** Growth by hand: day for day, who is subscribed is kept, and who ever was. */
function growthByHand(log: readonly RecordedEvent<DomainEvent>[], listId: string, until = '9999') {
  const { moves, over } = movesOf(log, listId, until);
  const now = new Set<string>();
  const ever = new Set<string>();
  let before = 0;
  return days.map((day) => {
    const row = { from: day, to: day, joined: 0, unsubscribed: 0, resubscribed: 0, erased: 0, left_with_list: 0 };
    // Contacts have clocks of their own, so that the days are not in the order of the log.
    for (const { subscribes, contact } of moves.filter((move) => move.day === day)) {
      if (subscribes) row[ever.has(contact) ? 'resubscribed' : 'joined'] += 1;
      else if (now.has(contact)) row.unsubscribed += 1;
      if (subscribes) ever.add(contact);
      now[subscribes ? 'add' : 'delete'](contact);
    }
    if (day === over) {
      row.left_with_list = now.size;
      now.clear();
    }
    const net = now.size - before;
    before = now.size;
    return { ...row, net, total: now.size };
  });
}

const since = <Row extends { readonly from: string }>(rows: readonly Row[], day: string): Row[] =>
  rows.filter(({ from }) => from >= day);

/** Sums of rows by day; what stands at the end is that of the last day. */
function summed<Row extends { readonly from: string }>(rows: readonly Row[], interval: 'week' | 'month') {
  const monday = (day: string): string => {
    const date = new Date(`${day}T00:00:00Z`);
    while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
    return date.toISOString().slice(0, 10);
  };
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = interval === 'week' ? monday(row.from) : row.from.slice(0, 7);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const atEnd = new Set(['to', 'total', 'in_use']);
  return [...groups.values()].map((group) =>
    group.reduce<Record<string, unknown>>((sum, row) => {
      const pairs = Object.entries(row).map(([name, value]: [string, unknown]) => {
        if (atEnd.has(name) || sum[name] === undefined) return [name, value];
        return [name, name === 'from' ? sum[name] : Number(sum[name]) + Number(value)];
      });
      return Object.fromEntries(pairs) as Record<string, unknown>;
    }, {}),
  );
}

/** What the log has of one tag in one list before either was deleted, each on its day. */
function usesOf(log: readonly RecordedEvent<DomainEvent>[], tagId: string, listId: string) {
  const ends = [deletionOf(log, tagId), deletionOf(log, listId)].filter((deletion) => deletion !== undefined);
  const over = ends.map(({ metadata }) => metadata.at).sort()[0];
  const uses = log.flatMap(({ event, position, metadata: { at } }) => {
    if (event.type !== 'TagsAttached' && event.type !== 'TagsDetached') return [];
    const { list_id, tags, contact_id } = event.data;
    if (list_id !== listId || !tags.some(({ tag_id }) => tag_id === tagId)) return [];
    if (ends.some((deletion) => position > deletion.position)) return [];
    return [{ day: dayOf(over !== undefined && at > over ? over : at), type: event.type, contact: contact_id }];
  });
  return { uses, over };
}

/** Use by hand: day for day, who bears the tag in which list is kept. */
function useByHand(log: readonly RecordedEvent<DomainEvent>[], tagId: string) {
  const listIds = log.flatMap(({ event }) => (event.type === 'ListCreated' ? [event.data.list_id] : []));
  const inLists = listIds.map((listId) => ({
    ...usesOf(log, tagId, listId),
    isListEnd: (over: string) => deletionOf(log, listId)?.metadata.at === over,
    bearers: new Set<string>(),
  }));
  let before = 0;
  return days.map((day) => {
    const row = { from: day, to: day, attached: 0, detached: 0, erased: 0, left_with_list: 0, left_with_tag: 0 };
    for (const { uses, over, isListEnd, bearers } of inLists) {
      for (const { type, contact } of uses.filter((one) => one.day === day)) {
        row[type === 'TagsAttached' ? 'attached' : 'detached'] += 1;
        bearers[type === 'TagsAttached' ? 'add' : 'delete'](contact);
      }
      if (over === undefined || dayOf(over) !== day) continue;
      row[isListEnd(over) ? 'left_with_list' : 'left_with_tag'] += bearers.size;
      bearers.clear();
    }
    const in_use = inLists.reduce((sum, { bearers }) => sum + bearers.size, 0);
    const net = in_use - before;
    before = in_use;
    return { ...row, net, in_use };
  });
}

const status = (
  contact_id: string,
  to: 'Subscribed' | 'Unsubscribed',
  previous_status: 'Subscribed' | 'Unsubscribed' | null,
): DomainEvent => ({
  type: to === 'Subscribed' ? 'ContactSubscribed' : 'ContactUnsubscribed',
  data: { contact_id, list_id: 'lst_01', list_name: 'Newsletter', previous_status },
});

type Happened = readonly [at: string, stream: string, event: DomainEvent];

const storedOf = (happened: readonly Happened[]): readonly StoredEvent[] =>
  happened.map(([at, stream, event], index) => ({
    ...toAppend(event, { at }),
    stream,
    revision: BigInt(happened.slice(0, index).filter(([, other]) => other === stream).length),
    position: examplePosition(index + 1),
  }));

/** Reads views of their own that hold nothing else. */
async function readingOf<Answer>(happened: readonly Happened[], read: (queries: AnalyticsQueries) => Promise<Answer>) {
  const own = await openFoldedViews();
  await own.fold(storedOf(happened), 3);
  const answer = await read(createAnalyticsQueries(queryViewsOf(own.models)));
  await own.close();
  return answer;
}

/** Up to 2026-03-03, from the first day on. */
const threeDays: SeriesRequest = { to: '2026-03-03', interval: 'day', ...whole };
const growthOf = (happened: readonly Happened[]) => readingOf(happened, (own) => own.listGrowth('lst_01', threeDays));

/** Clocks differ: in the log the deletion stands before what happened an hour earlier, and after what happened a day later. */
const deleted: readonly Happened[] = [
  ['2026-03-01T10:00:00.000Z', 'lists', e.listCreated],
  ['2026-03-01T10:00:00.000Z', 'contact-1', status('con_1', 'Unsubscribed', null)],
  ['2026-03-01T10:00:00.000Z', 'contact-2', status('con_2', 'Unsubscribed', null)],
  ['2026-03-01T10:00:00.000Z', 'contact-4', status('con_4', 'Subscribed', null)],
  ['2026-03-01T11:00:00.000Z', 'contact-4', status('con_4', 'Unsubscribed', 'Subscribed')],
  ['2026-03-02T08:00:00.000Z', 'contact-4', status('con_4', 'Subscribed', 'Unsubscribed')],
  ['2026-03-03T09:00:00.000Z', 'contact-1', status('con_1', 'Subscribed', 'Unsubscribed')],
  ['2026-03-02T12:00:00.000Z', 'lists', e.listDeleted],
  ['2026-03-02T11:00:00.000Z', 'contact-2', status('con_2', 'Subscribed', 'Unsubscribed')],
  ['2026-03-02T11:00:00.000Z', 'contact-3', status('con_3', 'Subscribed', null)],
  ['2026-03-03T10:00:00.000Z', 'contact-1', status('con_1', 'Unsubscribed', 'Subscribed')],
];
const none = { joined: 0, unsubscribed: 0, resubscribed: 0, erased: 0, left_with_list: 0, net: 0, total: 0 };

describe('list growth', () => {
  it('equals a fold by hand, by day, week and month', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.integer({ min: 1, max: 20 }), async (steps, batch) => {
        const history = historyOf(steps);
        await views.fold(history.events, batch);
        // A crash between documents and checkpoint: the same events again.
        await views.fold(history.events.slice(-7), batch);
        for (const listId of history.listIds) {
          const found = await queries.listGrowth(listId, byDay);
          const expected = growthByHand(decoded(history), listId);
          expect(found?.rows).toEqual(expected);
          // Whole weeks and months: 2025-11-24 is a Monday.
          const weeks = await queries.listGrowth(listId, { ...byDay, from: '2025-11-24', interval: 'week' });
          expect(weeks?.rows).toEqual(summed(since(expected, '2025-11-24'), 'week'));
          const months = await queries.listGrowth(listId, { ...byDay, from: '2025-12-24', interval: 'month' });
          expect(months?.rows).toEqual(summed(since(expected, '2025-12-01'), 'month'));
        }
      }),
      { numRuns: usually(8, 25) },
    );
  }, 60_000);

  it('keeps to days in UTC: the last millisecond, the first one', async () => {
    const found = await growthOf([
      ['2026-03-01T23:59:59.999Z', 'lists', e.listCreated],
      ['2026-03-01T23:59:59.999Z', 'contact-1', status('con_1', 'Subscribed', null)],
      ['2026-03-02T00:00:00.000Z', 'contact-1', status('con_1', 'Unsubscribed', 'Subscribed')],
      ['2026-03-02T23:59:59.999Z', 'contact-1', status('con_1', 'Subscribed', 'Unsubscribed')],
    ]);
    expect(found?.rows).toEqual([
      { from: '2026-03-01', to: '2026-03-01', ...none, joined: 1, net: 1, total: 1 },
      { from: '2026-03-02', to: '2026-03-02', ...none, unsubscribed: 1, resubscribed: 1, total: 1 },
      { from: '2026-03-03', to: '2026-03-03', ...none, total: 1 },
    ]);
  });

  it('counts who came in as Unsubscribed as joined when first Subscribed, and only then', async () => {
    const found = await growthOf([
      ['2026-03-01T10:00:00.000Z', 'lists', e.listCreated],
      ['2026-03-01T10:00:00.000Z', 'contact-1', status('con_1', 'Unsubscribed', null)],
      ['2026-03-01T11:00:00.000Z', 'contact-1', status('con_1', 'Subscribed', 'Unsubscribed')],
      ['2026-03-02T11:00:00.000Z', 'contact-1', status('con_1', 'Unsubscribed', 'Subscribed')],
      ['2026-03-03T11:00:00.000Z', 'contact-1', status('con_1', 'Subscribed', 'Unsubscribed')],
    ]);
    expect(found?.rows).toMatchObject([
      { joined: 1, unsubscribed: 0, resubscribed: 0, total: 1 },
      { joined: 0, unsubscribed: 1, resubscribed: 0, total: 0 },
      { joined: 0, unsubscribed: 0, resubscribed: 1, total: 1 },
    ]);
  });

  it('ends with the list: what another clock dated later counts on that day, what the log has later never', async () => {
    const found = await growthOf(deleted);
    expect(found?.life.deleted?.at).toBe('2026-03-02T12:00:00.000Z');
    expect(found?.rows).toEqual([
      { from: '2026-03-01', to: '2026-03-01', ...none, joined: 1, unsubscribed: 1 },
      { from: '2026-03-02', to: '2026-03-02', ...none, joined: 1, resubscribed: 1, left_with_list: 2 },
      { from: '2026-03-03', to: '2026-03-03', ...none },
    ]);
  });

  it('of a time before the deletion has a living list, but nothing that the log has after the deletion', () => {
    const range = { from: '2026-03-01', to: '2026-03-02', interval: 'day' } as const;
    const rowsAt = (time?: string) => {
      const fold = createGrowthFold(time);
      storedOf(deleted).forEach((stored) => fold.add(codec.decode(stored)));
      return fold.lists().map(({ growth, late }) => growthRows(growth, late, range));
    };
    const first = { from: '2026-03-01', to: '2026-03-01', ...none, joined: 1, unsubscribed: 1 };
    const second = { from: '2026-03-02', to: '2026-03-02', ...none, resubscribed: 1 };
    expect(rowsAt('2026-03-02T11:30:00.000Z')).toEqual([[first, { ...second, net: 1, total: 1 }]]);
    expect(rowsAt()).toEqual([[first, { ...second, joined: 1, left_with_list: 2 }]]);
    expect(rowsAt('2026-03-01T09:00:00.000Z')).toEqual([]);
  });

  it('of any past time comes from the log alone', () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(), (steps, pick) => {
        const log = decoded(historyOf(steps));
        const time = log[pick % log.length]?.metadata.at ?? '';
        for (const until of [undefined, time]) {
          const fold = createGrowthFold(until);
          log.forEach((event) => fold.add(event));
          for (const { growth, late } of fold.lists()) {
            const rows = growthRows(growth, late, { from: '2025-11-20', to: end, interval: 'day' });
            expect(rows).toEqual(growthByHand(log, growth.life.list_id, until));
          }
        }
      }),
      { numRuns: usually(8, 25) },
    );
  }, 60_000);
});

describe('tag use', () => {
  it('equals a fold by hand, by day and month', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.integer({ min: 1, max: 20 }), async (steps, batch) => {
        const history = historyOf(steps);
        await views.fold(history.events, batch);
        for (const tagId of history.tagIds) {
          const expected = useByHand(decoded(history), tagId);
          expect((await queries.tagUse(tagId, byDay))?.rows).toEqual(expected);
          const months = await queries.tagUse(tagId, { ...byDay, from: '2025-12-01', interval: 'month' });
          expect(months?.rows).toEqual(summed(since(expected, '2025-12-01'), 'month'));
        }
      }),
      { numRuns: usually(8, 25) },
    );
  }, 60_000);

  it('ends with the tag or the list: the log decides what is void, the time when it ended', async () => {
    const tags = (type: 'TagsAttached' | 'TagsDetached', contact_id: string): DomainEvent => ({
      type,
      data: { contact_id, list_id: 'lst_01', tags: [{ tag_id: 'tag_01', tag_name: 'VIP' }] },
    });
    const happened: readonly Happened[] = [
      ['2026-03-01T10:00:00.000Z', 'lists', e.listCreated],
      ['2026-03-01T10:00:00.000Z', 'tags', e.tagCreated],
      ['2026-03-01T11:00:00.000Z', 'contact-1', tags('TagsAttached', 'con_1')],
      ['2026-03-03T09:00:00.000Z', 'contact-3', tags('TagsAttached', 'con_3')],
      ['2026-03-03T10:00:00.000Z', 'tags', e.tagDeleted],
      ['2026-03-01T12:00:00.000Z', 'contact-2', tags('TagsAttached', 'con_2')],
      ['2026-03-02T10:00:00.000Z', 'lists', e.listDeleted],
      ['2026-03-02T09:00:00.000Z', 'contact-1', tags('TagsDetached', 'con_1')],
    ];
    const found = await readingOf(happened, (own) => own.tagUse('tag_01', threeDays));
    const zero = { attached: 0, detached: 0, erased: 0, left_with_list: 0, left_with_tag: 0, net: 0, in_use: 0 };
    expect(found?.rows).toEqual([
      { from: '2026-03-01', to: '2026-03-01', ...zero, attached: 1, net: 1, in_use: 1 },
      { from: '2026-03-02', to: '2026-03-02', ...zero, attached: 1, left_with_list: 2, net: -1 },
      { from: '2026-03-03', to: '2026-03-03', ...zero },
    ]);
  });

  it('is unknown of what never was a tag', async () => {
    expect(await queries.tagUse('lst_01', byDay)).toBeUndefined();
    expect(await queries.listGrowth('tag_01', byDay)).toBeUndefined();
  });
});

describe('e-mail outcomes', () => {
  it('are counted by day, and in doubt without another attempt is held, too', async () => {
    const own = await openFoldedViews();
    const at = ['2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z', '2026-03-31T12:00:00.000Z'];
    const outcomes: readonly (readonly [DomainEvent, number])[] = [
      [e.emailRequested, 0],
      [e.emailDeferred, 0],
      [e.emailRequested, 1],
      [e.emailSent, 1],
      [e.emailInDoubt, 1],
      [e.emailInDoubtHeld, 2],
      [e.emailHeld, 2],
      [e.emailReleased, 2],
      [e.emailFailed, 2],
      [e.emailReopened, 2],
      [e.emailFailed, 2],
      [e.emailBounced, 2],
      [e.emailComplained, 2],
      [{ type: 'EmailBounced', data: { ...e.emailBounced.data, verified: false } }, 2],
      [{ type: 'EmailComplained', data: { ...e.emailComplained.data, verified: false } }, 2],
      [e.emailCancelled, 2],
    ];
    const stored = outcomes.map(([event, time], index) => ({
      ...toAppend(event, { at: at[time] ?? '' }),
      stream: `email-${index}`,
      revision: 0n,
      position: examplePosition(index + 1),
    }));
    await own.fold(stored, 4);
    const read = createAnalyticsQueries(queryViewsOf(own.models));
    const why = (outcome: string, reason: string, count: number) => ({ outcome, reason, count });
    const nothing = {
      requested: 0,
      sent: 0,
      deferred: 0,
      failed: 0,
      reopened: 0,
      in_doubt: 0,
      held: 0,
      bounced: 0,
      complained: 0,
      unverified: 0,
      cancelled: 0,
      reasons: [],
    };
    const found = await read.emailOutcomes({ to: '2026-03-03', interval: 'day', ...whole });
    expect(found.rows).toEqual([
      {
        from: '2026-03-01',
        to: '2026-03-01',
        ...nothing,
        requested: 1,
        deferred: 1,
        reasons: [why('deferred', 'smtp_4xx', 1)],
      },
      {
        from: '2026-03-02',
        to: '2026-03-02',
        ...nothing,
        requested: 1,
        sent: 1,
        in_doubt: 1,
        reasons: [why('in_doubt', 'connection_lost', 1)],
      },
      { from: '2026-03-03', to: '2026-03-03', ...nothing },
    ]);
    const month = await read.emailOutcomes({ to: '2026-03-03', interval: 'month', ...whole });
    expect(month.rows).toEqual([
      {
        from: '2026-03-01',
        to: '2026-03-31',
        requested: 2,
        sent: 1,
        deferred: 1,
        failed: 2,
        reopened: 1,
        in_doubt: 2,
        held: 2,
        bounced: 1,
        complained: 1,
        unverified: 2,
        cancelled: 1,
        reasons: [
          why('deferred', 'smtp_4xx', 1),
          why('failed', 'smtp_5xx', 2),
          why('in_doubt', 'connection_lost', 2),
          why('held', 'connection_lost', 1),
          why('held', 'policy', 1),
          why('bounced', 'hard', 1),
          why('cancelled', 'requested_by_client', 1),
        ],
      },
    ]);
    await own.close();
  });
});

describe('days, weeks and months', () => {
  it('are those of the calendar', () => {
    expect(startOf('2026-01-01', 'week')).toBe('2025-12-29');
    expect(endOf('2026-01-01', 'week')).toBe('2026-01-04');
    expect(startOf('2026-03-02', 'week')).toBe('2026-03-02');
    expect(endOf('2024-02-01', 'month')).toBe('2024-02-29');
    expect(endOf('2100-02-11', 'month')).toBe('2100-02-28');
    expect(endOf('2026-12-31', 'month')).toBe('2026-12-31');
    expect(startOf('1969-12-31', 'week')).toBe('1969-12-29');
  });

  it('are as many as are counted, without gap or overlap, and end with the calendar', () => {
    const aDay = fc
      .integer({ min: Date.parse('0000-01-01'), max: Date.parse('9999-12-31') })
      .map((time) => dayOf(new Date(time).toISOString()));
    const interval = fc.constantFrom('day' as const, 'week' as const, 'month' as const);
    const reach = fc.oneof(fc.integer({ min: 0, max: 400 }), fc.constant(100_000));
    fc.assert(
      fc.property(
        fc.oneof(aDay, fc.constantFrom('0000-01-01', '9999-12-31')),
        reach,
        interval,
        (from, length, kind) => {
          const last = Math.min(Date.parse(from) + length * 86_400_000, Date.parse('9999-12-31'));
          const range = { from, to: dayOf(new Date(last).toISOString()), interval: kind };
          const count = countIntervals(range);
          if (count > 5_000) return;
          const found = [...intervalsOf(range)];
          expect(found).toHaveLength(count);
          expect((found[0]?.from ?? '') <= from && (found.at(-1)?.to ?? '') >= range.to).toBe(true);
          found.slice(1).forEach((span, index) => {
            expect(Date.parse(span.from) - Date.parse(found[index]?.to ?? '')).toBe(86_400_000);
          });
        },
      ),
      { numRuns: usually(20, 60) },
    );
  });
});
