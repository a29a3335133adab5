import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCommands, type Commands } from '../../src/app/commands.js';
import { openLasting } from '../../src/app/lasting.js';
import { deriveRestoredKey, deriveStreamKeys } from '../../src/events/streams.js';
import { toHex } from '../../src/eventstore/leaf.js';
import { demandLogId } from '../../src/eventstore/log-id.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { frontierAt, rootOf } from '../../src/eventstore/tree.js';
import { isValidRestore, restoresOf } from '../../src/integrity/restores.js';
import { markRestored, restoredIn, type RestoredMark } from '../../src/stores/restored.js';

const secret = 'a secret of the tests, long enough for a key';
const key = deriveRestoredKey(secret);
const logger = pino({ enabled: false });
let dataDir: string;
let store: SqliteEventStore;
let commands: Commands;
let mark: Omit<RestoredMark, 'mac'>;

beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'lasting-'));
  store = await openSqliteEventStore({ file: path.join(dataDir, 'events.db'), clock: Date.now });
  commands = await openCommands({
    ...{ store, keys: deriveStreamKeys(secret), clock: Date.now, newUuid: randomUUID },
    onUnreadable: () => undefined,
  });
  const { count } = await store.frontier();
  mark = { event_id: randomUUID(), log_id: await demandLogId(store), count, root: (await rootAt(count)) ?? '' };
  markRestored(dataDir, mark, key);
});
afterEach(async () => {
  await commands.close();
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const rootAt = async (count: number): Promise<string | undefined> => {
  const root = rootOf(await frontierAt(store.tree, count));
  return root && toHex(root);
};

type NewestSeal = Parameters<typeof openLasting>[0]['newestSeal'];
async function start(newestSeal: NewestSeal = undefined): Promise<void> {
  const restored = restoredIn(dataDir, { hasLog: true });
  const config = { dataDir, seals: { copies: undefined } } as never;
  const { signal } = new AbortController();
  await openLasting({ store, commands, config, secret, restored, newestSeal, clock: Date.now, signal, logger });
}

const recorded = async () => {
  const logId = mark.log_id;
  return (await restoresOf(store)).map((restore) => ({ ...restore, isValid: isValidRestore(restore, { logId, key }) }));
};

test('the first start after a restore records it with a valid MAC, and removes the mark', async () => {
  await start();
  expect(await recorded()).toMatchObject([
    { number: 1, count: mark.count, root: mark.root, superseded: null, isValid: true },
  ]);
  expect(restoredIn(dataDir, { hasLog: true })).toBeUndefined();
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
