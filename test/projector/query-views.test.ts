/** The readers of queries read only opened views. A query waits once, for earlier writes, and not for long. */
import { expect, test, vi } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import { contacts } from '../../src/projections/contacts.js';
import { lists, tags } from '../../src/projections/catalogues.js';
import { listGrowth } from '../../src/projections/list-growth.js';
import { memberships } from '../../src/projections/memberships.js';
import { liveProjections } from '../../src/projections/views.js';
import { createQueryViews, type StreamOfView } from '../../src/projector/query-views.js';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';
import type { ReadModelReader } from '../../src/readmodels/read-models.js';
import { exampleEvents as e, examplePosition, recorded } from '../support/examples.js';

function setUp() {
  let time = 0;
  const ownWrites = createOwnWrites({ projections: liveProjections, head: '', now: () => time });
  const reader = {
    get: vi.fn(async () => undefined),
    getMany: vi.fn(async () => new Map()),
    getEach: vi.fn(async () => []),
    find: vi.fn(async () => ({ documents: [] })),
    search: vi.fn(async () => []),
  } as unknown as ReadModelReader;
  const parked: StreamOfView[] = [];
  const views = createQueryViews({ reader, ownWrites, parked: () => parked, now: () => time });
  return {
    ...{ views, reader, ownWrites, parked },
    pass: (milliseconds: number) => (time += milliseconds),
    write(position: number, stream: string, event: DomainEvent): void {
      const [one] = recorded(stream, [event]);
      if (one === undefined) return;
      const { id, metadata } = one;
      const encoded = { id, type: event.type, data: '', metadata: '' };
      const events = [{ id, event, metadata, encoded }];
      ownWrites.record({ stream, events, revision: 0n, position: examplePosition(position) });
    },
  };
}

/** Returns whether the read waits for the views. */
async function waits(own: ReturnType<typeof setUp>['ownWrites'], read: Promise<unknown>): Promise<boolean> {
  const outcome = await Promise.race([read, new Promise((resolve) => setImmediate(() => resolve('waits')))]);
  return outcome === 'waits' && own.isAwaited();
}

test('a query cannot read a view that it has not opened', () => {
  const { views, reader } = setUp();
  expect(() => views.open([lists]).get(tags, 'tag_01')).toThrow('reads the view tags, which it has not opened');
  expect(reader.get).not.toHaveBeenCalled();
});

test('each kind of read waits for the writes to what it reads, and not for others', async () => {
  const { views, write, ownWrites } = setUp();
  write(5, 'contact-1', e.subscribed);
  const open = () => views.open([contacts, memberships, listGrowth]);
  const page = { limit: 1 };
  const here = [
    open().get(contacts, 'con_01'),
    open().getMany(contacts, ['con_02', 'con_01']),
    open().getEach([{ view: contacts, ids: ['con_01'] }]),
    open().find(contacts, page),
    open().find(memberships, { ...page, idPrefix: 'lst_01/' }),
    open().find(listGrowth, { ...page, idPrefix: 'lst_99/' }),
    open().findInStream(contacts, 'contact-1', page),
    open().search(contacts, { ...page, field: 'terms', prefix: 'a' }),
    Promise.resolve(open().settle(contacts)),
  ];
  for (const [index, read] of here.entries()) expect(await waits(ownWrites, read), `${index}`).toBe(true);
  const elsewhere = [
    open().get(contacts, 'con_02'),
    open().getMany(contacts, ['con_02']),
    open().getEach([{ view: contacts, ids: ['con_02'] }]),
    open().find(memberships, { ...page, idPrefix: 'lst_02/' }),
    open().findInStream(contacts, 'contact-2', page),
  ];
  for (const [index, read] of elsewhere.entries()) expect(await waits(ownWrites, read), `${index}`).toBe(false);
  ownWrites.advance(examplePosition(5));
  await Promise.all(here);
});

test('a query waits only once while writes keep coming', async () => {
  const { views, write, ownWrites } = setUp();
  write(5, 'contact-1', e.subscribed);
  const reader = views.open([listGrowth]);
  write(6, 'contact-1', e.unsubscribed);
  const first = reader.get(listGrowth, 'list/lst_01');
  expect(await waits(ownWrites, first)).toBe(true);
  ownWrites.advance(examplePosition(5));
  await first;
  for (let position = 7; position < 10; position += 1) {
    write(position, 'contact-1', e.subscribed);
    expect(await waits(ownWrites, reader.get(listGrowth, 'list/lst_01'))).toBe(false);
  }
  expect(await waits(ownWrites, views.open([listGrowth]).get(listGrowth, 'list/lst_01'))).toBe(true);
  ownWrites.advance(examplePosition(9));
});

test('all reads of a query together wait for two seconds at most', async () => {
  vi.useFakeTimers();
  try {
    const { views, write, ownWrites, pass } = setUp();
    write(5, 'contact-1', e.subscribed);
    write(6, 'lists', e.listCreated);
    const reader = views.open([contacts, lists]);
    const first = reader.get(contacts, 'con_01');
    pass(1_900);
    await vi.advanceTimersByTimeAsync(1_900);
    ownWrites.advance(examplePosition(5));
    await first;
    const second = expect(reader.get(lists, 'lst_01')).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
    await vi.advanceTimersByTimeAsync(100);
    await second;
  } finally {
    vi.useRealTimers();
  }
});

test('a parked catalogue refuses all reads of a query, and any other parked stream makes the answer incomplete', async () => {
  const { views, parked } = setUp();
  parked.push({ view: 'contacts', stream: 'contact-1' });
  const reader = views.open([contacts, lists]);
  await reader.get(contacts, 'con_01');
  expect(reader.isIncomplete()).toBe(true);
  expect(views.open([lists]).isIncomplete()).toBe(false);
  expect(() => reader.refuseParked(contacts, 'contact-2')).not.toThrow();
  const refusal = expect.objectContaining({ code: 'unavailable', retryAfter: 60 });
  expect(() => reader.refuseParked(contacts, 'contact-1')).toThrow(refusal);
  expect(() => reader.refuseIncomplete()).toThrow(refusal);
  parked.push({ view: 'lists', stream: 'lists' });
  expect(() => reader.get(contacts, 'con_01')).toThrow(refusal);
  await views.openAsStored(lists).get(lists, 'lst_01');
});
