import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';
import { touchedDocument, touchedPart, touchedStream } from '../../src/projector/touched.js';
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

test('a read waits for what this process wrote to what it touches, and for nothing else', async () => {
  const own = ownWrites();
  own.record(append('lists', 5, exampleEvents.listCreated));
  expect(own.visible(['groups', 'lists/lst_99'])).toBeUndefined();
  const document = own.visible([touchedDocument('lists', 'lst_01')]);
  const collection = own.visible(['lists']);
  const stream = own.visible([touchedStream('lists')]);
  own.record(append('contact-1', 4, exampleEvents.subscribed));
  const parts = [touchedPart('memberships', 'lst_01'), touchedDocument('memberships', 'lst_01/con_01')];
  for (const touched of [touchedDocument('contacts', 'con_01'), ...parts, 'list_growth/lst_01/x'])
    expect(own.visible([touched])).toBeDefined();
  expect(own.visible(['contacts/con_02', 'memberships/lst_02/', 'emails'])).toBeUndefined();
  own.advance(examplePosition(5));
  await Promise.all([document, collection, stream]);
  expect(own.visible(['lists'])).toBeUndefined();
});

test('a write is noted although a view cannot tell what it touches: it counts as one to each document', () => {
  const keys = (): never => {
    throw new TypeError('a fault of the projection');
  };
  const projections = liveProjections.map((view) => (view.name === 'contacts' ? { ...view, keys } : view));
  const own = createOwnWrites({ projections, head: '', now: () => time });
  own.record(append('contact-1', 4, exampleEvents.subscribed));
  expect(own.visible(['lists'])).toBeUndefined();
  for (const touched of ['contacts', 'contacts/con_99', 'stream:contact-1', 'memberships/lst_01/'])
    expect(own.visible([touched])).toBeDefined();
  own.advance(examplePosition(4));
  expect(own.visible(['contacts/con_99'])).toBeUndefined();
});

test('what the log held at the start counts as written to everything', async () => {
  const own = ownWrites(examplePosition(9));
  expect(own.reached()).toBe(false);
  const waiting = own.visible([]);
  own.advance(examplePosition(9));
  await waiting;
  expect(own.reached()).toBe(true);
});

test('a read that waits too long is told to come again', async () => {
  vi.useFakeTimers();
  const own = ownWrites();
  const waiting = expect(own.visible([], examplePosition(1))).rejects.toMatchObject({
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
  void own.visible(['lists'])?.catch(() => undefined);
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

test('very many writes that are not shown become one to everything, so that memory stays bounded', async () => {
  const own = ownWrites();
  time = 0;
  for (let position = 1; position <= 20_001; position += 1)
    own.record(append('lists', position, exampleEvents.listCreated));
  time = 700;
  const waiting = own.visible(['groups']);
  expect(waiting).toBeDefined();
  expect(own.lag()).toBe(700);
  own.advance(examplePosition(20_001));
  await waiting;
  expect(own.lag()).toBe(0);
});

test('positions that are told out of order hide no write: appends to different streams, and repeats, answer as they like', async () => {
  const own = ownWrites();
  own.record(append('lists', 101, exampleEvents.listCreated));
  own.record(append('lists', 50, exampleEvents.listCreated));
  own.advance(examplePosition(60));
  const waiting = own.visible(['lists']);
  expect(waiting).toBeDefined();
  own.advance(examplePosition(101));
  await waiting;
  expect(own.lag()).toBe(0);
});

test('an answer that rested on the log without writing is not contradicted by a later read', async () => {
  const own = ownWrites();
  own.advance(examplePosition(5));
  own.requireAtLeast(examplePosition(4));
  expect(own.visible(['lists'])).toBeUndefined();
  own.requireAtLeast(examplePosition(7));
  const waiting = own.visible(['lists']);
  expect(waiting).toBeDefined();
  own.advance(examplePosition(7));
  await waiting;
});

test('views that are built anew are waited for until they show what they showed', async () => {
  const own = ownWrites(examplePosition(5));
  own.advance(examplePosition(9));
  own.restartAt('');
  expect(own.reached()).toBe(false);
  const waiting = own.visible([]);
  own.advance(examplePosition(9));
  await waiting;
  expect(own.reached()).toBe(true);
});

test('a read costs the same however many writes are not visible, and the first one pays for none of them', () => {
  const own = ownWrites();
  const read = (): number => {
    const begun = performance.now();
    expect(own.visible(['contacts/con_99', 'lists', `stream:contact-${'0'.repeat(32)}`])).toBeUndefined();
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
  const waiting = own.visible(['contacts/con_x7']);
  expect(waiting).toBeDefined();
  own.close();
});

test('writes are forgotten when the views have passed them, and those after them are not', async () => {
  const own = ownWrites();
  for (let position = 1; position <= 300; position += 1) {
    own.record(append('lists', position, exampleEvents.listCreated));
    own.record(append('tags', position, exampleEvents.tagCreated));
    if (position % 10 === 0) own.advance(examplePosition(position - 3));
    expect(own.visible(['groups'])).toBeUndefined();
  }
  const waiting = own.visible(['tags/tag_01']);
  own.advance(examplePosition(299));
  expect(own.visible(['lists'])).toBeDefined();
  own.advance(examplePosition(300));
  await waiting;
  expect(own.visible(['lists', 'tags'])).toBeUndefined();
});
