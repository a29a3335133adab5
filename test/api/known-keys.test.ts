/** The API keys that a process knows: what a change of the log means for those who have shown a key already. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Database } from '../../src/sqlite/database.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fullGrant, hashKey, type Grant } from '../../src/api/http/auth.js';
import { openKeys, type Keys } from '../../src/api/keys/known-keys.js';
import { createKeyUses } from '../../src/api/keys/key-uses.js';
import { createCommandHandler } from '../../src/commands/handle.js';
import { keyDecider } from '../../src/commands/keys.js';
import type { KeyEvent } from '../../src/events/keys.js';
import { StoreUnavailableError, type EventToAppend } from '../../src/eventstore/event-store.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { ReadModelsUnavailableError } from '../../src/readmodels/read-models.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { toAppend } from '../support/examples.js';
import { eventually } from '../support/service.js';

const time = Date.parse('2026-03-01T10:00:00.000Z');
const iso = (at: number): string => new Date(at).toISOString();
const hashOf = (secret: string): string => hashKey(secret).toString('hex');
const configured = { id: 'shop', hash: hashKey('configured') };

let folder: string;
let store: SqliteEventStore;
/** As a process sees it beside others that write. */
let shared: SqliteEventStore;
let clock: number;
let isTrusted: boolean;
let faults: unknown[];
let opened: Keys[];
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'keys-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  shared = { ...store, soleWriter: false };
  clock = time;
  isTrusted = true;
  faults = [];
  opened = [];
});
afterEach(async () => {
  for (const { subscriber } of opened) await subscriber.close?.(AbortSignal.timeout(1_000));
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Keys> {
  const handler = createCommandHandler({
    store: shared,
    decider: keyDecider,
    sources: { now: () => clock, newEventId: randomUUID, newSalt: () => '' },
    cacheSize: 1,
    random: Math.random,
    sleep: () => Promise.resolve(),
  });
  const keys = await openKeys({
    commands: { keys: handler, newId: (prefix) => `${prefix}_1`, streamKeys: deriveStreamKeys('s'.repeat(32)) },
    configured: [configured],
    models: openSqliteReadModels({ file: path.join(folder, 'views.db') }),
    clock: () => clock,
    monotonic: () => performance.now(),
    trustedNow: () => (isTrusted ? clock : undefined),
    newUuid: randomUUID,
    onFault: (_, meaning) => faults.push(meaning),
  });
  opened.push(keys);
  return keys;
}

const created = (key_id: string, secret: string, expires_at?: string): KeyEvent => ({
  type: 'ApiKeyCreated',
  data: {
    key_id,
    name: key_id,
    scopes: ['lists:read'],
    hash: hashOf(secret),
    ...(expires_at === undefined ? {} : { expires_at }),
  },
});
const revoked = (key_id: string): KeyEvent => ({ type: 'ApiKeyRevoked', data: { key_id } });
const rotated = (key_id: string, secret: string, until: number): KeyEvent => ({
  type: 'ApiKeyRotated',
  data: { key_id, hash: hashOf(secret), previous_until: iso(until) },
});
const write = (...events: readonly (KeyEvent | EventToAppend)[]) =>
  store.append(
    'keys',
    events.map((event) => ('id' in event ? event : toAppend(event))),
    { expectedRevision: 'any' },
  );

const context = { correlationId: 'c', causationId: 'c', requestId: 'c', actor: 'shop' };

/** One connection for each secret, as long as the test lasts. */
function door(keys: Keys): (secret: string) => Grant | undefined {
  const sockets = new Map<string, object>();
  return (secret) => {
    const socket = sockets.get(secret) ?? {};
    sockets.set(secret, socket);
    return keys.authenticate({ headers: { authorization: `Bearer ${secret}` }, socket } as never);
  };
}
const idsOf = (enter: (secret: string) => Grant | undefined, ...secrets: readonly string[]) =>
  secrets.map((secret) => enter(secret)?.id);

test('keys of the log and of the configuration are known from the start, others never', async () => {
  await write(created('key_1', 'one'), created('key_2', 'two'), revoked('key_2'));
  const enter = door(await open());
  expect(idsOf(enter, 'one', 'two', 'configured', 'none')).toEqual(['key_1', undefined, 'shop', undefined]);
  expect([...(enter('one')?.scopes ?? [])]).toEqual(['lists:read']);
  expect(enter('configured')?.scopes.has('keys')).toBe(true);
});

test('a revocation in the log holds for connections that have shown the key, and ends their streams', async () => {
  await write(created('key_1', 'one'));
  const enter = door(await open());
  const ended = new Promise<void>((resolve) => enter('one')?.streams.add(resolve));
  await write(revoked('key_1'));
  // By its own look at the log.
  await ended;
  expect(enter('one')).toBeUndefined();
});

test('a stream that begins after its key has been revoked ends, too', async () => {
  await write(created('key_1', 'one'));
  const keys = await open();
  const grant = door(keys)('one');
  await write(revoked('key_1'));
  await keys.all();
  await new Promise<void>((resolve) => grant?.streams.add(resolve));
});

test('a key is refused from its end on, and its streams end', async () => {
  await write(created('key_1', 'one', iso(time + 1_000)));
  const enter = door(await open());
  const ended = new Promise<void>((resolve) => enter('one')?.streams.add(resolve));
  clock += 999;
  expect(enter('one')?.id).toBe('key_1');
  clock += 1;
  expect(enter('one')).toBeUndefined();
  await ended;
});

test('after a rotation two secrets hold until the overlap is over, and never three', async () => {
  await write(created('key_1', 'one'), rotated('key_1', 'two', time + 1_000));
  const keys = await open();
  const enter = door(keys);
  expect(idsOf(enter, 'one', 'two')).toEqual(['key_1', 'key_1']);
  await write(rotated('key_1', 'three', time + 1_000));
  await keys.all();
  expect(idsOf(enter, 'one', 'two', 'three')).toEqual([undefined, 'key_1', 'key_1']);
  clock += 1_000;
  expect(idsOf(enter, 'two', 'three')).toEqual([undefined, 'key_1']);
  await write(revoked('key_1'));
  await keys.all();
  expect(idsOf(enter, 'two', 'three')).toEqual([undefined, undefined]);
});

describe('the end of a key', () => {
  const types = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const batch of store.readStream('keys')) found.push(...batch.map(({ type }) => type));
    return found;
  };
  const { signal } = new AbortController();
  const lookOnce = (keys: Keys): Promise<void> => keys.expiry.handle('turn', signal, signal);

  test('a clock that is set back does not open a key or an overlap again whose end was recorded', async () => {
    await write(created('key_1', 'one', iso(time + 1)), created('key_2', 'two'), rotated('key_2', 'three', time + 1));
    const keys = await open();
    const enter = door(keys);
    expect(idsOf(enter, 'one', 'two', 'three')).toEqual(['key_1', 'key_2', 'key_2']);
    clock = time + 1;
    await lookOnce(keys);
    expect((await types()).slice(-2)).toEqual(['ApiKeyExpired', 'ApiKeySecretExpired']);
    clock = time - 3_600_000;
    expect(idsOf(enter, 'one', 'two', 'three')).toEqual([undefined, undefined, 'key_2']);
    // A later start does not open them either.
    expect(idsOf(door(await open()), 'one', 'two', 'three')).toEqual([undefined, undefined, 'key_2']);
    await lookOnce(keys);
    expect(await types()).toHaveLength(5);
  });

  test('a clock that is ahead and not trusted refuses keys only until it is right again', async () => {
    await write(created('key_1', 'one', iso(time + 60_000)));
    const keys = await open();
    const enter = door(keys);
    isTrusted = false;
    clock = time + 86_400_000;
    await lookOnce(keys);
    expect(idsOf(enter, 'one')).toEqual([undefined]);
    expect(await types()).toEqual(['ApiKeyCreated']);
    // Another key is created in the meantime.
    await write(created('key_2', 'two'));
    await eventually(async () => (enter('two') === undefined ? undefined : true));
    clock = time;
    await eventually(async () => (enter('one') === undefined ? undefined : true));
  });
});

const unreadable = [
  ['of an unknown type', { ...toAppend(revoked('key_1')), type: 'ApiKeyPaused' }],
  ['that is damaged', { ...toAppend(revoked('key_1')), data: '{"key":"key_1"}' }],
] as const;
test.each(unreadable)('an event %s refuses all keys but those of the configuration', async (_, event) => {
  await write(created('key_1', 'one'));
  const before = await open();
  const enter = door(before);
  expect(idsOf(enter, 'one')).toEqual(['key_1']);
  await write(event, created('key_2', 'two'));
  for (const keys of [before, await open()]) {
    await expect(keys.all()).rejects.toMatchObject({ code: 'unavailable' });
    expect(idsOf(door(keys), 'one', 'two', 'configured')).toEqual([undefined, undefined, 'shop']);
    const revocation = keys.change({ type: 'Revoke', key_id: 'key_1' }, context);
    await expect(revocation).rejects.toMatchObject({ code: 'unavailable' });
  }
  expect(enter('one')).toBeUndefined();
  const said = 'an event of API keys cannot be read: all keys are refused but those of the configuration';
  await expect.poll(() => faults).toEqual([said, said]);
});

test('with the log out of reach the last known keys hold, and it is said once', async () => {
  await write(created('key_1', 'one', iso(time + 1_000)));
  const keys = await open();
  const enter = door(keys);
  let looks = 0;
  await new Promise<void>((resolve) => {
    shared.readStream = () => {
      looks += 1;
      if (looks === 3) resolve();
      throw new StoreUnavailableError('away');
    };
  });
  expect(enter('one')?.id).toBe('key_1');
  expect(faults).toEqual(['API keys cannot be followed: those that are known hold']);
  await expect(keys.all()).rejects.toMatchObject({ code: 'unavailable' });
  await expect(open()).rejects.toMatchObject({ code: 'unavailable' });
  clock += 1_000;
  expect(enter('one')).toBeUndefined();
});

test('the last use of a key is kept once, for all of its secrets, and by the latest process', async () => {
  const uses = (models = openSqliteReadModels({ file: path.join(folder, 'views.db') })) => {
    const kept = createKeyUses(models, () => clock);
    let puts = 0;
    const put = models.putRecord.bind(models);
    models.putRecord = (one) => {
      puts += 1;
      return put(one);
    };
    return { ...kept, puts: () => puts, close: () => models.close() };
  };
  const grant = (lastUsed: number): Grant => ({ ...fullGrant(configured), id: 'key_1', lastUsed });
  const [first, second] = [grant(time), grant(time - 5_000)];
  const own = [first, second, { ...grant(0), id: 'key_2' }];
  const one = uses();
  await one.write(own);
  expect([await one.read('key_1'), await one.read('key_2')]).toEqual([iso(time), null]);
  const other = uses();
  await other.write([grant(time - 1_000)]);
  expect(await one.read('key_1')).toBe(iso(time));
  // Used again: not written before a minute is over.
  first.lastUsed = time + 59_999;
  await one.write(own);
  expect(one.puts()).toBe(1);
  first.lastUsed = time + 60_000;
  await one.write(own);
  expect(one.puts()).toBe(2);
  expect(await other.read('key_1')).toBe(iso(time + 60_000));
  // A process that has just started knows nothing of it.
  await other.write([grant(time + 119_999)]);
  expect(other.puts()).toBe(0);
  await one.close();
  await other.close();
});

test('a key whose use cannot be written now keeps no other from it, and is written later', async () => {
  const file = path.join(folder, 'views.db');
  const models = openSqliteReadModels({ file, busyTimeout: 1 });
  const uses = createKeyUses(models, () => clock);
  const used = (id: string): Grant => ({ ...fullGrant(configured), id, lastUsed: time });
  const { putRecord } = models;
  const failing = (name: string, put: () => Promise<boolean>) => {
    models.putRecord = (one) => (one.name === name ? put() : putRecord(one));
  };
  // Another process was first.
  failing('key-use-key_1', () => Promise.resolve(false));
  await uses.write([used('key_1'), used('key_2')]);
  expect([await uses.read('key_1'), await uses.read('key_2')]).toEqual([null, iso(time)]);
  failing('key-use-key_1', () => Promise.reject(new ReadModelsUnavailableError('gone')));
  await expect(uses.write([used('key_1'), used('key_3')])).rejects.toThrow('gone');
  expect(await uses.read('key_3')).toBe(iso(time));
  models.putRecord = putRecord;

  const writer = new Database(file);
  writer.exec('BEGIN IMMEDIATE');
  await uses.write([used('key_1')]);
  expect(await uses.read('key_1')).toBeNull();
  writer.close();
  await uses.write([used('key_1')]);
  expect(await uses.read('key_1')).toBe(iso(time));
  await models.close();
});

test('a record of a use that nobody can read counts as none, and the next use writes over it', async () => {
  const models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  await models.putRecord({ name: 'key-use-key_1', value: { last_used_at: 'yesterday' }, previous: null });
  const uses = createKeyUses(models, () => clock);
  expect(await uses.read('key_1')).toBeNull();
  await uses.write([{ ...fullGrant(configured), id: 'key_1', lastUsed: time }]);
  expect(await uses.read('key_1')).toBe(iso(time));
  await models.close();
});
