import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';
import { streamsKey, wholeView } from '../../src/projector/touched.js';
import { liveProjections } from '../../src/projections/views.js';
import type { DomainEvent } from '../../src/events/codec.js';
import type { AppendedEvents } from '../../src/events/envelope.js';
import { exampleEvents, exampleMetadata, examplePosition } from '../support/examples.js';

afterEach(() => {
  vi.useRealTimers();
});

let time = 0;
const ownWrites = (head = '') => createOwnWrites({ projections: liveProjections, head, now: () => time });

const append = (stream: string, position: number, event: DomainEvent): AppendedEvents<DomainEvent> => {
  const id = randomUUID();
  const [data, metadata] = [JSON.stringify(event.data), JSON.stringify(exampleMetadata)];
  const encoded = { id, type: event.type, data, metadata };
  const events = [{ id, event, metadata: exampleMetadata, encoded }];
  return { stream, events, revision: 0n, position: examplePosition(position) };
};

type OwnWrites = ReturnType<typeof ownWrites>;

/** Returns the position that a read waits for if it begins now, as a number. */
function pending(own: OwnWrites, view: string, key = wholeView): number | undefined {
  const position = own.pending(view, key, own.newest());
  return position === undefined ? undefined : Number(position);
}

test('a read waits for what this process wrote to what it reads, and for nothing else', () => {
  const own = ownWrites();
  own.record(append('lists', 5, exampleEvents.listCreated));
  expect(pending(own, 'groups')).toBeUndefined();
  expect(pending(own, 'lists', 'lst_99')).toBeUndefined();
  for (const key of ['lst_01', wholeView]) expect(pending(own, 'lists', key)).toBe(5);
  expect(pending(own, streamsKey, 'lists')).toBe(5);
  own.record(append('contact-1', 4, exampleEvents.subscribed));
  expect(pending(own, 'contacts', 'con_01')).toBe(4);
  for (const key of ['lst_01/', 'lst_01/con_01']) expect(pending(own, 'memberships', key)).toBe(4);
  expect(pending(own, 'list_growth', 'lst_01/x')).toBe(5);
  expect(pending(own, 'contacts', 'con_02')).toBeUndefined();
  expect(pending(own, 'memberships', 'lst_02/')).toBeUndefined();
  expect(pending(own, 'emails')).toBeUndefined();
  own.advance(examplePosition(5));
  expect(pending(own, 'lists')).toBeUndefined();
});

test('a read does not wait for writes after it has begun', () => {
  const own = ownWrites();
  own.record(append('lists', 5, exampleEvents.listCreated));
  const begun = own.newest();
  own.record(append('lists', 7, exampleEvents.listCreated));
  expect(own.pending('lists', 'lst_01', begun)).toBe(examplePosition(5));
  own.advance(examplePosition(5));
  expect(own.pending('lists', 'lst_01', begun)).toBeUndefined();
  expect(pending(own, 'lists', 'lst_01')).toBe(7);
});

test('a write is noted although a view cannot tell what it touches: it counts as one to each document', () => {
  const keys = (): never => {
    throw new TypeError('a fault of the projection');
  };
  const projections = liveProjections.map((view) => (view.name === 'contacts' ? { ...view, keys } : view));
  const own = createOwnWrites({ projections, head: '', now: () => time });
  own.record(append('contact-1', 4, exampleEvents.subscribed));
  expect(pending(own, 'lists')).toBeUndefined();
  for (const key of [wholeView, 'con_99']) expect(pending(own, 'contacts', key)).toBe(4);
  expect(pending(own, streamsKey, 'contact-1')).toBe(4);
  expect(pending(own, 'memberships', 'lst_01/')).toBe(4);
  own.advance(examplePosition(4));
  expect(pending(own, 'contacts', 'con_99')).toBeUndefined();
});

test('events that the log had at the start are treated as written to everything', () => {
  const own = ownWrites(examplePosition(9));
  expect(own.reached()).toBe(false);
  expect(pending(own, 'groups')).toBe(9);
  own.advance(examplePosition(9));
  expect(pending(own, 'groups')).toBeUndefined();
  expect(own.reached()).toBe(true);
});

test('a wait ends when the views show the position', async () => {
  const own = ownWrites();
  const waiting = own.wait(examplePosition(5), 60_000);
  own.advance(examplePosition(4));
  expect(own.isAwaited()).toBe(true);
  own.advance(examplePosition(5));
  expect(await waiting).toBe(true);
});

test('a read that waits too long is told to come again', async () => {
  vi.useFakeTimers();
  const own = ownWrites();
  const waiting = expect(own.shows(examplePosition(1))).rejects.toMatchObject({
    code: 'unavailable',
    retryAfter: 1,
  });
  await vi.advanceTimersByTimeAsync(2_000);
  await waiting;
});

test('a request that waits is made known at once', () => {
  const own = ownWrites();
  const told = vi.fn();
  own.onWaiting(told);
  own.record(append('lists', 5, exampleEvents.listCreated));
  expect(told).not.toHaveBeenCalled();
  void own.wait(examplePosition(5), 1_000);
  expect(told).toHaveBeenCalledOnce();
  own.close();
});

test('the lag is the age of the oldest write that is not shown, and a wait for it ends when that is', async () => {
  const own = ownWrites();
  time = 1_000;
  own.record(append('lists', 5, exampleEvents.listCreated));
  time = 2_500;
  expect(own.lag()).toBe(1_500);
  const caughtUp = own.waitForLag(1_000, 60_000);
  own.advance(examplePosition(5));
  await caughtUp;
  expect(own.lag()).toBe(0);
});

test('very many writes that are not shown become one to everything, so that memory stays bounded', () => {
  const own = ownWrites();
  time = 0;
  for (let position = 1; position <= 20_001; position += 1)
    own.record(append('lists', position, exampleEvents.listCreated));
  time = 700;
  expect(pending(own, 'groups')).toBe(20_001);
  expect(own.lag()).toBe(700);
  own.advance(examplePosition(20_001));
  expect(pending(own, 'groups')).toBeUndefined();
  expect(own.lag()).toBe(0);
});

test('positions that are reported out of order hide no write, because appends to different streams, and repeats, can end in any order', () => {
  const own = ownWrites();
  own.record(append('lists', 101, exampleEvents.listCreated));
  own.record(append('lists', 50, exampleEvents.listCreated));
  own.advance(examplePosition(60));
  expect(pending(own, 'lists')).toBe(101);
  own.advance(examplePosition(101));
  expect(pending(own, 'lists')).toBeUndefined();
  expect(own.lag()).toBe(0);
});

test('an answer that rested on the log without writing is not contradicted by a later read', () => {
  const own = ownWrites();
  own.advance(examplePosition(5));
  own.requireAtLeast(examplePosition(4));
  expect(pending(own, 'lists')).toBeUndefined();
  own.requireAtLeast(examplePosition(7));
  expect(pending(own, 'lists')).toBe(7);
  own.advance(examplePosition(7));
  expect(pending(own, 'lists')).toBeUndefined();
});

test('a read waits until views that are rebuilt show what they showed before', () => {
  const own = ownWrites(examplePosition(5));
  own.advance(examplePosition(9));
  const begun = own.newest();
  own.restartAt('');
  expect(own.reached()).toBe(false);
  expect(pending(own, 'lists')).toBe(9);
  expect(own.pending('lists', wholeView, begun)).toBe(examplePosition(9));
  own.advance(examplePosition(9));
  expect(pending(own, 'lists')).toBeUndefined();
  expect(own.reached()).toBe(true);
});

test('a read costs the same however many writes are not visible, and the first one pays for none of them', () => {
  const own = ownWrites();
  const read = (): number => {
    const begun = performance.now();
    expect(pending(own, 'contacts', 'con_99')).toBeUndefined();
    expect(pending(own, 'lists')).toBeUndefined();
    expect(pending(own, streamsKey, `contact-${'0'.repeat(32)}`)).toBeUndefined();
    return performance.now() - begun;
  };
  const appends = Array.from({ length: 19_000 }, (_, index) =>
    append(`contact-${index}`, index + 1, {
      type: 'ContactCreated',
      data: { contact_id: `con_x${index}`, person: { email: 'ada@example.com' } },
    }),
  );
  for (const one of appends) own.record(one);
  // Going over all of them takes tens of milliseconds, even once they have been parsed.
  expect(Math.min(read(), read(), read())).toBeLessThan(1);
  expect(pending(own, 'contacts', 'con_x7')).toBe(8);
});

test('writes are forgotten when the views have passed them, and those after them are not', () => {
  const own = ownWrites();
  for (let position = 1; position <= 300; position += 1) {
    own.record(append('lists', position, exampleEvents.listCreated));
    own.record(append('tags', position, exampleEvents.tagCreated));
    if (position % 10 === 0) own.advance(examplePosition(position - 3));
    expect(pending(own, 'groups')).toBeUndefined();
  }
  expect(pending(own, 'tags', 'tag_01')).toBe(300);
  own.advance(examplePosition(299));
  expect(pending(own, 'lists')).toBe(300);
  own.advance(examplePosition(300));
  expect(pending(own, 'lists')).toBeUndefined();
  expect(pending(own, 'tags')).toBeUndefined();
});
