import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';
import { liveProjections } from '../../src/projections/views.js';
import type { DomainEvent } from '../../src/events/codec.js';
import type { Appended } from '../../src/events/envelope.js';
import { exampleEvents, exampleMetadata, examplePosition } from '../support/examples.js';

afterEach(() => {
  vi.useRealTimers();
});

let time = 0;
const ownWrites = (head = '') => createOwnWrites({ projections: liveProjections, head, now: () => time });

const append = (stream: string, position: number, event: DomainEvent): Appended<DomainEvent> => {
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
  const document = own.visible(['lists/lst_01']);
  const collection = own.visible(['lists']);
  const stream = own.visible(['stream:lists']);
  own.advance(examplePosition(5));
  await Promise.all([document, collection, stream]);
  expect(own.visible(['lists'])).toBeUndefined();
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

test('whoever waits is made known at once', () => {
  const own = ownWrites();
  const told = vi.fn();
  own.onWaiting(told);
  own.record(append('lists', 5, exampleEvents.listCreated));
  expect(told).not.toHaveBeenCalled();
  void own.visible(['lists'])?.catch(() => undefined);
  expect(told).toHaveBeenCalledOnce();
  own.close();
});

test('the lag is the age of the oldest write that is not shown, and relief comes when that is', async () => {
  const own = ownWrites();
  time = 1_000;
  own.record(append('lists', 5, exampleEvents.listCreated));
  time = 2_500;
  expect(own.lag()).toBe(1_500);
  const relief = own.relief(1_000, 60_000);
  own.advance(examplePosition(5));
  await relief;
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
  own.rest(examplePosition(4));
  expect(own.visible(['lists'])).toBeUndefined();
  own.rest(examplePosition(7));
  const waiting = own.visible(['lists']);
  expect(waiting).toBeDefined();
  own.advance(examplePosition(7));
  await waiting;
});

test('views that are begun anew are waited for until they show what they showed', async () => {
  const own = ownWrites(examplePosition(5));
  own.advance(examplePosition(9));
  own.retreat('');
  expect(own.reached()).toBe(false);
  const waiting = own.visible([]);
  own.advance(examplePosition(9));
  await waiting;
  expect(own.reached()).toBe(true);
});
