/** What the embedded event store promises beyond the port: its file, its group commits, its readers elsewhere. */
import { randomUUID } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { Database } from '../../../src/sqlite/database.js';
import { describe, expect, it, vi } from 'vitest';
import { leafOf, toHex } from '../../../src/eventstore/leaf.js';
import { createGrowingTree, frontierAt } from '../../../src/eventstore/tree.js';
import {
  AppendInDoubtError,
  StoreUnavailableError,
  type SubscriptionMessage,
} from '../../../src/eventstore/event-store.js';
import { openSqliteEventReader } from '../../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { allEvents, eventLogChild, newLogFile, openLog, said, startChild } from '../../support/event-log.js';

const noStream = { expectedRevision: 'no_stream' } as const;

it('is the sole writer, and says so', async () => {
  const { store } = await openLog();
  expect(store.soleWriter).toBe(true);
});

it('writes plain SQL that anyone can read, in a file that is only ours to read', async () => {
  const { store, file } = await openLog();
  const events = [said('one'), said('two')];
  await store.append('greetings', events, noStream);
  const db = new Database(file, { access: 'read' });
  expect(db.prepare('select * from log').all()).toEqual(
    events.map(({ id, type, data, metadata }, at) => ({
      position: at + 1,
      stream: 'greetings',
      revision: at,
      event_id: id,
      type,
      data,
      metadata,
      recorded_at: '2024-05-06T07:08:09.010Z',
    })),
  );
  expect(db.prepare('select name, revision from streams').all()).toEqual([{ name: 'greetings', revision: 1 }]);
  db.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('commits what waits together: 1,000 appends made at once need few transactions', async () => {
  const { store } = await openLog();
  const heads: string[] = [];
  const stop = store.onCommitted((position) => heads.push(position));
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, () => store.append(randomUUID(), [said()], noStream)),
  );
  expect(heads.length).toBeLessThanOrEqual(5);
  expect(heads.at(-1)).toBe(await store.head());
  expect(answers.at(-1)?.position).toBe(await store.head());
  stop();
  await store.append(randomUUID(), [said()], noStream);
  expect(heads.at(-1)).toBe(answers.at(-1)?.position);
});

it('tells listeners of growth only: not of a repeat or a refusal', async () => {
  const { store } = await openLog();
  const one = said();
  await store.append('a', [one], noStream);
  const heads: string[] = [];
  store.onCommitted((position) => heads.push(position));
  await store.append('a', [one], noStream);
  await store.append('a', [said()], noStream).catch(() => undefined);
  expect(heads).toEqual([]);
});

it('a refused append leaves its neighbours of the same transaction alone', async () => {
  const { store } = await openLog();
  const results = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) => store.append(`s${at % 50}`, [said(), said()], noStream)),
  );
  expect(results.map(({ status }) => status)).toEqual([
    ...Array<string>(50).fill('fulfilled'),
    ...Array<string>(50).fill('rejected'),
  ]);
  expect(await allEvents(store)).toHaveLength(100);
});

it('batches end before 4 MiB', async () => {
  const { store } = await openLog();
  for (let at = 0; at < 6; at += 1) await store.append(`${at}`, [said('x'.repeat(1_000_000)), said()], noStream);
  const sizes: number[] = [];
  for await (const batch of store.readAll()) sizes.push(batch.length);
  expect(sizes).toEqual([8, 4]);
});

it('refuses a file that is not an event log, and leaves it as it is', async () => {
  const text = newLogFile();
  writeFileSync(
    text,
    'something else altogether, long enough to be read as a header, and then some more of it. '.repeat(9),
  );
  const foreign = newLogFile();
  new Database(foreign).exec('create table theirs (a)').close();
  for (const [file, message] of [
    [text, /cannot be opened.*not a database/],
    [foreign, /is not an event log of this service/],
  ] as const) {
    await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow(message);
    await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow(StoreUnavailableError);
    expect(() => openSqliteEventReader({ file })).toThrow(StoreUnavailableError);
  }
  expect(new Database(foreign).prepareValue('select name from sqlite_schema').all()).toEqual(['theirs']);
});

it('refuses a folder or a log that does not exist, naming it', async () => {
  const file = newLogFile();
  await expect(openSqliteEventStore({ file: `${file}/no/events.db`, clock: Date.now })).rejects.toThrow(
    /no folder .*no/,
  );
  expect(() => openSqliteEventReader({ file })).toThrow(`there is no event log at ${file}`);
});

it('a reader in another process follows while the log is written', async () => {
  const { store, file } = await openLog();
  await store.append('a', [said()], noStream);
  const child = startChild(process.execPath, eventLogChild, 'follow', file, '2001');
  await child.until((lines) => lines.some(({ open }) => open));
  for (let round = 0; round < 100; round += 1)
    await Promise.all(Array.from({ length: 10 }, () => store.append(randomUUID(), [said(), said()], noStream)));
  await child.until((lines) => lines.some(({ seen }) => seen));
  expect(child.lines.at(-1)?.seen).toEqual((await allEvents(store)).map(({ id }) => id));
});

it('a reader reads a log that nobody writes, closed or left behind by a killed process', async () => {
  const { store, file } = await openLog();
  await store.append('a', [said()], noStream);
  await store.close();
  const reader = openSqliteEventReader({ file });
  expect(await allEvents(reader)).toHaveLength(1);
  await reader.close();
  await reader.close();

  const killed = newLogFile();
  const child = startChild(process.execPath, eventLogChild, 'append', killed);
  await child.until((lines) => lines.filter(({ acked }) => acked).length > 50);
  await child.kill();
  const after = openSqliteEventReader({ file: killed });
  const found = new Set((await allEvents(after)).map(({ id }) => id));
  expect(child.lines.every(({ acked }) => acked === undefined || found.has(acked))).toBe(true);
  await after.close();
});

it('a reader without polling sees new events when it is woken', async () => {
  const { store, file } = await openLog();
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  const messages = reader.subscribe({ after: '', signal: new AbortController().signal })[Symbol.asyncIterator]();
  expect((await messages.next()).value).toEqual({ type: 'caught_up', position: '' });
  const next: Promise<IteratorResult<SubscriptionMessage>> = messages.next();
  const { position } = await store.append('a', [said()], noStream);
  reader.wake();
  expect((await next).value).toMatchObject({ type: 'events', events: [{ position }] });
  await reader.close();
});

it('a read that is half-way when the reader closes fails rather than pass for the whole', async () => {
  const { store, file } = await openLog();
  for (let at = 0; at < 3; at += 1)
    await store.append(
      `s${at}`,
      Array.from({ length: 500 }, () => said()),
      noStream,
    );
  const reader = openSqliteEventReader({ file });
  const reading = (async () => {
    for await (const batch of reader.readAll()) if (batch.length > 0) await reader.close();
  })();
  await expect(reading).rejects.toThrow(StoreUnavailableError);
});

it('readers page in short transactions, so that the log file stays small under a slow reader', async () => {
  const { store, file } = await openLog();
  await store.append(
    'first',
    Array.from({ length: 1_500 }, () => said()),
    noStream,
  );
  const reader = openSqliteEventReader({ file });
  const slow = reader.readAll()[Symbol.asyncIterator]();
  await slow.next();
  for (let round = 0; round < 120; round += 1)
    await Promise.all(
      Array.from({ length: 4 }, () => store.append(randomUUID(), [said('x'.repeat(100_000))], noStream)),
    );
  expect(statSync(`${file}-wal`).size).toBeLessThan(32 * 1024 * 1024);
  expect((await slow.next()).done).toBe(false);
  await reader.close();
});

it('a writer thread that dies leaves its appends in doubt or refused, is reported, and is replaced', async () => {
  const { store, file, faults } = await openLog();
  await store.append('before', [said()], noStream);
  const stranger = new Database(file);
  // The thread dies, and the next one cannot start.
  stranger.exec('alter table streams rename to other');
  const lost = said();
  const error: unknown = await store.append('lost', [lost], noStream).catch((reason: unknown) => reason);
  expect(error instanceof AppendInDoubtError || error instanceof StoreUnavailableError).toBe(true);
  await vi.waitFor(() => expect(faults.map(({ message }) => message).join()).toContain('no such table'));
  stranger.exec('alter table other rename to streams');
  stranger.close();
  await vi.waitFor(() => store.append('lost', [lost], noStream), { timeout: 10_000, interval: 50 });
  expect((await allEvents(store)).map(({ stream }) => stream)).toEqual(['before', 'lost']);
});

describe('events of another program', () => {
  function appendElsewhere(file: string): void {
    const db = new Database(file);
    db.exec(`insert into events select position + 1, stream_id, revision + 1, event_id, type, data, metadata_id from events order by position desc limit 1;
      update streams set revision = revision + 1`);
    db.close();
  }

  it('are not read, and the next append is refused, as are all later ones', async () => {
    const { store, file } = await openLog();
    await store.append('a', [said()], noStream);
    appendElsewhere(file);
    expect(await allEvents(store)).toHaveLength(1);
    await expect(store.append('b', [said()], noStream)).rejects.toThrow('another program has written to it');
    expect(store.isWritable()).toBe(false);
    expect(store.altered()).toContain('ends with event 2, but this service has appended 1 events');
    await expect(store.append('c', [said()], noStream)).rejects.toThrow(StoreUnavailableError);
  });

  it('are found without an append, when the tree is asked for', async () => {
    const { store, file } = await openLog();
    await store.append('a', [said()], noStream);
    expect(await store.frontier()).toMatchObject({ count: 1 });
    expect(store.altered()).toBeUndefined();
    appendElsewhere(file);
    await store.frontier();
    expect(store.altered()).toContain('another program has written to it');
  });

  it('are told from an append in doubt when the writer thread is replaced', async () => {
    const { store, file } = await openLog();
    await store.append('a', [said()], noStream);
    const stranger = new Database(file);
    stranger.exec('alter table streams rename to other');
    await store.append('b', [said()], noStream).catch(() => undefined);
    stranger.exec("alter table other rename to streams; update events set data = '{}'");
    stranger.close();
    await vi.waitFor(() => expect(store.altered()).toContain('another program has written to it'), { timeout: 10_000 });
    await expect(store.append('c', [said()], noStream)).rejects.toThrow(StoreUnavailableError);
  });
});

it('stores the root of each complete block in the transaction of its last event, and nothing for other events', async () => {
  const { store, file } = await openLog();
  for (let at = 0; at < 3; at += 1)
    await store.append(
      `s${at}`,
      Array.from({ length: 250 }, () => said()),
      noStream,
    );
  const db = new Database(file, { access: 'read' });
  const roots = db.prepareRows<[], [number, Uint8Array]>('select number, root from blocks order by number').all();
  db.close();
  const tree = createGrowingTree();
  const expected: string[] = [];
  for await (const events of store.readEvents())
    for (const event of events) {
      const root = tree.add(leafOf(event.ordinal ?? 0, event));
      if (root !== undefined) expected.push(toHex(root));
    }
  expect(roots.map(([, root]) => Buffer.from(root).toString('hex'))).toEqual(expected);
  expect(expected).toHaveLength(2);
  expect(await store.frontier()).toEqual(tree.frontier());
  expect(await frontierAt(store.tree, 750)).toEqual(tree.frontier());
});

it('a log without a stored block root is refused', async () => {
  const { store, file } = await openLog();
  await store.append(
    's',
    Array.from({ length: 300 }, () => said()),
    noStream,
  );
  await store.close();
  new Database(file).exec('delete from blocks').close();
  await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow('a stored block root is missing');
});
