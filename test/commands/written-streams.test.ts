/** Streams that were never begun are known without a read, and no stream that is in the log is missed. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import { deriveStreamKeys, suppressedKey, suppressionStream } from '../../src/events/streams.js';
import { AppendInDoubtError, type EventStore } from '../../src/eventstore/event-store.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';

let folder: string;
let store: SqliteEventStore;
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'written-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const keys = deriveStreamKeys('a secret of the tests, long enough for a key');
const context = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'recipient' };
const someStream = (): string => suppressionStream(randomBytes(16).toString('hex'));

/** Handlers of a process that starts on this log, and the streams that it reads from then on. */
async function started(on: Partial<EventStore> = {}) {
  const reads: string[] = [];
  const { suppressions, checkRecipient } = await openCommands({
    store: {
      ...store,
      readStream(stream, options) {
        reads.push(stream);
        return store.readStream(stream, options);
      },
      ...on,
    },
    keys,
    onUnreadable: () => undefined,
    clock: Date.now,
    newUuid: randomUUID,
  });
  reads.length = 0;
  const suppress = (stream: string) =>
    suppressions.execute({
      stream,
      command: { type: 'Suppress', entries: [{ scope: 'all', reason: 'manual' }], person: undefined },
      context,
    });
  const isSuppressed = async (stream: string): Promise<boolean> =>
    (await checkRecipient({ key: suppressedKey(stream) })).status === 'suppressed';
  return { reads, suppress, isSuppressed };
}

test('of many that were never written none is read, whatever else was', async () => {
  const { reads, suppress, isSuppressed } = await started();
  await Promise.all(Array.from({ length: 20 }, () => suppress(someStream())));
  reads.length = 0;
  for (let round = 0; round < 100; round += 1) expect(await isSuppressed(someStream())).toBe(false);
  expect(reads).toEqual([]);
});

test('what was answered counts at once, and after the next start', async () => {
  const stream = someStream();
  const first = await started();
  await first.suppress(stream);
  expect(await first.isSuppressed(stream)).toBe(true);
  const next = await started();
  expect(await next.isSuppressed(stream)).toBe(true);
  expect(next.reads).toEqual([stream]);
});

test('an append whose answer was lost counts', async () => {
  const stream = someStream();
  const { suppress, isSuppressed } = await started({
    async append(...append) {
      await store.append(...append);
      if (append[0] === stream) throw new AppendInDoubtError('the answer was lost');
      return await store.append(...append);
    },
  });
  await expect(suppress(stream)).rejects.toThrow();
  expect(await isSuppressed(stream)).toBe(true);
});

test('where other processes append, too, each is read', async () => {
  const stream = someStream();
  const { reads, isSuppressed } = await started({ soleWriter: false });
  expect(await isSuppressed(stream)).toBe(false);
  await (await started()).suppress(stream);
  expect(await isSuppressed(stream)).toBe(true);
  expect(reads).toEqual([stream, stream]);
});
