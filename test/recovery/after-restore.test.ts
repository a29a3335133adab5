import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCommands, type Commands } from '../../src/app/commands.js';
import { serviceContext } from '../../src/commands/batch.js';
import { recoverLog } from '../../src/recovery/after-restore.js';
import {
  deriveRegisterKey,
  deriveRestoredKey,
  deriveStreamKeys,
  keysStream,
  suppressionStream,
} from '../../src/events/streams.js';
import { toHex } from '../../src/eventstore/leaf.js';
import { demandLogId } from '../../src/eventstore/log-id.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { frontierAt, rootOf } from '../../src/eventstore/tree.js';
import { isValidRestore, restoresOf } from '../../src/integrity/restores.js';
import { appendLines, registerName } from '../../src/recovery/register-file.js';
import { lineOf, type RegisterLine } from '../../src/recovery/register-line.js';
import { openRegister } from '../../src/recovery/register.js';
import { markRestored, restoredIn, type RestoredMark } from '../../src/recovery/restored-mark.js';
import { embeddedIn, storesOf } from '../../src/stores/stores.js';
import { dataFolderAt } from '../../src/stores/data-folder.js';
import { allEvents } from '../support/event-log.js';
import { exampleEvents as e, examples, toAppend } from '../support/examples.js';
import { logWith } from '../support/registers.js';

const secret = 'a secret of the tests, long enough for a key';
const key = deriveRestoredKey(secret);
const logger = pino({ enabled: false });
let dataDir: string;
let sealDir: string;
let store: SqliteEventStore;
let commands: Commands;
let mark: Omit<RestoredMark, 'mac'>;

beforeEach(async () => {
  [dataDir = '', sealDir = ''] = ['data-', 'seals-'].map((name) => mkdtempSync(path.join(tmpdir(), name)));
  store = await openSqliteEventStore({ file: path.join(dataDir, 'events.db'), clock: Date.now });
  commands = await newCommands();
  const { count } = await store.frontier();
  mark = { event_id: randomUUID(), log_id: await demandLogId(store), count, root: (await rootAt(count)) ?? '' };
  markRestored(dataDir, mark, key);
});
const newCommands = (): Promise<Commands> =>
  openCommands({
    ...{ store, keys: deriveStreamKeys(secret), clock: Date.now, newUuid: randomUUID },
    onUnreadable: () => undefined,
  });

afterEach(async () => {
  await commands.close();
  await store.close();
  for (const folder of [dataDir, sealDir]) rmSync(folder, { recursive: true });
});

const rootAt = async (count: number): Promise<string | undefined> => {
  const root = rootOf(await frontierAt(store.tree, count));
  return root && toHex(root);
};

type NewestSeal = Parameters<typeof recoverLog>[0]['newestSeal'];
async function start(newestSeal: NewestSeal = undefined): Promise<void> {
  const restored = restoredIn(dataDir, storesOf(embeddedIn(dataFolderAt(dataDir))));
  const config = { dataDir, seals: { copies: sealDir } };
  const register = await openRegister({ config, owner: owner(), log: store, logger, monotonic: Date.now });
  commands.keepIn(register);
  const { signal } = new AbortController();
  const lines = register.lines();
  await recoverLog({ store, commands, lines, config, secret, restored, newestSeal, clock: Date.now, signal, logger });
}

const owner = () => ({ logId: mark.log_id, key: deriveRegisterKey(secret) });

const recorded = async () => {
  const logId = mark.log_id;
  return (await restoresOf(store)).map((restore) => ({ ...restore, isValid: isValidRestore(restore, { logId, key }) }));
};

test('the first start after a restore records it with a valid MAC, and removes the mark', async () => {
  await start();
  expect(await recorded()).toMatchObject([
    { number: 1, count: mark.count, root: mark.root, superseded: null, isValid: true },
  ]);
  expect(restoredIn(dataDir, storesOf(embeddedIn(dataFolderAt(dataDir))))).toBeUndefined();
  for await (const events of store.readStream('service')) expect(events.at(-1)?.id).toBe(mark.event_id);
});

test('the log gets more restores than the newest seal, in one append', async () => {
  const seal = { restores: 2, count: 50, root: '5'.repeat(64) };
  const { count } = await store.frontier();
  await start(seal);
  const superseded = { count: seal.count, root: seal.root };
  const record = { count: mark.count, root: mark.root, superseded, isValid: true };
  expect(await recorded()).toMatchObject([1, 2, 3].map((number) => ({ ...record, number })));
  expect((await store.frontier()).count).toBe(count + 3);
});

test('a start that was killed after it recorded the restore does not record it again', async () => {
  const seal = { restores: 1, count: 50, root: '5'.repeat(64) };
  await start(seal);
  const before = await recorded();
  markRestored(dataDir, mark, key);
  await start(seal);
  expect(await recorded()).toEqual(before);
  expect(existsSync(path.join(dataDir, 'restored.json'))).toBe(false);
});

test('a later restore is recorded after the earlier one', async () => {
  await start();
  const { count } = await store.frontier();
  const later = { ...mark, event_id: randomUUID(), count, root: (await rootAt(count)) ?? '' };
  markRestored(dataDir, later, key);
  await start({ restores: 1, count, root: later.root });
  expect(await recorded()).toMatchObject([
    { number: 1, count: mark.count, isValid: true },
    { number: 2, count, isValid: true },
  ]);
});

const suppressionOf = (key: string): RegisterLine =>
  lineOf({ ...toAppend(e.addressSuppressed), stream: suppressionStream(key), revision: 0n }, owner());

const suppressedIn = async (key: string): Promise<readonly string[]> =>
  (await commands.suppressions.fresh(suppressionStream(key))).state.active.map(({ scope }) => scope);

test('forged lines in SEAL_DIR erase nobody, release nobody and revoke no key', async () => {
  const key_id = 'key_1';
  const created = { key_id, name: 'Kiosk', scopes: ['keys'], hash: 'a'.repeat(64) };
  await store.append(keysStream, [toAppend({ type: 'ApiKeyCreated', data: created })], {
    expectedRevision: 'no_stream',
  });
  await store.append(suppressionStream('a'), [toAppend(e.addressSuppressed)], { expectedRevision: 'no_stream' });
  const { log_id } = mark;
  const time = '2026-03-01T10:00:00.000Z';
  const refusal = { subject_key: 'a', scope: examples.list.list_id, at: time, event_id: randomUUID() };
  const plain = [
    { log_id, erasure_id: 'ers_1', subject_key: 'a', reason: null, requested_at: time },
    { kind: 'key_revoked', log_id, key_id, at: '2999-01-01T00:00:00.000Z' },
    { kind: 'mail_released', log_id, ...refusal, reason: 'person' },
  ];
  const strange = { logId: log_id, key: deriveRegisterKey('a secret that an attacker made up, long enough') };
  const revoked = { ...toAppend({ type: 'ApiKeyRevoked', data: { key_id } }), stream: keysStream, revision: 1n };
  const file = path.join(sealDir, registerName);
  appendFileSync(file, plain.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const valid = suppressionOf('b');
  await appendLines(file, [valid, lineOf(revoked, strange)]);
  const { count } = await store.frontier();
  await start();
  // LogRestored and the one event whose line the service wrote.
  expect((await store.frontier()).count).toBe(count + 2);
  expect(await suppressedIn('b')).toEqual([examples.list.list_id]);
});

test('a start without a mark brings back lines that turn up later', async () => {
  await start();
  await appendLines(path.join(sealDir, registerName), [suppressionOf('b')]);
  await start();
  expect(await suppressedIn('b')).toEqual([examples.list.list_id]);
  const { count } = await store.frontier();
  await start();
  expect((await store.frontier()).count).toBe(count);
});

test('after a second restore from the same backup, the newest secret of a rotated key still opens', async () => {
  const now = new Date().toISOString();
  const granted = { granter: new Set(['keys']), by: 'service', now };
  const rotate = async (letter: string): Promise<void> => {
    const command = {
      type: 'Rotate',
      key_id: 'key_1',
      hash: letter.repeat(64),
      previous_until: now,
      ...granted,
    } as const;
    await commands.keys.execute({ stream: keysStream, command, context: serviceContext(randomUUID()) });
  };
  const create = async (key_id: string): Promise<void> => {
    const data = { key_id, name: key_id, scopes: ['keys'], hash: 'a'.repeat(64) };
    const command = { type: 'Create', ...data, ...granted } as const;
    await commands.keys.execute({ stream: keysStream, command, context: serviceContext(randomUUID()) });
  };
  await create('key_1');
  await start();
  const backup = await allEvents(store);
  // The key of this event is lost with the restore, so that later events of the stream get lower revisions.
  await create('key_2');
  await rotate('b');
  for (const letter of ['c', 'd']) {
    await commands.close();
    store = await logWith(backup);
    commands = await newCommands();
    const root = (await rootAt(backup.length)) ?? '';
    mark = { ...mark, event_id: randomUUID(), count: backup.length, root };
    markRestored(dataDir, mark, key);
    await start();
    await rotate(letter);
  }
  await commands.close();
  store = await logWith(backup);
  commands = await newCommands();
  mark = { ...mark, event_id: randomUUID() };
  markRestored(dataDir, mark, key);
  await start();
  const { hash, previous } = (await commands.keys.fresh(keysStream)).state.get('key_1') ?? {};
  expect([hash, previous?.hash]).toEqual(['d'.repeat(64), 'c'.repeat(64)]);
});
