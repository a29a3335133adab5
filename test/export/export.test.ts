/** Exports as files: what stands in them, byte for byte where bytes count, and what is left when they fail. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CommandFailedError } from '../../src/failures.js';
import { checksumFileOf, demandPlace, writeWhole } from '../../src/export/file.js';
import { asParquet } from '../../src/export/parquet.js';
import { tableOf, type ExportRow } from '../../src/export/source.js';
import { inOrder } from '../../src/flow/batches.js';
import { auditedLog, contactStream, second } from '../support/auditing.js';
import { exampleEvents, examples, exampleSalt, toAppend } from '../support/examples.js';
import { exported, linesOf, parquetRows, rootIn, textOf } from '../support/exporting.js';
import { anEvent, eventsIn, fill, initialised, newFolder, oddText, newLog } from '../support/migrating.js';

async function filledLog(events = 300) {
  const store = await newLog();
  return { store, events: await fill(store, events) };
}

describe('events', () => {
  test('a line each, in log order, data and metadata byte for byte', async () => {
    const { store, events } = await filledLog();
    const { file, records } = await exported(store, { what: 'events' });
    expect(records).toBe(events.length);
    const expected = events.map((event, index) => {
      const { position, stream, revision, id, type, data, metadata } = event;
      return `{"ordinal":${index + 1},"position":"${position}","stream":"${stream}","revision":${revision},"event_id":"${id}","type":"${type}","data":${data},"metadata":${metadata}}\n`;
    });
    expect(textOf(file)).toBe(expected.join(''));
    expect(textOf(file)).toContain(oddText);
  });

  test.each(['ndjson', 'csv'] as const)(
    'an export of the whole log as %s names the root of its tree',
    async (format) => {
      const { store, events } = await filledLog();
      const { tree } = await exported(store, { what: 'events', format });
      expect(tree).toEqual({ count: events.length, root: await rootIn(store) });
    },
  );

  test('an export of a part of the log, or of something else than events, names no root', async () => {
    const { store } = await filledLog(20);
    expect((await exported(store, { what: 'events', time: '2100-01-01T00:00:00.000Z' })).tree).toBeNull();
    expect((await exported(store, { what: 'lists' })).tree).toBeNull();
  });

  test('as CSV and as Parquet, with what the metadata say', async () => {
    const { store } = await filledLog(50);
    await store.append('odd', [anEvent('{"=1+1":"a,\\"b\\""}')], { expectedRevision: 'no_stream' });
    const csv = textOf((await exported(store, { what: 'events', format: 'csv' })).file).split('\r\n');
    expect(csv[0]).toBe(
      'ordinal,position,stream,revision,event_id,type,at,actor,request_id,correlation_id,causation_id,schema,data,metadata',
    );
    expect(csv.at(-2)).toContain(',odd,0,');
    expect(csv.at(-2)).toContain(',2024-05-06T07:08:09.010Z,test,r,c,c,1,"{""=1+1"":""a,\\""b\\""""}",');
    const rows = await parquetRows((await exported(store, { what: 'events', format: 'parquet' })).file);
    const events = await eventsIn(store);
    expect(rows.map(({ data, ordinal }) => [ordinal, data])).toEqual(
      events.map(({ data }, index) => [BigInt(index + 1), data]),
    );
    expect(rows.at(-1)).toMatchObject({ stream: 'odd', revision: 0n, schema: 1n, actor: 'test' });
    expect(rows.at(-1)?.['at']).toEqual(new Date('2024-05-06T07:08:09.010Z'));
  });

  test('cut at a time: ordinals stay those of the whole log, and the last line says that it is none', async () => {
    const { store, at, append } = await auditedLog();
    await append('service', exampleEvents.serviceInitialised, { at: second(0) });
    await at(5, exampleEvents.listCreated);
    await at(1, exampleEvents.contactCreated);
    await at(6, exampleEvents.subscribed);
    const lines = linesOf((await exported(store, { what: 'events', time: second(5) })).file);
    expect(lines.map(({ ordinal, type }) => [ordinal, type])).toEqual([
      [1, 'ServiceInitialised'],
      [2, 'ListCreated'],
      [3, 'ContactCreated'],
      [undefined, undefined],
    ]);
    expect(lines.at(-1)).toEqual({ cut_at: second(5), events: 3 });
    const earlier = linesOf((await exported(store, { what: 'events', time: second(4) })).file);
    expect(earlier.map(({ ordinal }) => ordinal)).toEqual([1, 3, undefined]);
  });

  test('what no line can hold is refused by its place, and nothing of it is shown', async () => {
    const store = await newLog();
    await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
    await store.append('odd', [anEvent()], { expectedRevision: 'no_stream' });
    const altered: typeof store = {
      ...store,
      async *readEvents(options) {
        for await (const batch of store.readEvents(options))
          yield batch.map((event) => (event.stream === 'odd' ? { ...event, data: '{\n"secret":1}' } : event));
      },
    };
    const failure = exported(altered, { what: 'events' });
    await expect(failure).rejects.toThrow(/^Noted \(revision 0 of odd, id .*no line of NDJSON/);
    await expect(failure).rejects.not.toThrow('secret');
    expect((await exported(altered, { what: 'events', format: 'csv' })).records).toBe(2);
  });

  test('an empty log is nothing to export', async () => {
    const store = await newLog();
    await expect(exported(store, { what: 'events' })).rejects.toThrow('the log holds no events');
  });
});

describe('contacts and lists', () => {
  async function life() {
    const log = await auditedLog();
    const { listCreated, otherListCreated, tagCreated, contactCreated, subscribed, unsubscribed } = exampleEvents;
    await log.append('service', exampleEvents.serviceInitialised, { at: second(0) });
    await log.at(1, listCreated, otherListCreated, tagCreated, contactCreated);
    await log.at(2, subscribed, exampleEvents.tagsAttached);
    await log.at(4, unsubscribed);
    await log.at(6, exampleEvents.tagDeleted);
    await log.at(8, exampleEvents.listDeleted);
    return log.store;
  }

  test('a contact with its lists, as they were', async () => {
    const store = await life();
    const at = async (number: number) =>
      linesOf((await exported(store, { what: 'contacts', time: second(number) })).file);
    const { list, contact_id, tag } = examples;
    expect(await at(0)).toEqual([]);
    expect((await at(1))[0]).toMatchObject({ contact_id, email: 'Ada@example.com', city: 'London', subscriptions: [] });
    expect((await at(3))[0]?.['subscriptions']).toEqual([
      { ...list, status: 'Subscribed', since: second(2), tags: [tag] },
    ]);
    expect((await at(5))[0]?.['subscriptions']).toEqual([
      { ...list, status: 'Unsubscribed', since: second(4), tags: [tag] },
    ]);
    expect((await at(7))[0]?.['subscriptions']).toMatchObject([{ tags: [] }]);
    expect((await at(8))[0]?.['subscriptions']).toEqual([]);
  });

  test('a row for each contact and list; without a list one row with empty cells', async () => {
    const store = await life();
    const csv = async (number: number) =>
      textOf((await exported(store, { what: 'contacts', format: 'csv', time: second(number) })).file).split('\r\n');
    expect(await csv(3)).toEqual([
      'contact_id,email,firstName,lastName,phone,dateOfBirth,address,city,state,country,zipcode,created_at,list_id,list_name,status,since,tags',
      `con_01,Ada@example.com,Ada,,,,,London,,,,${second(1)},lst_01,Newsletter,Subscribed,${second(2)},"[""VIP""]"`,
      '',
    ]);
    expect((await csv(8))[1]).toBe(`con_01,Ada@example.com,Ada,,,,,London,,,,${second(1)},,,,,`);
    const born = { salt: exampleSalt, dateOfBirth: '1815-12-10' };
    const into = (list: object) => ({ ...exampleEvents.subscribed.data, ...list });
    const more = [
      { ...exampleEvents.profileChanged, data: { contact_id: 'con_01', person: born } },
      { ...exampleEvents.subscribed, data: into(examples.otherList) },
      { ...exampleEvents.subscribed, data: into({ list_id: 'lst_09', list_name: 'Nine' }) },
    ].map((event) => toAppend(event, { at: second(20) }));
    await store.append(examples.contactStream, more, { expectedRevision: 'stream_exists' });
    const { file, records, rows } = await exported(store, { what: 'contacts', format: 'parquet', time: second(20) });
    expect({ records, rows }).toEqual({ records: 1, rows: 2 });
    const [row] = await parquetRows(file);
    expect(row).toMatchObject({ ...examples.otherList, lastName: null, since: new Date(second(20)), tags: '[]' });
    expect(row).toMatchObject({ dateOfBirth: new Date('1815-12-10') });
  });

  test('lists with their members by status; a deleted one has none', async () => {
    const store = await life();
    const at = async (number: number) => linesOf((await exported(store, { what: 'lists', time: second(number) })).file);
    const newsletter = { ...examples.list, created_at: second(1), state: 'living', deleted_at: null };
    const offers = { ...newsletter, ...examples.otherList, subscribed: 0, unsubscribed: 0 };
    expect(await at(0)).toEqual([]);
    expect(await at(3)).toEqual([{ ...newsletter, subscribed: 1, unsubscribed: 0 }, offers]);
    expect(await at(5)).toEqual([{ ...newsletter, subscribed: 0, unsubscribed: 1 }, offers]);
    const deleted = { ...newsletter, state: 'deleted', deleted_at: second(8), subscribed: 0, unsubscribed: 0 };
    expect(await at(9)).toEqual([deleted, offers]);
  });

  test('an event that cannot be read, or of an unknown type, is told, and all others count', async () => {
    const log = await auditedLog();
    const { serviceInitialised, listCreated, contactCreated, subscribed, unsubscribed } = exampleEvents;
    await log.append('service', serviceInitialised, { at: second(0) });
    await log.at(1, listCreated, contactCreated);
    await log.appendRaw(contactStream, { ...toAppend(subscribed, { at: second(2) }), data: '{}' });
    await log.appendRaw(contactStream, { ...toAppend(subscribed, { at: second(3) }), type: 'ContactMerged' });
    await log.at(4, unsubscribed);
    const { contact_id } = examples;
    for (const what of ['contacts', 'lists'] as const)
      for (const [number, missed] of [
        [1, []],
        [2, ['ContactSubscribed']],
        [4, ['ContactSubscribed', 'ContactMerged']],
      ] as const) {
        const { unreadable } = await exported(log.store, { what, time: second(number) });
        expect(unreadable).toMatchObject({ count: missed.length, events: missed.map((type) => ({ type })) });
      }
    expect(linesOf((await exported(log.store, { what: 'contacts' })).file)).toMatchObject([
      { contact_id, subscriptions: [{ status: 'Unsubscribed' }] },
    ]);
    expect(linesOf((await exported(log.store, { what: 'lists' })).file)).toMatchObject([
      { subscribed: 0, unsubscribed: 1 },
    ]);
  });

  test('growth by day, numbers with their sign', async () => {
    const store = await life();
    const csv = textOf((await exported(store, { what: 'growth', format: 'csv', time: second(5) })).file);
    expect(csv.split('\r\n').slice(0, 2)).toEqual([
      'list_id,list_name,day,joined,unsubscribed,resubscribed,erased,left_with_list,net,total',
      'lst_01,Newsletter,2026-03-01,1,1,0,0,0,0,0',
    ]);
    const rows = await parquetRows((await exported(store, { what: 'growth', format: 'parquet' })).file);
    expect(rows[0]).toMatchObject({ day: new Date('2026-03-01T00:00:00Z'), joined: 1n, total: 0n });
  });
});

describe('the file', () => {
  test('is for its owner only, with the SHA-256 that the report tells beside it', async () => {
    const { store } = await filledLog(100);
    const { file, sha256, bytes } = await exported(store, { what: 'events' });
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(sha256);
    expect(bytes).toBe(statSync(file).size);
    expect(textOf(checksumFileOf(file))).toBe(`${sha256}  events.ndjson\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.dirname(file)).sort()).toEqual(['events.ndjson', 'events.ndjson.sha256']);
  });

  test('that is there already is kept, unless it is given up', () => {
    const file = path.join(newFolder(), 'kept');
    demandPlace(file, false);
    writeFileSync(file, 'old');
    expect(() => demandPlace(file, false)).toThrow('is there already');
    demandPlace(file, true);
    expect(() => demandPlace(path.join(file, 'no', 'x'), false)).toThrow('there is no folder');
  });

  test('a folder that cannot be written to is named, and not the draft in it', async () => {
    const folder = path.join(newFolder(), 'no-folder');
    writeFileSync(folder, '');
    async function* pieces() {
      yield await Promise.resolve('text');
    }
    await expect(writeWhole(path.join(folder, 'x'), pieces())).rejects.toThrow(
      new CommandFailedError(`${folder} cannot be written to (ENOTDIR)`, { type: 'unwritable' }),
    );
  });

  test('stands under its name whole or not at all', async () => {
    const folder = newFolder();
    const file = path.join(folder, 'half');
    async function* pieces() {
      yield 'one half';
      await Promise.reject(new Error('the log is away'));
    }
    await expect(writeWhole(file, pieces())).rejects.toThrow('the log is away');
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(file, 'old');
    await expect(writeWhole(file, pieces())).rejects.toThrow('the log is away');
    expect(textOf(file)).toBe('old');
    expect(existsSync(checksumFileOf(file))).toBe(false);
  });

  test('an export that is stopped leaves nothing', async () => {
    const { store } = await filledLog(2_000);
    const folder = newFolder();
    const abort = new AbortController();
    const stopping = {
      ...store,
      async *readEvents(options?: Parameters<typeof store.readEvents>[0]) {
        for await (const batch of store.readEvents(options)) {
          yield batch;
          abort.abort(new Error('stopped'));
        }
      },
    };
    const file = path.join(folder, 'events.ndjson');
    await expect(exported(stopping, { what: 'events', file }, abort.signal)).rejects.toThrow('stopped');
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('Parquet goes out row group by row group, and every value comes back', async () => {
  const columns = { text: 'text', number: 'integer', time: 'time', day: 'day' } as const;
  const rows: ExportRow[] = Array.from({ length: 25_000 }, (_, n) => [
    n % 7 === 0 ? null : `é 😀 ${n}`,
    n % 5 === 0 ? null : n - 12_000,
    n % 3 === 0 ? null : new Date(n * 1e9).toISOString(),
    n % 2 === 0 ? null : new Date(n * 86_400_000).toISOString().slice(0, 10),
  ]);
  async function* given() {
    yield* rows;
  }
  const file = path.join(newFolder(), 'p');
  const sizes: number[] = [];
  async function* pieces() {
    for await (const piece of asParquet(tableOf(columns, given))) {
      sizes.push(piece.length);
      yield piece;
    }
  }
  await writeWhole(file, pieces());
  expect(sizes.length).toBe(3);
  const back = await parquetRows(file);
  const wanted = rows.map(([text, number, time, day]) => ({
    text,
    number: number === null || number === undefined ? null : BigInt(number),
    time: time === null ? null : new Date(String(time)),
    day: day === null ? null : new Date(String(day)),
  }));
  expect(back).toEqual(wanted);
});

test('what is done at once comes out in order, and a failure where its turn comes', async () => {
  const releases: (() => void)[] = [];
  async function* items() {
    yield* [1, 2, 3, 4];
  }
  const make = async (item: number) => {
    await new Promise<void>((resolve) => releases.push(resolve));
    if (item === 3) throw new Error('three');
    return item;
  };
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of inOrder(items(), 3, make)) seen.push(item);
  })();
  reading.catch(() => undefined);
  await expect.poll(() => releases.length).toBe(3);
  releases[2]?.();
  releases[1]?.();
  releases[0]?.();
  await expect.poll(() => releases.length).toBe(4);
  await expect(reading).rejects.toThrow('three');
  expect(seen).toEqual([1, 2]);
});
