/** Redaction of the embedded log: no byte of what was redacted is left in its files, whatever else is going on. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../../../src/sqlite/database.js';
import { expect, it, onTestFinished } from 'vitest';
import { isRedacted, withDigests } from '../../../src/eventstore/leaf.js';
import { frontierAt } from '../../../src/eventstore/tree.js';
import { StoreUnavailableError, type EventToAppend } from '../../../src/eventstore/event-store.js';
import { allEvents, openLog, openReader } from '../../support/event-log.js';

const marked = (mark: string, size: number, rest = ''): EventToAppend => ({
  id: randomUUID(),
  type: 'Said',
  data: JSON.stringify({ person: mark + 'x'.repeat(size), rest }),
  metadata: '{}',
});

/** Which of the marks are found in a file of the log. */
function found(file: string, marks: readonly string[]): string[] {
  const folder = path.dirname(file);
  const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'latin1'));
  const there = new Set(texts.flatMap((text) => text.match(/mark-[0-9a-f-]{31}/g) ?? []));
  return marks.filter((mark) => there.has(mark));
}
const streamOf = (mark: string): string => mark.slice(5);
const newMark = (): string => `mark-${randomUUID().slice(5)}`;

/** Numbers that look random, always the same ones. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

/** With these seeds SQLite would leave copies of a row behind when rows beside it grow: `secure_delete` does not see them. */
it.each([24, 58])('leaves no byte of what was redacted, of any size and in any order (%i)', async (seed) => {
  const { store, file } = await openLog();
  const number = numbers(seed);
  const events = Array.from({ length: 800 }, () => {
    const mark = newMark();
    const size = number(10) === 0 ? number(9_000) : number(5) === 0 ? number(1_500) : number(60);
    return { mark, event: marked(mark, size, 'y'.repeat(number(200))), key: 0 };
  });
  await Promise.all(
    events.map(({ mark, event }) => store.append(streamOf(mark), [event], { expectedRevision: 'no_stream' })),
  );
  const before = await allEvents(store);
  for (const one of events) one.key = number(1e6);
  const marks = events.sort((a, b) => a.key - b.key).map(({ mark }) => mark);
  await Promise.all(marks.map((mark) => store.redact(streamOf(mark), 0n)));
  expect(found(file, marks)).toEqual([]);
  expect(await allEvents(store)).toEqual(before.map((event) => ({ ...event, data: withDigests(event.data) })));
});

it('leaves none among appends and readers, on pages of any kind, and the tree stays', async () => {
  const { store, file } = await openLog();
  const reader = openReader(file);
  /** Sizes about those at which SQLite moves the rest of a row to pages of its own. */
  const sizes = [0, 300, 3_700, 3_900, 4_050, 4_100, 8_150, 9_000, 70_000];
  const gone = Array.from({ length: 40 }, newMark);
  const kept = newMark();
  for (let round = 0; round < 4; round += 1)
    await Promise.all(
      [...gone, kept].map((mark, at) =>
        store.append(streamOf(mark), [marked(mark, sizes[(at + round * 5) % sizes.length]!)], {
          expectedRevision: 'any',
        }),
      ),
    );
  for (let part = 0; part < 5; part += 1) {
    const some = gone.filter((_, index) => index % 5 === part);
    const others = [store.append('more', [marked(kept, 500)], { expectedRevision: 'any' }), allEvents(reader)];
    expect(await Promise.all(some.map((mark) => store.redact(streamOf(mark), 3n)))).toEqual(some.map(() => 4));
    await Promise.all(others);
    expect(found(file, some)).toEqual([]);
  }
  const streams = gone.map(streamOf);
  for await (const events of reader.readEvents())
    for (const event of events) expect(isRedacted(event.data)).toBe(streams.includes(event.stream));
  const { count } = await store.frontier();
  expect(await frontierAt(reader.tree, count)).toEqual(await store.frontier());
});

it('is not done as long as a reader keeps the bytes, and is done when asked again', async () => {
  const { store, file } = await openLog();
  const mark = newMark();
  await store.append('one', [marked(mark, 100)], { expectedRevision: 'no_stream' });
  const other = new Database(file, { access: 'read' });
  onTestFinished(() => void other.close());
  other.exec('begin');
  other.prepare('select count(*) from events').get();
  const asked = store.redact('one', 0n);
  // Appends go on meanwhile.
  await store.append('two', [marked('another', 10)], { expectedRevision: 'no_stream' });
  await expect(asked).rejects.toThrow(StoreUnavailableError);
  expect((await allEvents(openReader(file)))[0]?.data).not.toContain(mark);
  expect(found(file, [mark])).toEqual([mark]);
  const again = store.redact('one', 0n);
  // The writer answers in order: by then it has tried once.
  for (const stream of ['three', 'four'])
    await store.append(stream, [marked('another', 10)], { expectedRevision: 'no_stream' });
  other.exec('commit');
  expect(await again).toBe(0);
  expect(found(file, [mark])).toEqual([]);
});

it('puts no more than the room for digests into the file, and the log as people read it has none', async () => {
  const { store, file } = await openLog();
  const events = [marked('x', 90), marked('y', 1)];
  await store.append('one', events, { expectedRevision: 'no_stream' });
  await store.redact('one', 9n);
  const db = new Database(file, { access: 'read' });
  onTestFinished(() => void db.close());
  const [first, second] = await allEvents(store);
  const lengths = db.prepareValue('select length(data) from events').all();
  expect(lengths).toEqual([events[0]!.data.length, second!.data.length]);
  expect(db.prepareValue('select data from log').all()).toEqual([first!.data, second!.data]);
});
