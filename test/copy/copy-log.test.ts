/** Copying a log: everything arrives as it was, whatever happens on the way, and a target that holds something else is left alone. */
import { Database } from '../../src/sqlite/database.js';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareLogs } from '../../src/copy/compare.js';
import type { CopyJob } from '../../src/copy/append.js';
import { copyLog as copyWhole } from '../../src/copy/copy.js';
import { examineLog } from '../../src/copy/examine.js';
import type { Progress } from '../../src/flow/progress.js';
import {
  StoreFullError,
  type EventReader,
  type EventStore,
  type StoredEvent,
} from '../../src/eventstore/event-store.js';
import { usually } from '../support/amount.js';
import {
  anEvent,
  addressOf,
  copyLog,
  eventsFileOf,
  eventsIn,
  eventsInFolder,
  fill,
  initialised,
  kept,
  logId,
  newFolder,
  oddText,
  openFolder,
  quickRetry,
  quickly,
  randomFrom,
  unreliable,
  newLog,
} from '../support/migrating.js';

async function filledLog(events: number, seed = 7) {
  const store = await newLog();
  return { store, events: await fill(store, events, randomFrom(seed)) };
}

/** A log of some 300 events that is only read, and a folder with a copy of it that nobody has open. */
const shared = mkdtempSync(path.join(tmpdir(), 'copy-log-'));
const copied = path.join(shared, 'copy');
let store: EventStore;
let events: readonly StoredEvent[];
beforeAll(async () => {
  mkdirSync(copied);
  store = await openFolder(shared);
  events = await fill(store, 300);
  const copy = await openFolder(copied);
  await copyLog(plan(store, copy));
  await copy.close();
});
afterAll(async () => {
  await store.close();
  rmSync(shared, { recursive: true, force: true });
});

function copyOf(folder: string): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

const never = new AbortController().signal;
/** Asked again at once, never told to end. */
const patiently = { total: 0, retry: quickRetry, signal: never, report: () => undefined };
const plan = (
  source: EventReader,
  target: EventStore,
  more: Partial<Pick<CopyJob, 'retry' | 'signal' | 'report'>> = {},
) => ({
  source,
  target,
  ...patiently,
  appendsAtOnce: 1,
  ...more,
});

/** Counts what is appended, and how. */
function counting<Store extends EventStore>(store: Store) {
  const sizes: number[] = [];
  const counted: Store = {
    ...store,
    append(stream, events, options) {
      sizes.push(events.length);
      return store.append(stream, events, options);
    },
  };
  return { store: counted, sizes };
}

describe('copying', () => {
  test('keeps order, streams, revisions, ids, types and every byte of data and metadata', async () => {
    const target = await newLog();
    const reached = await copyLog(plan(store, target));
    expect(reached).toEqual({ events: events.length, position: events.at(-1)?.position });
    expect(kept(await eventsIn(target))).toEqual(kept(events));
    expect(events.some(({ data }) => data === oddText)).toBe(true);
  });

  test('appends neighbours of one stream together, up to 128 events and 512 KiB, and never mixes streams', async () => {
    const source = await newLog();
    await source.append('service', [initialised()], { expectedRevision: 'no_stream' });
    const many = Array.from({ length: 300 }, () => anEvent());
    await source.append('many', many, { expectedRevision: 'no_stream' });
    const large = Array.from({ length: 5 }, () => anEvent(JSON.stringify({ text: 'x'.repeat(200 * 1024) })));
    await source.append('large', large, { expectedRevision: 'no_stream' });
    await source.append('huge', [anEvent(JSON.stringify({ text: 'x'.repeat(900 * 1024) }))], {
      expectedRevision: 'no_stream',
    });
    await source.append('small', [anEvent()], { expectedRevision: 'no_stream' });
    const target = counting(await newLog());
    await copyLog(plan(source, target.store));
    expect(target.sizes).toEqual([1, 128, 128, 44, 2, 2, 1, 1, 1]);
    expect(kept(await eventsIn(target.store))).toEqual(kept(await eventsIn(source)));
  });

  test('goes on after appends in doubt and logs that are away for a while, and doubles nothing', async () => {
    const target = await newLog();
    const random = randomFrom(3);
    await copyLog(plan(unreliable(store, random), unreliable(target, random)));
    expect(kept(await eventsIn(target))).toEqual(kept(events));
  });

  test('gives up when a log stays away, and goes on when asked again', async () => {
    const target = await newLog();
    const away = unreliable(target, () => 0.05);
    const retry = { timeoutMs: 50, longestPauseMs: 0 };
    await expect(copyLog(plan(store, away, { retry }))).rejects.toThrow('down before the append');
    await copyLog(plan(store, target));
    expect(kept(await eventsIn(target))).toEqual(kept(events));
  });

  test('fails at once when the disk is full, and goes on when there is room', async () => {
    const target = await newLog();
    let appends = 0;
    const small: EventStore = {
      ...target,
      append: (stream, added, options) =>
        (appends += 1) > 20
          ? Promise.reject(new StoreFullError('the disk is full'))
          : target.append(stream, added, options),
    };
    await expect(copyLog(plan(store, small))).rejects.toThrow('the disk is full');
    expect(appends).toBe(22);
    await copyLog(plan(store, target));
    expect(kept(await eventsIn(target))).toEqual(kept(events));
  });

  test.each(usually([1], [1, 2, 3]))(
    'goes on where it was stopped, at any point and as often as it takes (seed %i)',
    async (seed) => {
      const { store, events } = await filledLog(600, seed);
      const target = counting(await newLog());
      const random = randomFrom(seed);
      let runs = 0;
      for (let isDone = false; !isDone; runs += 1) {
        const abort = new AbortController();
        let left = 1 + Math.floor(random() * 60);
        const report = ({ phase }: Progress): void => {
          if (phase !== 'copying') return;
          left -= 1;
          if (left === 0) abort.abort(new Error('stopped by the test'));
        };
        isDone = await copyLog(plan(store, target.store, { signal: abort.signal, report })).then(
          () => true,
          (error: Error) => {
            expect(error.message).toBe('stopped by the test');
            return false;
          },
        );
      }
      expect(runs).toBeGreaterThan(3);
      expect(kept(await eventsIn(target.store))).toEqual(kept(events));
      // What was there already was not sent again.
      expect(target.sizes.reduce((sum, size) => sum + size, 0)).toBe(events.length);
    },
  );

  test('a source that has grown since it was examined is not finished; the same again copies the rest', async () => {
    const { store } = await filledLog(200);
    const folder = newFolder();
    const copy = async () => {
      const grow = (): Promise<unknown> => store.append('late', [anEvent()], { expectedRevision: 'no_stream' });
      const report = ({ phase }: Progress): void => void (phase === 'copying' && grow().catch(() => undefined));
      return await copyWhole({ source: store, to: addressOf(folder), isDryRun: false }, quickly({ report }));
    };
    await expect(copy()).rejects.toThrow('NOT FINISHED');
    expect((await copy()).outcome).toBe('identical');
    expect(kept(await eventsInFolder(folder))).toEqual(kept(await eventsIn(store)));
  });

  test('copies a complete copy once more without writing anything', async () => {
    const target = counting(await newLog(copyOf(copied)));
    await copyLog(plan(store, target.store));
    expect(target.sizes).toEqual([]);
  });
});

describe('a target that holds something else', () => {
  const refusal = async (source: EventStore, target: EventStore): Promise<string> => {
    const before = await eventsIn(target);
    const error: unknown = await copyLog(plan(source, target)).catch((reason: unknown) => reason);
    expect(await eventsIn(target)).toEqual(before);
    return String(error);
  };

  test('is refused by its first event and left as it is', async () => {
    const target = await newLog();
    await target.append('service', [initialised()], { expectedRevision: 'no_stream' });
    expect(await refusal(store, target)).toMatch(/nothing was written\. Event 1 differs in id/);
  });

  test('is refused where it goes on in another way', async () => {
    const target = await newLog();
    await copyLog(plan(first(store, 40), target));
    await target.append('stranger', [anEvent()], { expectedRevision: 'no_stream' });
    expect(await refusal(store, target)).toMatch(/Event 41 differs in stream/);
    expect(events.length).toBeGreaterThan(41);
  });

  test('is refused when it holds more than the source', async () => {
    const target = await newLog(copyOf(copied));
    await target.append('later', [anEvent()], { expectedRevision: 'no_stream' });
    expect(await refusal(store, target)).toContain(`The source ends before event ${events.length + 1}`);
  });

  test('is refused when another process writes to it during the copy', async () => {
    const target = await newLog();
    const last = events.at(-1)?.stream ?? '';
    let isFirst = true;
    const report = (): void => {
      if (isFirst) void target.append(last, [anEvent()], { expectedRevision: 'no_stream' });
      isFirst = false;
    };
    await expect(copyLog(plan(store, target, { report }))).rejects.toThrow('another process wrote to the target');
  });
});

/** The log as if it ended after this many events. */
function first(store: EventStore, count: number): EventReader {
  return {
    ...store,
    async *readAll(options = {}) {
      const isFromStart = options.after === undefined || options.after === '';
      if (isFromStart) yield* store.readAll({ ...options, limit: count });
    },
    async head() {
      for await (const batch of store.readAll({ limit: count })) return batch.at(-1)?.position ?? '';
      return '';
    },
  };
}

describe('the comparison', () => {
  const compared = async (source: EventReader, target: EventReader) =>
    compareLogs({ source, target, until: await source.head(), ...patiently });

  test('finds a copy identical, with one digest for both', async () => {
    const { difference, source, target: copy } = await compared(store, await newLog(copyOf(copied)));
    expect(difference).toBeUndefined();
    expect(source).toEqual(copy);
    expect(source.events).toBe(events.length);
    expect(source.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['data', `update events set data = replace(data, '}', ' }') where position = 30`, /^event 30, .*has other data/],
    [
      'metadata',
      `update metadata set json = '{}' where id = (select metadata_id from events where position = 31)`,
      /^event 31, .*has other metadata/,
    ],
    ['type', `update events set type = 'Other' where position = 32`, /^event 32 differs in type/],
    ['id', `update events set event_id = '${anEvent().id}' where position = 33`, /^event 33 differs in id/],
    ['the end', `delete from events where position = (select max(position) from events)`, /^the target ends before/],
    ['an event in the middle', `delete from events where position = 50`, /^event 50 /],
  ])('finds %s altered', async (_, sql, expected) => {
    const folder = copyOf(copied);
    const file = new Database(eventsFileOf(folder));
    expect(file.prepare(sql).run().changes).toBe(1);
    file.close();
    const { difference, source, target: copy } = await compared(store, await newLog(folder));
    expect(difference).toMatch(expected);
    expect(source.sha256).not.toBe(copy.sha256);
  });

  test('shows nothing personal', async () => {
    const source = await newLog();
    const target = await newLog();
    await source.append('a', [{ ...anEvent('{"email":"ada@example.com"}'), id: initialised().id }], {
      expectedRevision: 'no_stream',
    });
    await target.append('a', [anEvent('{"email":"bob@example.com"}')], { expectedRevision: 'no_stream' });
    expect((await compared(source, target)).difference).not.toContain('example.com');
  });
});

describe('the examination of the source', () => {
  const examined = (source: EventReader) => examineLog({ source, ...patiently });

  test('counts the events and reads the name of the log', async () => {
    expect(await examined(store)).toMatchObject({ events: events.length, logId });
  });

  test('refuses a log that is empty, or does not begin as one of this service', async () => {
    const store = await newLog();
    await expect(examined(store)).rejects.toThrow('nothing to copy');
    await store.append('a', [anEvent()], { expectedRevision: 'no_stream' });
    await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
    await expect(examined(store)).rejects.toThrow(/not ServiceInitialised/);
  });

  test('refuses a first event that cannot be read', async () => {
    const store = await newLog();
    await store.append('service', [anEvent('{}', 'ServiceInitialised')], { expectedRevision: 'no_stream' });
    await expect(examined(store)).rejects.toThrow(/does not fit its schema/);
  });

  test('refuses a stream with a hole, at its beginning or later', async () => {
    const isLater = ({ revision }: StoredEvent): boolean => revision === 1n;
    for (const missing of [events.find(isLater), events.find(({ stream }) => stream.startsWith('contact-'))]) {
      const hole = without(store, missing);
      await expect(examined(hole)).rejects.toThrow(/the source has a hole/);
    }
  });

  test.each([
    ['spaces', { data: '{ "email":"ada@example.com"}' }, 'data'],
    ['a member twice', { data: '{"email":"ada@example.com","email":"b"}' }, 'data'],
    ['a number that is written in another way', { metadata: '{"actor":"ada@example.com","schema":1.0}' }, 'metadata'],
    ['no JSON', { data: '{"email":"ada@example.com"' }, 'data'],
  ])('refuses text that is not canonical by its place: %s', async (_, texts, field) => {
    const refused: unknown = await examined(altered(store, events[41], texts)).catch((error: unknown) => error);
    expect(String(refused)).toMatch(
      new RegExp(
        `event 42, Noted \\(revision \\d+ of contact-.*can be stored nowhere: ${field} is not the canonical JSON text`,
      ),
    );
    expect(String(refused)).not.toContain('ada@example.com');
  });

  test('refuses an event that is too large for one append, before anything is written', async () => {
    const large = { data: JSON.stringify({ text: 'x'.repeat(1_048_576) }) };
    await expect(examined(altered(store, events[41], large))).rejects.toThrow(
      /event 42, Noted .*at most 1048576 bytes/,
    );
  });
});

/** The log as if this event held something else. */
function altered(store: EventStore, event: StoredEvent | undefined, texts: Partial<StoredEvent>): EventReader {
  return {
    ...store,
    async *readAll(options) {
      for await (const batch of store.readAll(options))
        yield batch.map((stored) => (stored.id === event?.id ? { ...stored, ...texts } : stored));
    },
  };
}

function without(store: EventStore, missing: StoredEvent | undefined): EventReader {
  return {
    ...store,
    async *readAll(options) {
      for await (const batch of store.readAll(options)) yield batch.filter(({ id }) => id !== missing?.id);
    },
    async *readStream(stream, options) {
      for await (const batch of store.readStream(stream, options)) yield batch.filter(({ id }) => id !== missing?.id);
    },
  };
}
