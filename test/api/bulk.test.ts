/** The lines of a bulk request: in order, bounded, one after the other for one address, and honest when a store fails. */
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bulkAnswer, createBulks } from '../../src/api/http/bulk.js';
import type { Call } from '../../src/api/http/call.js';
import { ServiceError } from '../../src/errors.js';
import { UnreadableEventError } from '../../src/events/codec.js';

interface Contact {
  readonly email: string;
  readonly number: number;
}

const saved = { outcome: 'created', contact_id: 'con_1' };

type Save = (contact: Contact, isLikelyNew: boolean) => Promise<typeof saved>;

/** For the log. */
const reported: unknown[] = [];

const options = (save: Save, admit: () => Promise<void> | undefined = () => undefined) => ({
  parse: (line: object) => line as Contact,
  addressOf: ({ email }: Contact) => email,
  save,
  admit,
  onFault: (fault: unknown) => void reported.push(fault),
});

const bodyOf = (count: number, addresses = count): Buffer =>
  Buffer.from(
    Array.from({ length: count }, (_, number) => JSON.stringify({ email: `${number % addresses}`, number })).join('\n'),
  );

interface Answered {
  readonly line: number;
  readonly outcome: string;
  readonly error?: object;
}

async function answers(body: Buffer, ...given: Parameters<typeof options>): Promise<Answered[]> {
  let text = '';
  for await (const piece of bulkAnswer(body, options(...given))) text += piece;
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Answered);
}

test('answers in order, however long each takes; those of one address take effect one after the other', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  let running = 0;
  let most = 0;
  const of = (numbers: readonly number[], address: number) => numbers.filter((number) => number % 20 === address);
  const results = await answers(bodyOf(200, 20), async ({ number }) => {
    most = Math.max(most, (running += 1));
    if (number % 20 === 7) expect(of(ended, 7)).toHaveLength(of(begun, 7).length);
    begun.push(number);
    for (let turn = 20 + 10 * ((number * 7) % 5); turn > 0; turn -= 1) await nextTurn();
    ended.push(number);
    running -= 1;
    return saved;
  });
  expect(results.map(({ line }) => line)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  for (let address = 0; address < 20; address += 1)
    expect(of(begun, address)).toEqual([...of(begun, address)].sort((one, other) => one - other));
  expect(most).toBe(20);
});

test('when a store fails the rest is unavailable and is not tried', async () => {
  const tried: number[] = [];
  const results = await answers(bodyOf(1_000), async ({ number }) => {
    tried.push(number);
    await nextTurn();
    if (number >= 100) throw new ServiceError('unavailable');
    return saved;
  });
  expect(results).toHaveLength(1_000);
  const outcomes = results.map(({ outcome }) => outcome);
  expect(outcomes.slice(0, 100)).toEqual(Array<string>(100).fill('created'));
  expect(new Set(outcomes.slice(100))).toEqual(new Set(['unavailable']));
  expect(results[999]?.error).toEqual({
    type: 'unavailable',
    message: 'Service temporarily unavailable, please retry.',
  });
  expect(tried.length).toBeLessThan(200);
});

test('a contact that cannot be read, a refusal and a fault are of their lines alone', async () => {
  const cause = new UnreadableEventError('poison');
  const faults = [
    new ServiceError('unavailable', {}, { cause, retryAfter: 60 }),
    new ServiceError('unknown_list'),
    new TypeError('a fault with personal data'),
  ];
  const results = await answers(bodyOf(4), async ({ number }) => {
    const fault = faults[number];
    if (fault !== undefined) throw fault;
    return saved;
  });
  expect(results.map(({ outcome, error }) => [outcome, error])).toEqual([
    ['refused', { type: 'unavailable', message: 'Service temporarily unavailable, please retry.' }],
    ['refused', { type: 'unknown_id', message: 'Please provide valid list id!' }],
    ['refused', { type: 'internal', message: 'Sorry! Something went wrong.' }],
    ['created', undefined],
  ]);
  expect(reported).toEqual([faults[2]]);
});

test('a client that goes away stops it: what is under way ends, nothing else begins', async () => {
  let tried = 0;
  for await (const _ of bulkAnswer(
    bodyOf(5_000),
    options(async () => {
      tried += 1;
      return await Promise.resolve(saved);
    }),
  ))
    break;
  const then = tried;
  expect(then).toBeLessThan(500);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  expect(tried).toBe(then);
});

test('waits as single writes do where the views lag, once for 16 lines; others get their turn', async () => {
  let waits = 0;
  let turns = 0;
  let timer = setImmediate(function turn() {
    turns += 1;
    timer = setImmediate(turn);
  });
  await answers(
    bodyOf(640),
    () => Promise.resolve(saved),
    async () => void (waits += 1),
  );
  clearImmediate(timer);
  expect(waits).toBe(40);
  expect(turns).toBeGreaterThan(5);
});

test('guesses that a contact is new from the one before', async () => {
  const guesses: boolean[] = [];
  await answers(bodyOf(3, 1), async ({ number }, isLikelyNew) => {
    guesses.push(isLikelyNew);
    return await Promise.resolve({ ...saved, outcome: number === 0 ? 'unchanged' : 'created' });
  });
  expect(guesses).toEqual([false, false, true]);
});

test('ten megabytes of blank lines take no time, and the lines among them have their numbers', async () => {
  const blank = Buffer.from('\n \r\n'.repeat(1_000_000));
  const [one, two] = [Buffer.from('{"email":"a"}'), Buffer.from('\t{"email":"b"}')];
  const before = performance.now();
  const lines = await answers(Buffer.concat([one, blank, two, blank, blank]), () => Promise.resolve(saved));
  expect(lines.map(({ line, outcome }) => [line, outcome])).toEqual([
    [1, 'created'],
    [2_000_001, 'created'],
  ]);
  expect(performance.now() - before).toBeLessThan(3_000);
});

test('a body has at most 200,000 lines that are not blank, and one more saves none of them', async () => {
  const bulk = createBulks('tested', { admit: () => undefined, stopping: new AbortController().signal });
  let saves = 0;
  const ask = async (text: string): Promise<number> => {
    const request = Object.assign(new PassThrough(), { headers: {} });
    request.end(text);
    const call = {
      request: request as unknown as Call['request'],
      context: { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'shop' },
      signal: () => new AbortController().signal,
    };
    const parse = (): Contact => ({ email: '', number: 0 });
    const save = async () => await Promise.resolve({ ...saved, ignored: (saves += 1) });
    const { pieces, close } = await bulk(call, { parse, addressOf: () => `${saves}`, save });
    let size = 0;
    for await (const piece of pieces) size += piece.split('\n').length - 1;
    close?.();
    return size;
  };
  expect(await ask(`\n${'{}\n \n'.repeat(200_000)}\r\n`)).toBe(200_000);
  saves = 0;
  await expect(ask('{}\n'.repeat(200_001))).rejects.toMatchObject({ code: 'too_large' });
  expect(saves).toBe(0);
});
