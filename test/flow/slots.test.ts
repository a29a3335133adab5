/** Slots: how many there are, how many one key may hold, who waits, and who is next. */
import { expect, test, vi } from 'vitest';
import { createLine, createSlots, longAnswers, ownedBy, slotsByName } from '../../src/flow/slots.js';

const options = { running: 2, runningOfKey: 1, retryAfter: 5 };
const eight = () => ({ ...options, line: createLine(8) });
const status = (name: string) => new Map(slotsByName()).get(name);
const running = new AbortController().signal;
/** The signal of a new request of a key. */
const of = (key: string, gone = new AbortController()): AbortSignal => ownedBy({ key, stopping: running }, gone.signal);

test('one key cannot take the slots of other keys', async () => {
  const slots = createSlots('two', eight());
  const taken: string[] = [];
  const closeFirst = await slots.take(of('greedy'));
  const second = slots.take(of('greedy')).then((close) => {
    taken.push('greedy');
    return close;
  });
  const closeOther = await slots.take(of('other'));
  expect(taken).toEqual([]);
  expect(status('two')).toEqual({ running: 2, waiting: 1 });
  closeFirst();
  (await second)();
  closeOther();
  expect(status('two')).toEqual({ running: 0, waiting: 0 });
});

test('a key at its limit does not hold up the keys behind it in line', async () => {
  const slots = createSlots('line', eight());
  const closeGreedy = await slots.take(of('greedy'));
  const closeOther = await slots.take(of('other'));
  const order: string[] = [];
  const waiting = ['greedy', 'third'].map((key) =>
    slots.take(of(key)).then((close) => {
      order.push(key);
      return close;
    }),
  );
  closeOther();
  (await waiting[1])?.();
  expect(order).toEqual(['third']);
  closeGreedy();
  (await waiting[0])?.();
  expect(order).toEqual(['third', 'greedy']);
});

test('one key waits in at most a quarter of the line', async () => {
  const slots = createSlots('quarter', eight());
  const close = await slots.take(of('greedy'));
  const waiting = [slots.take(of('greedy')), slots.take(of('greedy'))];
  await expect(slots.take(of('greedy'))).rejects.toMatchObject({
    code: 'too_many_at_once',
    retryAfter: 5,
    message: 'Too many of these requests at once, please retry. At most: 8 waiting in all, 2 of one API key',
  });
  (await slots.take(of('other')))();
  close();
  for (const one of waiting) (await one)();
});

test('slots that share a line have one bound for all that wait', async () => {
  const line = createLine(4);
  const [first, second] = [createSlots('first', { ...options, line }), createSlots('second', { ...options, line })];
  const closes = await Promise.all(['a', 'b'].flatMap((key) => [first.take(of(key)), second.take(of(key))]));
  const waiting = [first.take(of('c')), second.take(of('d')), first.take(of('e')), second.take(of('f'))];
  expect([status('first'), status('second')]).toEqual([
    { running: 2, waiting: 2 },
    { running: 2, waiting: 2 },
  ]);
  await expect(first.take(of('g'))).rejects.toMatchObject({ code: 'too_many_at_once' });
  for (const close of closes) close();
  for (const one of waiting) (await one)();
});

test('a request that holds a slot waits for another one although the line is full', async () => {
  const line = createLine(4);
  const [outer, inner] = [createSlots('outer', { ...options, line }), createSlots('inner', { ...options, line })];
  const holder = of('a');
  const closeOuter = await outer.take(holder);
  // The request gives one inner slot back before it needs the next.
  (await inner.take(holder))();
  const closes = [await inner.take(of('b')), await inner.take(of('c')), await outer.take(of('b'))];
  const waiting = ['d', 'e', 'f', 'g'].map((key) => inner.take(of(key)));
  await expect(inner.take(of('h'))).rejects.toMatchObject({ code: 'too_many_at_once' });
  const held = inner.take(holder);
  expect(status('inner')).toEqual({ running: 2, waiting: 5 });
  for (const close of closes) close();
  for (const one of waiting) (await one)();
  (await held)();
  closeOuter();
});

test('at most a thousand requests wait, without a timeout', async () => {
  const slots = createSlots('thousand', { ...options, line: createLine(1_000) });
  const closes = [await slots.take(of('first')), await slots.take(of('second'))];
  const waiting = Array.from({ length: 1_000 }, (_, at) => slots.take(of(`key ${at % 10}`)));
  expect(status('thousand')).toEqual({ running: 2, waiting: 1_000 });
  await expect(slots.take(of('late'))).rejects.toMatchObject({ code: 'too_many_at_once', retryAfter: 5 });
  for (const close of closes) close();
  for (const one of waiting) (await one)();
  expect(status('thousand')).toEqual({ running: 0, waiting: 0 });
});

test('a request for a long answer waits for an hour without being refused', async () => {
  vi.useFakeTimers();
  try {
    const slots = createSlots('patient', { running: 1, ...longAnswers });
    const close = await slots.take(of('first'));
    const waits = slots.take(of('second'));
    await vi.advanceTimersByTimeAsync(3_600_000);
    close();
    (await waits)();
  } finally {
    vi.useRealTimers();
  }
});

test('a waiter that gives up or waits too long leaves the line and frees its share of it', async () => {
  const slots = createSlots('impatient', { ...eight(), patience: 5 });
  const close = await slots.take(of('key'));
  await expect(slots.take(of('key'))).rejects.toMatchObject({ code: 'unavailable' });
  const gone = new AbortController();
  const waits = slots.take(of('key', gone));
  gone.abort(new Error('gone'));
  await expect(waits).rejects.toThrow('gone');
  expect(status('impatient')).toEqual({ running: 1, waiting: 0 });
  close();
  close();
  expect(status('impatient')).toEqual({ running: 0, waiting: 0 });
});

test('a stop refuses those that wait and lets those that run go on', async () => {
  const slots = createSlots('stopped', eight());
  const stop = new AbortController();
  const owned = (): AbortSignal => ownedBy({ key: 'key', stopping: stop.signal }, new AbortController().signal);
  const close = await slots.take(owned());
  const waits = slots.take(owned());
  stop.abort();
  await expect(waits).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
  await expect(slots.take(owned())).rejects.toMatchObject({ code: 'unavailable' });
  expect(status('stopped')).toEqual({ running: 1, waiting: 0 });
  close();
});

test('without a line, a request that finds no slot is refused at once with the limits', async () => {
  const slots = createSlots('lineless', options);
  const close = await slots.take(of('key'));
  await expect(slots.take(of('key'))).rejects.toThrow('At most: 2 in all, 1 of one API key');
  close();
});
