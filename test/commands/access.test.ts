/** Who looked: many at once from two processes, doubts, a day that is long, and the days in an answer. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CommandContext } from '../../src/commands/batch.js';
import { accessDecider, createRecordRead, type RecordRead } from '../../src/commands/access.js';
import { createCommandHandler } from '../../src/commands/handle.js';
import { AppendInDoubtError, type EventStore } from '../../src/eventstore/event-store.js';
import { auditOf } from '../support/auditing.js';
import { allEvents, openLog } from '../support/event-log.js';
import { exampleEvents, exampleSalt, toAppend } from '../support/examples.js';

const read = { subject: 'a1'.repeat(16), what: 'history' } as const;
const by = (actor: string): CommandContext => {
  const id = randomUUID();
  return { correlationId: id, causationId: id, requestId: `req-${id}`, actor };
};

function recorder(store: EventStore, asked: string | undefined, written = asked ?? ''): RecordRead {
  const sources = { now: () => Date.parse(written), newEventId: () => randomUUID(), newSalt: () => exampleSalt };
  const options = { store, sources, random: Math.random, sleep: async () => undefined, cacheSize: 2 };
  return createRecordRead(createCommandHandler({ ...options, decider: accessDecider }), () =>
    asked === undefined ? undefined : Date.parse(asked),
  );
}

/** As one of several processes: each append may come too late, and every third answer is lost. */
function shared(store: EventStore): EventStore & { readonly looked: () => number } {
  let appends = 0;
  let looked = 0;
  return {
    ...store,
    soleWriter: false,
    looked: () => looked,
    async append(...asked) {
      const result = await store.append(...asked);
      appends += 1;
      if (appends % 3 === 0) throw new AppendInDoubtError('the answer was lost');
      return result;
    },
    async *readStream(...asked) {
      for await (const events of store.readStream(...asked)) {
        looked += events.length;
        yield events;
      }
    },
  };
}

test('each read is written once, whoever else writes and whatever is in doubt', async () => {
  const { store } = await openLog();
  const time = '2026-03-01T10:00:00.000Z';
  const [one, other] = [recorder(shared(store), time), recorder(shared(store), time)];
  const asking = Array.from({ length: 100 }, (_, index) => by(`key_${index}`));
  await Promise.all(asking.map((context, index) => (index % 2 === 0 ? one : other)(read, context)));
  const events = await allEvents(store);
  expect(events.map(({ stream }) => stream)).toEqual(Array(100).fill('access-2026-03-01'));
  const actors = events.map(({ metadata }) => (JSON.parse(metadata) as { actor: string }).actor);
  expect(actors.sort()).toEqual(asking.map(({ actor }) => actor).sort());

  const late = shared(store);
  await recorder(late, time)(read, by('late'));
  expect(late.looked()).toBe(1);
});

test('a read that was recorded while the clock was wrong is found once the clock is right', async () => {
  const { store } = await openLog();
  await store.append('service', [toAppend(exampleEvents.serviceInitialised)], { expectedRevision: 'no_stream' });
  const audit = auditOf(store);
  await recorder(store, '2026-03-01T10:00:00.000Z')(read, by('first'));
  // The clock was a year ahead, and then many years behind. Both are noticed.
  await recorder(store, undefined, '2027-03-01T10:00:00.000Z')(read, by('ahead'));
  await recorder(store, undefined, '1999-03-01T10:00:00.000Z')(read, by('behind'));
  const actorsOf = async (asked: { readonly to?: string; readonly limit: number }) => {
    const found: (string | null)[] = [];
    let after: string | undefined;
    do {
      const page = await audit.reads({ ...asked, after });
      found.push(...page.items.map(({ actor }) => actor));
      after = page.next_cursor;
    } while (after !== undefined);
    return found;
  };
  for (const limit of [1, 2, 10]) expect(await actorsOf({ limit })).toEqual(['first', 'ahead', 'behind']);
  expect(await actorsOf({ to: '2026-03-02T00:00:00.000Z', limit: 10 })).toEqual(['first']);
});

test('an answer has the days of the log, also what was asked for just before midnight', async () => {
  const { store } = await openLog();
  await store.append('service', [toAppend(exampleEvents.serviceInitialised)], { expectedRevision: 'no_stream' });
  const audit = auditOf(store);
  expect(await audit.reads({ limit: 10 })).toEqual({ items: [], searched: 0 });
  await recorder(store, '2026-03-01T10:00:00.000Z')(read, by('first'));
  await recorder(store, '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.001Z')(read, by('second'));
  await recorder(store, '2026-03-02T09:00:00.000Z')({ ...read, subject: 'log', what: 'feed' }, by('third'));
  const actors = async (wanted: object) =>
    (await audit.reads({ limit: 10, ...wanted })).items.map(({ actor }) => actor);
  expect(await actors({})).toEqual(['first', 'second', 'third']);
  expect(await actors({ from: '2026-03-02T00:00:00.000Z' })).toEqual(['second', 'third']);
  expect(await actors({ to: '2026-03-01T23:59:59.999Z' })).toEqual(['first']);
  expect(await actors({ subject: read.subject })).toEqual(['first', 'second']);
  const page = await audit.reads({ limit: 2 });
  expect(page.next_cursor).toBe('2026-03-01.1');
  expect(await actors({ after: page.next_cursor })).toEqual(['third']);
});

test('a record that cannot be read is shown whatever is asked for', async () => {
  const { store } = await openLog();
  await store.append('service', [toAppend(exampleEvents.serviceInitialised)], { expectedRevision: 'no_stream' });
  const broken = { id: randomUUID(), type: 'RecordRead', data: '{"subject":1}', metadata: '{}' };
  await store.append('access-2026-03-01', [broken], { expectedRevision: 'no_stream' });
  const { items } = await auditOf(store).reads({ subject: 'other', actor: 'nobody', to: '2026-03-01', limit: 1 });
  expect(items).toMatchObject([{ at: null, actor: null, subject: null, what: null, position: '00000000000000000002' }]);
});
