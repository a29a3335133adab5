/** The API keys that a process knows: what a change of the log means for those who have shown a key already. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAuthenticator, fullGrant, hashKey, type Grant } from '../../src/api/auth.js';
import { openKeyring, type Keyring } from '../../src/app/keyring.js';
import { openKeyUses } from '../../src/app/key-uses.js';
import type { KeyEvent } from '../../src/events/keys.js';
import { StoreUnavailableError, type EventToAppend } from '../../src/eventstore/event-store.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { toAppend } from '../support/examples.js';

const time = Date.parse('2026-03-01T10:00:00.000Z');
const iso = (at: number): string => new Date(at).toISOString();
const hashOf = (secret: string): string => hashKey(secret).toString('hex');
const configured = fullGrant({ id: 'shop', hash: hashKey('configured') });

let folder: string;
let store: SqliteEventStore;
let clock: number;
let faults: unknown[];
let opened: Keyring[];
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'keyring-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  clock = time;
  faults = [];
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((keyring) => keyring.close()));
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Keyring> {
  const onFault = (error: unknown): void => void faults.push(error);
  const keyring = await openKeyring({ reader: store, others: [configured], clock: () => clock, onFault });
  opened.push(keyring);
  return keyring;
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

/** One connection for each secret, as long as the test lasts. */
function door(keyring: Keyring): (secret: string) => string | undefined {
  const authenticate = createAuthenticator({ find: keyring.find, clock: () => clock });
  const sockets = new Map<string, object>();
  return (secret) => {
    const socket = sockets.get(secret) ?? {};
    sockets.set(secret, socket);
    return authenticate({ headers: { authorization: `Bearer ${secret}` }, socket } as never)?.id;
  };
}

test('keys of the log and of the configuration are known from the start, others never', async () => {
  await write(created('key_1', 'one'), created('key_2', 'two'), revoked('key_2'));
  const keyring = await open();
  const enter = door(keyring);
  expect(['one', 'two', 'configured', 'none'].map(enter)).toEqual(['key_1', undefined, 'shop', undefined]);
  expect([...(keyring.find(hashOf('one'))?.scopes ?? [])]).toEqual(['lists:read']);
  expect(configured.scopes.has('keys')).toBe(true);
});

test('a revocation in the log holds for connections that have shown the key, and ends their streams', async () => {
  await write(created('key_1', 'one'));
  const keyring = await open();
  const enter = door(keyring);
  expect(enter('one')).toBe('key_1');
  const ended = new Promise<void>((resolve) => keyring.find(hashOf('one'))?.streams.add(resolve));
  await write(revoked('key_1'));
  // By the keyring's own look at the log.
  await ended;
  expect(enter('one')).toBeUndefined();
});

test('a key is refused from its end on, and its streams end', async () => {
  await write(created('key_1', 'one', iso(time + 1_000)));
  const keyring = await open();
  const enter = door(keyring);
  const ended = new Promise<void>((resolve) => keyring.find(hashOf('one'))?.streams.add(resolve));
  clock += 999;
  expect(enter('one')).toBe('key_1');
  clock += 1;
  expect(enter('one')).toBeUndefined();
  await ended;
});

test('after a rotation two secrets hold until the overlap is over, and never three', async () => {
  await write(created('key_1', 'one'), rotated('key_1', 'two', time + 1_000));
  const keyring = await open();
  const enter = door(keyring);
  expect(['one', 'two'].map(enter)).toEqual(['key_1', 'key_1']);
  await write(rotated('key_1', 'three', time + 1_000));
  await keyring.catchUp();
  expect(['one', 'two', 'three'].map(enter)).toEqual([undefined, 'key_1', 'key_1']);
  clock += 1_000;
  expect(['two', 'three'].map(enter)).toEqual([undefined, 'key_1']);
  await write(revoked('key_1'));
  await keyring.catchUp();
  expect(['two', 'three'].map(enter)).toEqual([undefined, undefined]);
});

test('an event that cannot be read suspends the key that it names, also against later events', async () => {
  const poison = { ...toAppend(revoked('key_1')), type: 'ApiKeyPaused' };
  await write(created('key_1', 'one'), created('key_2', 'two'), poison);
  const keyring = await open();
  const enter = door(keyring);
  expect(['one', 'two', 'configured'].map(enter)).toEqual([undefined, 'key_2', 'shop']);
  expect(faults).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/ApiKeyPaused.*revision 2/) as unknown }),
  ]);
  await write(rotated('key_1', 'again', time + 1_000), created('key_3', 'three'));
  await keyring.catchUp();
  expect(['one', 'again', 'three'].map(enter)).toEqual([undefined, undefined, 'key_3']);
  expect(keyring.isSuspended('key_1')).toBe(true);
});

test('one that names no key suspends all that were there, but not those of the configuration', async () => {
  await write(
    created('key_1', 'one'),
    { ...toAppend(revoked('key_1')), data: '{"key":"key_1"}' },
    created('key_2', 'two'),
  );
  const enter = door(await open());
  expect(['one', 'two', 'configured'].map(enter)).toEqual([undefined, 'key_2', 'shop']);
});

test('with the log out of reach the last known keys hold, and it is said once', async () => {
  await write(created('key_1', 'one', iso(time + 1_000)));
  const keyring = await open();
  const enter = door(keyring);
  const read = store.readStream.bind(store);
  let looks = 0;
  const blind = new Promise<void>((resolve) => {
    store.readStream = () => {
      looks += 1;
      if (looks === 3) resolve();
      throw new StoreUnavailableError('away');
    };
  });
  await blind;
  expect(enter('one')).toBe('key_1');
  expect(faults).toEqual([expect.any(StoreUnavailableError)]);
  await expect(keyring.catchUp()).rejects.toThrow('away');
  clock += 1_000;
  expect(enter('one')).toBeUndefined();
  store.readStream = read;
});

test('the last use of a key is kept once, for all of its secrets, and by the latest process', async () => {
  const uses = (grants: readonly Grant[], models = openSqliteReadModels({ file: path.join(folder, 'views.db') })) => {
    let commits = 0;
    const commit = models.commit.bind(models);
    models.commit = (one) => {
      commits += 1;
      return commit(one);
    };
    const opened = openKeyUses({
      models,
      grants: () => grants,
      onFault: (error) => faults.push(error),
    });
    return { ...opened, commits: () => commits };
  };
  const grant = (lastUsed: number): Grant => ({ ...configured, id: 'key_1', lastUsed });
  const [first, second] = [grant(time), grant(time - 5_000)];
  const one = uses([first, second, { ...grant(0), id: 'key_2' }]);
  await expect.poll(() => one.commits()).toBe(1);
  expect([...(await one.read(['key_1', 'key_2']))]).toEqual([['key_1', iso(time)]]);
  // Used again: not written before a minute is over.
  first.lastUsed = time + 59_999;
  const other = uses([grant(time - 1_000)]);
  await expect.poll(() => other.commits()).toBe(1);
  expect((await one.read(['key_1'])).get('key_1')).toBe(iso(time));
  expect(one.commits()).toBe(1);
  first.lastUsed = time + 60_000;
  await expect.poll(() => one.commits(), { timeout: 5_000 }).toBe(2);
  expect((await other.read(['key_1'])).get('key_1')).toBe(iso(time + 60_000));
  await one.close();
  await other.close();
  expect(faults).toEqual([]);
});
