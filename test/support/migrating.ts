/** Logs to migrate, stores that fail on the way, and the command `migrate` as its users run it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { CopyOptions } from '../../src/copy/copy.js';
import { copyMissing, type CopyJob } from '../../src/copy/append.js';
import { findCommonBeginning, type CopyProgress } from '../../src/copy/compare.js';
import { dataFolderAt } from '../../src/stores/data-folder.js';
import type { RetryPolicy } from '../../src/eventstore/with-retry.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import {
  AppendInDoubtError,
  logStart,
  StoreUnavailableError,
  type EventReader,
  type EventStore,
  type EventToAppend,
  type Position,
  type StoredEvent,
} from '../../src/eventstore/event-store.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { embeddedIn } from '../../src/stores/stores.js';
import { audience, startAudience, type Ended, type StartedCommand } from './audience.js';
import type { Overrides } from './service.js';

export const secretOfLog = 'a secret for tests, and for nothing else';
export const logId = '0b7e0f4e-6a0c-4a53-9a51-6f1f6f1c2b11';

/** A folder that goes away with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'migrate-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const eventsFileOf = (folder: string): string => dataFolderAt(folder).eventsFile;
export const addressOf = (folder: string) => embeddedIn(dataFolderAt(folder));

export const openFolder = (folder: string): Promise<SqliteEventStore> =>
  openSqliteEventStore({ file: eventsFileOf(folder), clock: Date.now });

/** A log that is closed when the test ends. */
export async function newLog(folder = newFolder()): Promise<SqliteEventStore> {
  const store = await openFolder(folder);
  onTestFinished(() => store.close());
  return store;
}

/** Compares what is there already and copies the rest, as import and migration do. */
export async function copyLog(
  logs: Omit<CopyJob, 'source' | 'until'> & { readonly source: EventReader },
): Promise<CopyProgress> {
  const copying = { ...logs, until: await logs.source.head() };
  return await copyMissing(await findCommonBeginning(copying), copying);
}

/** The same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

let minted = 0;
const newId = (): string => `00000000-0000-4000-8000-${String((minted += 1)).padStart(12, '0')}`;

const metadata = JSON.stringify({
  at: '2024-05-06T07:08:09.010Z',
  $correlationId: 'c',
  $causationId: 'c',
  request_id: 'r',
  actor: 'test',
  schema: 1,
});

/** Spaces, escapes and numbers that a parser would write in another way: a copy keeps the text. */
export const oddText =
  '{"b":1e+21,"a":"é 😀 \\u0000 \\ud800 / \u2028","n":12345678901234567000,"__proto__":{"toJSON":1}}';

export const anEvent = (data = '{"n":1}', type = 'Noted'): EventToAppend => ({ id: newId(), type, data, metadata });

/** First event of a log of this service. */
export function initialised(id = logId): EventToAppend {
  const data = { log_id: id, secret_fingerprint: deriveStreamKeys(secretOfLog).fingerprint(id) };
  return anEvent(JSON.stringify(data), 'ServiceInitialised');
}

/** A log of this service with about this many events, in streams of many lengths that alternate, some of them large. */
export async function fill(store: EventStore, events: number, random = randomFrom(7)): Promise<StoredEvent[]> {
  await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
  const revisions = new Map<string, bigint>();
  const pending: Promise<unknown>[] = [];
  for (let written = 1; written < events;) {
    const stream = `contact-${Math.floor(random() ** 2 * (events / 3))}`;
    const revision = revisions.get(stream) ?? -1n;
    const count = random() < 0.02 ? 150 : 1 + Math.floor(random() * 3);
    const batch = Array.from({ length: count }, () => anEvent(dataOf(random)));
    pending.push(store.append(stream, batch, { expectedRevision: revision < 0n ? 'no_stream' : revision }));
    revisions.set(stream, revision + BigInt(count));
    written += count;
  }
  await Promise.all(pending);
  return eventsIn(store);
}

function dataOf(random: () => number): string {
  const dice = random();
  if (dice < 0.05) return oddText;
  if (dice < 0.055) return JSON.stringify({ text: 'x'.repeat(200_000) });
  return JSON.stringify({ n: dice });
}

export async function eventsIn(reader: EventReader, after: Position = logStart): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of reader.readAll({ after })) events.push(...batch);
  return events;
}

export async function eventsInFolder(folder: string): Promise<StoredEvent[]> {
  const store = await openFolder(folder);
  try {
    return await eventsIn(store);
  } finally {
    await store.close();
  }
}

/** What a copy keeps. */
export const kept = (events: readonly StoredEvent[]) => events.map(({ position: _, ...rest }) => rest);

/** Asks again at once. */
export const quickRetry: RetryPolicy = { timeoutMs: 5_000, longestPauseMs: 0 };

export const quickly = (more: Partial<CopyOptions> = {}): CopyOptions => ({
  retry: quickRetry,
  signal: new AbortController().signal,
  report: () => undefined,
  onNotice: () => undefined,
  ...more,
});

/** Every append and every page fails now and then: before, after and in the middle. */
export function unreliable<Store extends EventStore>(store: Store, random: () => number): Store {
  return {
    ...store,
    async append(stream, events, options) {
      const dice = random();
      if (dice < 0.1) throw new StoreUnavailableError('down before the append');
      if (dice < 0.2) throw new AppendInDoubtError('lost on the way there');
      const result = await store.append(stream, events, options);
      if (dice < 0.4) throw new AppendInDoubtError('lost on the way back');
      return result;
    },
    async *readAll(options) {
      for await (const batch of store.readAll(options)) {
        if (random() < 0.3) throw new StoreUnavailableError('down while reading');
        const part = random() < 0.5 ? batch : batch.slice(0, Math.ceil(batch.length / 2));
        yield part;
        if (part.length < batch.length) throw new StoreUnavailableError('down in the middle of a page');
      }
    },
  };
}

/** `audience migrate …` in a process that may be killed. */
export function startMigrate(words: readonly string[]): StartedCommand {
  const started = startAudience(['migrate', ...words]);
  onTestFinished(() => {
    started.child.kill('SIGKILL');
  });
  return started;
}

/** `audience migrate …`, to its end. */
export const migrate = (words: readonly string[], env: Overrides = {}): Promise<Ended> =>
  audience(['migrate', ...words], { env });
