/** The watch over the embedded log of a running service: read-back, the check of the whole log, and seals. */
import { readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readLogId } from '../../src/eventstore/log-id.js';
import { AlteredLogError } from '../../src/eventstore/log-source.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { watchLog } from '../../src/integrity/embedded.js';
import { publicKeyOf } from '../../src/integrity/seal.js';
import { findSeals } from '../../src/integrity/seal-store.js';
import { createSealer } from '../../src/integrity/sealer.js';
import { checkStart } from '../../src/integrity/start-check.js';
import { Database } from '../../src/sqlite/database.js';
import { exampleEvent, newFolder, serviceInitialised } from '../support/integrity-log.js';
import { restoredKey, sealKey } from '../support/memory-log.js';

const every = 3_600_000;
type Pace = NonNullable<Parameters<typeof watchLog>[0]['pace']>;

interface Options {
  readonly folder?: string;
  readonly pace?: Pace;
  /** Events that the log has before the service starts. */
  readonly events?: number;
  /** Called with the file after these events were written. */
  readonly alter?: (db: Database) => void;
}

const eventsFor = (count: number) => Array.from({ length: count }, (_, at) => exampleEvent(at));

async function writeBefore(file: string, events: number): Promise<void> {
  const store = await openSqliteEventStore({ file, clock: Date.now });
  await store.append('service', [serviceInitialised()], { expectedRevision: 'no_stream' });
  while (store.count() < events)
    await store.append(`before-${store.count()}`, eventsFor(Math.min(500, events - store.count())), {
      expectedRevision: 'no_stream',
    });
  await store.close();
}

function changeFile(file: string, action: (db: Database) => void): void {
  const db = new Database(file);
  action(db);
  db.close();
}

/** Opens the log, which gets its first event if it is new. Returns its id, too. */
async function openNamed(file: string) {
  const store = await openSqliteEventStore({ file, clock: Date.now });
  onTestFinished(() => store.close());
  if (store.count() === 0) await store.append('service', [serviceInitialised()], { expectedRevision: 'no_stream' });
  return { store, logId: (await readLogId(store)) ?? '' };
}

/** Starts what a service starts for its log, without the service. */
async function watched({ folder = newFolder(), pace, events = 0, alter }: Options = {}) {
  const file = path.join(folder, 'events.db');
  if (events > 0) await writeBefore(file, events);
  if (alter !== undefined) changeFile(file, alter);
  const { store, logId } = await openNamed(file);
  const time = { wall: Date.UTC(2026, 0, 1), monotonic: 5 };
  const clocks = { clock: () => time.wall, monotonic: () => time.monotonic };
  const lines: string[] = [];
  const note = (facts: unknown, message = String(facts)) => void lines.push(message);
  const logger = { info: note, warn: note, error: note } as never;
  const places = { dataDir: folder, copies: undefined };
  const common = { log: store, tree: store.tree, logId, restoredKey };
  const found = await findSeals(places);
  const known = await checkStart({ ...common, found, keys: new Set([publicKeyOf(sealKey)]), pending: undefined });
  const sealer = createSealer({ ...common, ...clocks, places, every, key: sealKey, known, logger });
  if (known.isClean) await sealer.seal(store.opened);
  const watch = watchLog({
    ...{ file, store, sealer, every, isClean: known.isClean, restoredKey, logger },
    ...{ ...clocks, ...(pace && { pace }) },
  });
  const wake = vi.fn<() => void>();
  watch.subscriber.attach?.({ wake, status: () => ({ running: 0, canLook: true }) });
  const { signal } = new AbortController();
  return {
    ...{ store, sealer, watch, time, lines, file, folder, wake },
    change: (action: (db: Database) => void) => changeFile(file, action),
    /** Appends so many events to a stream of their own. */
    append: (count: number) =>
      store.append(`stream-${store.count()}`, eventsFor(count), { expectedRevision: 'no_stream' }),
    /** Lets the subscriber take a turn. */
    turn: () => watch.subscriber.handle('turn', signal, signal),
    isDue: async () => (await watch.subscriber.due(1)).work.length > 0,
    readBack: () => watch.readNow(signal),
    stop: async () => {
      await watch.close();
      await store.close();
    },
    seals: () => readdirSync(path.join(folder, 'seals')).length,
  };
}

/** Waits for the check of the whole log that `start` has begun. */
const checked = ({ watch }: Awaited<ReturnType<typeof watched>>): Promise<void> =>
  vi.waitFor(() => expect(watch.readBack().at).toBeDefined(), { interval: 2, timeout: 20_000 });

describe('the read-back', () => {
  test('the read-back comes each minute, and a seal with it when it is due', async () => {
    const { append, turn, isDue, time, sealer, watch } = await watched();
    expect(await isDue()).toBe(true);
    await append(300);
    await turn();
    expect(watch.readBack()).toMatchObject({ count: 0, fault: undefined });
    expect(sealer.newest()).toBeUndefined();
    time.monotonic += 59_999;
    expect(await isDue()).toBe(false);
    time.monotonic += 1;
    expect(await isDue()).toBe(true);
    time.monotonic += every;
    await turn();
    expect(sealer.newest()).toMatchObject({ count: 301, seq: 1, final: false });
  });

  test('the read-back covers what was committed when it began, and the next one reads on from there', async () => {
    const { append, readBack } = await watched();
    await append(10);
    expect((await readBack())?.count).toBe(11);
    await append(500);
    expect((await readBack())?.count).toBe(511);
  });

  test('the read-back that is asked for while another one runs covers what was appended since', async () => {
    const { append, readBack } = await watched();
    for (let appended = 0; appended < 3_500; appended += 500) await append(500);
    const first = readBack();
    await append(5);
    const [one, other] = await Promise.all([readBack(), readBack()]);
    expect((await first)?.count).toBe(3_501);
    expect(one?.count).toBe(3_506);
    expect(other).toBe(one);
  });

  test('the read-back in the background speeds up when a proof or the stop waits for it', async () => {
    // So small that the pause after the first page lasts for minutes.
    const pace = { backgroundShare: 1e-6 };
    const { append, turn, watch, stop, sealer } = await watched({ pace });
    await append(500);
    const first = turn();
    await append(5);
    expect(await watch.seals.sealNow()).toMatchObject({ count: 506, final: false });
    await first;
    await append(500);
    const second = turn();
    await append(5);
    await stop();
    await second;
    expect(sealer.newest()).toMatchObject({ count: 1_011, final: true });
  });

  test('the read-back comes at once after many events, and not before', async () => {
    const { append, turn, isDue, wake } = await watched({ pace: { readBackEvents: 50 } });
    await turn();
    await append(49);
    expect(wake).not.toHaveBeenCalled();
    expect(await isDue()).toBe(false);
    await append(1);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(await isDue()).toBe(true);
    await turn();
    await append(49);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test('the read-back that finds an event altered refuses appends, and names the block', async () => {
    const { append, turn, change, store, watch, sealer, time } = await watched();
    await append(600);
    change((db) => db.exec(`update events set type = 'Forged' where position = 300`));
    time.monotonic += every;
    const message =
      /^the event log was altered: block 1 differs: the difference is at or after event 257, up to event 512$/;
    await expect(turn()).rejects.toThrow(AlteredLogError);
    await expect(turn()).rejects.toThrow(message);
    await expect(append(1)).rejects.toThrow(message);
    expect(store.altered()).toMatch(message);
    expect(watch.readBack().fault).toMatch(message);
    expect(sealer.newest()).toBeUndefined();
    await expect(watch.close(), 'no last seal').rejects.toThrow(AlteredLogError);
    expect(sealer.newest()).toBeUndefined();
  });

  test('the read-back finds an event that another program has appended', async () => {
    const { append, turn, change, store } = await watched();
    await append(5);
    change((db) =>
      db.exec(
        `insert into events select 7, stream_id, 5, 'forged', type, data, metadata_id from events where position = 6`,
      ),
    );
    await expect(turn()).rejects.toThrow('the log ends with event 7, but this service has appended 6 events');
    await expect(append(1)).rejects.toThrow('another program has written to it');
    expect(store.isWritable()).toBe(false);
  });

  test('the read-back that cannot read the file refuses nothing, and succeeds later', async () => {
    const { append, turn, file, watch } = await watched();
    watch.start();
    await append(10);
    renameSync(file, `${file}.away`);
    await expect(turn()).rejects.toThrow('there is no event log');
    expect(watch.readBack().fault).toMatch('there is no event log');
    renameSync(`${file}.away`, file);
    await append(1);
    await turn();
    expect(watch.readBack().fault).toBeUndefined();
  });
});

describe('the check of the whole log', () => {
  test('the check of the whole log comes before the first seal if the service was not stopped in order', async () => {
    const started = await watched({ events: 300 });
    const { turn, time, sealer, isDue, watch, wake, readBack } = started;
    time.monotonic += every;
    await turn();
    expect(await readBack()).toBeUndefined();
    expect(sealer.newest()).toBeUndefined();
    expect(await isDue()).toBe(false);
    watch.start();
    await checked(started);
    expect(wake, 'a seal may have waited').toHaveBeenCalled();
    expect(await isDue()).toBe(true);
    await turn();
    expect(sealer.newest()).toMatchObject({ count: 300 });
    expect(watch.readBack()).toEqual({ count: 300, at: time.wall, fault: undefined });
  });

  test('the check of the whole log is not needed for a seal after an orderly stop', async () => {
    const first = await watched({ events: 20 });
    first.watch.start();
    await checked(first);
    await first.stop();
    const { append, turn, time, sealer, watch } = await watched({ folder: first.folder });
    expect(sealer.newest()).toMatchObject({ count: 20, final: false, seq: 2 });
    await append(5);
    time.monotonic += every;
    await turn();
    expect(sealer.newest()).toMatchObject({ count: 25, seq: 3 });
    expect(watch.readBack()).toMatchObject({ count: 0, at: undefined });
  });

  test.each([300, 4_500])(
    'the check of the whole log of %i events refuses appends if it finds an event altered',
    async (events) => {
      const started = await watched({
        events,
        alter: (db) => db.exec(`update events set type = 'Forged' where position = 100`),
      });
      const { watch, store, append } = started;
      watch.start();
      await vi.waitFor(() => expect(store.altered()).toBeDefined(), { interval: 5, timeout: 20_000 });
      expect(store.altered()).toMatch(/^the event log was altered: the stored root of the block of events 1 to 256/);
      await expect(append(1)).rejects.toThrow('the event log was altered');
      expect(watch.readBack()).toMatchObject({ count: 0, fault: store.altered() });
      await expect(watch.close()).rejects.toThrow(AlteredLogError);
    },
  );

  test('the check of the whole log is repeated if the log cannot be read, and nothing is sealed until then', async () => {
    const started = await watched({ events: 20, pace: { checkAgainMs: 5 } });
    const { watch, file, lines, readBack } = started;
    renameSync(file, `${file}.away`);
    watch.start();
    await vi.waitFor(() => expect(watch.readBack().fault).toMatch('there is no event log'), { interval: 2 });
    expect(lines).toContain('the event log cannot be checked; the check is repeated');
    renameSync(`${file}.away`, file);
    await checked(started);
    expect(watch.readBack().fault).toBeUndefined();
    expect((await readBack())?.count).toBe(20);
  });

  test('the check of the whole log is repeated while the service runs, and finds events that were altered after the read-back', async () => {
    const started = await watched({ pace: { checkEveryMs: 10 } });
    const { watch, append, turn, change, store } = started;
    await append(300);
    await turn();
    watch.start();
    await checked(started);
    change((db) => db.exec(`update events set type = 'Forged' where position = 100`));
    await vi.waitFor(() => expect(store.altered()).toMatch('the stored root of the block'), { interval: 5 });
  });

  test('the check of the whole log says of each seal whether it holds', async () => {
    const first = await watched({ events: 20 });
    first.watch.start();
    await checked(first);
    for (const count of [21, 22]) {
      await first.append(1);
      await first.sealer.seal((await first.readBack()) ?? { count, nodes: [] });
    }
    await first.stop();
    const started = await watched({ folder: first.folder });
    const states = () => started.sealer.listed().map(({ state }) => state);
    expect(states().filter((state) => state === 'not_checked')).toHaveLength(2);
    started.watch.start();
    await checked(started);
    expect(states()).toEqual(['holds', 'holds', 'holds', 'holds']);
  });
});

describe('the stop', () => {
  test('the stop makes a final seal, also if no event was added', async () => {
    const { append, stop, sealer, turn, time } = await watched();
    await append(10);
    time.monotonic += every;
    await turn();
    await stop();
    expect(sealer.newest()).toMatchObject({ count: 11, seq: 2, final: true });
  });

  test('the stop reads back what was appended since', async () => {
    const { append, stop, sealer, turn } = await watched();
    await turn();
    await append(600);
    await stop();
    expect(sealer.newest()).toMatchObject({ count: 601, seq: 1, final: true });
  });

  test('the stop makes no seal if the check has not passed after a start without a final seal', async () => {
    const { stop, sealer, lines } = await watched({ events: 30 });
    await stop();
    expect(sealer.newest()).toBeUndefined();
    expect(lines).toContain('no seal was made at the stop, because the check of the whole log had not ended');
  });

  test('the stop makes no seal if the log cannot be read back in time', async () => {
    const { append, stop, sealer, lines } = await watched({ pace: { lastReadBackMs: 1 } });
    for (let appended = 0; appended < 4_500; appended += 500) await append(500);
    await stop();
    expect(sealer.newest()).toBeUndefined();
    expect(lines).toContain('no seal was made at the stop, because the log could not be read back in time');
  });

  test('the stop does not wait for a check that runs', async () => {
    const { watch, stop, sealer } = await watched({ events: 4_500 });
    watch.start();
    const begun = performance.now();
    await stop();
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(sealer.newest()).toBeUndefined();
  });
});
