/** Exported events come back as the same log: round trips of random logs, runs that are stopped, and files that are not whole. */
import fc from 'fast-check';
import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSeal, type Seal } from '../../src/integrity/seal.js';
import { checksumFileOf } from '../../src/export/file.js';
import { linesOf as linesFrom } from '../../src/copy/file.js';
import type { Progress } from '../../src/flow/progress.js';
import { runImport } from '../../src/copy/import.js';
import { AppendInDoubtError, StoreUnavailableError, type EventStore } from '../../src/eventstore/event-store.js';
import { usually } from '../support/amount.js';
import { exampleMetadata } from '../support/examples.js';
import { exported, imported, rootIn, textOf } from '../support/exporting.js';
import {
  addressOf,
  eventsFileOf,
  anEvent,
  copyLog,
  eventsIn,
  eventsInFolder,
  fill,
  initialised,
  kept,
  logId,
  newFolder,
  openFolder,
  quickly,
  randomFrom,
  newLog,
} from '../support/migrating.js';

async function filledLog(events: number, seed = 7): Promise<EventStore> {
  const store = await newLog();
  await fill(store, events, randomFrom(seed));
  return store;
}

/** A file without a checksum beside it, for it will be changed. */
async function looseExport(events = 60): Promise<string> {
  const { file } = await exported(await filledLog(events), { what: 'events' });
  rmSync(checksumFileOf(file));
  return file;
}

const inNewFolder = (): string => path.join(newFolder(), 'imported');

describe('a round trip', () => {
  test('keeps order, ids, texts and the root', async () => {
    const store = await filledLog(usually(300, 800));
    const first = await exported(store, { what: 'events' });
    const folder = inNewFolder();
    const result = await imported(first.file, folder);
    expect(result).toMatchObject({ alreadyThere: 0, copied: first.events, hasChecksum: true });
    const copy = await openFolder(folder);
    onTestFinished(() => copy.close());
    expect(kept(await eventsIn(copy))).toEqual(kept(await eventsIn(store)));
    expect(result.root).toBe(await rootIn(store));
    expect(result.root).toBe(await rootIn(copy));
    const second = await exported(copy, { what: 'events' });
    expect(second.sha256).toBe(first.sha256);
  });

  test('any text that a log can hold', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => !one.includes('\0') && one !== '');
    const event = fc.record({
      stream: fc.constantFrom('a', 'b', 'contact-1'),
      type: text,
      data: fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }),
      actor: text,
    });
    const property = fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 30 }), async (given) => {
      const store = await newLog();
      await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
      for (const [index, { stream, type, data, actor }] of given.entries()) {
        const id = `10000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
        const metadata = JSON.stringify({ ...exampleMetadata, actor });
        const wellFormed = JSON.stringify(data).replaceAll('\\u0000', '');
        await store.append(stream, [{ id, type, data: wellFormed, metadata }], { expectedRevision: 'any' });
      }
      const { file } = await exported(store, { what: 'events' });
      const folder = inNewFolder();
      await imported(file, folder);
      expect(kept(await eventsInFolder(folder))).toEqual(kept(await eventsIn(store)));
    });
    await fc.assert(property, { numRuns: usually(2, 12) });
  });

  test('again finds everything there; a dry run counts and writes nothing', async () => {
    const { file, events } = await exported(await filledLog(200), { what: 'events' });
    const folder = inNewFolder();
    const dry = { file, to: addressOf(folder), isDryRun: true } as const;
    expect(await runImport(dry, quickly())).toMatchObject({ alreadyThere: 0, copied: events });
    expect(existsSync(folder)).toBe(false);
    await imported(file, folder);
    expect(await imported(file, folder)).toMatchObject({ alreadyThere: events, copied: 0 });
    expect(await runImport(dry, quickly())).toMatchObject({ alreadyThere: events, copied: 0 });
  });
});

test.each(usually([1], [1, 2, 3]))(
  'an import that is stopped goes on where it was, as often as it takes (seed %i)',
  async (seed) => {
    const store = await filledLog(800, seed);
    const { file } = await exported(store, { what: 'events' });
    const folder = inNewFolder();
    const random = randomFrom(seed);
    let isWhole = false;
    for (let run = 0; !isWhole && run < 40; run += 1) {
      const abort = new AbortController();
      const limit = random() * 320 * (run + 1);
      const report = ({ phase, done }: Progress): void => {
        if (phase === 'copying' && done > limit) abort.abort(new Error('stopped'));
      };
      isWhole = await imported(file, folder, { signal: abort.signal, report }).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ message: 'stopped' });
          return false;
        },
      );
    }
    expect(isWhole).toBe(true);
    expect(kept(await eventsInFolder(folder))).toEqual(kept(await eventsIn(store)));
  },
);

describe('what is no whole export is refused by the number of its line, and nothing is written', () => {
  const note = `{"ordinal":1,"position":"1","stream":"a","revision":0,"event_id":"${logId}","type":"Noted","data":{},"metadata":{}}`;
  const wrongs: readonly (readonly [string, (lines: string[]) => void, RegExp])[] = [
    ['half a line', (lines) => lines.splice(-1, 1, lines.at(-1)?.slice(0, 40) ?? ''), /line 60 .* is no JSON object/],
    ['a missing event', (lines) => lines.splice(30, 1), /line 31 .* has the ordinal 32/],
    ['two events swapped', (lines) => lines.splice(10, 2, lines[11] ?? '', lines[10] ?? ''), /line 11 .* ordinal 12/],
    ['an empty line', (lines) => lines.splice(20, 0, ''), /line 21 .* is no JSON object/],
    ['no id', (lines) => change(lines, 4, { event_id: undefined }), /line 5 .* has no event_id/],
    ['an id that is none', (lines) => change(lines, 4, { event_id: 'x' }), /event 5, .* event id must be a UUID/],
    ['a wrong revision', (lines) => change(lines, 4, { revision: -1 }), /line 5 .* revision that is no whole number/],
    ['data that is none', (lines) => change(lines, 4, { data: 'text' }), /line 5 .* data that is no JSON object/],
    ['more than an event', (lines) => change(lines, 4, { note: 1 }), /line 5 .* has a member that no event has/],
    ['NUL', (lines) => change(lines, 4, { type: 'a\0' }), /event 5, .* contains invalid characters/],
    ['spaces', (lines) => lines.splice(4, 1, lines[4]?.replace(':{', ': {') ?? ''), /line 5 .* is not canonical JSON/],
    [
      'a member twice',
      (lines) => lines.splice(4, 1, lines[4]?.replace('{"secret"', '{"secret":1,"secret"') ?? ''),
      /line 5 .* is not canonical JSON/,
    ],
    ['a cut export', (lines) => lines.push('{"cut_at":"2026-03-01T00:00:00.000Z","events":3}'), /line 61 .* was cut/],
    [
      'a hole in a stream',
      (lines) => change(lines, 59, { revision: 999 }),
      /the source has a hole: Noted \(revision 999/,
    ],
    ['another beginning', (lines) => lines.splice(0, 60, note), /does not begin as a log of this service/],
  ];

  function change(lines: string[], index: number, members: object): void {
    lines[index] = JSON.stringify({ ...(JSON.parse(lines[index] ?? '') as object), ...members });
  }

  /** Of an export of sixty events. */
  let good = '';
  beforeAll(async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'import-'));
    const store = await openFolder(folder);
    await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
    for (let n = 0; n < 59; n += 1) {
      const id = `20000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
      const event = { id, type: 'Noted', data: '{"secret":"ada@example.com"}', metadata: '{}' };
      await store.append(`s-${n % 7}`, [event], { expectedRevision: 'any' });
    }
    good = textOf((await exported(store, { what: 'events', file: path.join(folder, 'good') })).file);
    await store.close();
    rmSync(folder, { recursive: true });
  });

  test.each(wrongs)('%s', async (_, wrong, message) => {
    const file = path.join(newFolder(), 'events.ndjson');
    const lines = good.split('\n').slice(0, -1);
    wrong(lines);
    writeFileSync(file, `${lines.join('\n')}\n`);
    const folder = inNewFolder();
    const failure = imported(file, folder);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.not.toThrow('ada@example.com');
    expect(existsSync(eventsFileOf(folder))).toBe(false);
  });

  test('until it is mended', async () => {
    const file = path.join(newFolder(), 'events.ndjson');
    const folder = inNewFolder();
    writeFileSync(file, good.slice(0, -10));
    await expect(imported(file, folder)).rejects.toThrow('line 60');
    writeFileSync(file, good);
    expect((await imported(file, folder)).copied).toBe(60);
  });

  test('bytes that are no UTF-8', async () => {
    const file = await looseExport();
    appendFileSync(file, Buffer.from([0x7b, 0xff, 0x7d, 0x0a]));
    await expect(imported(file, inNewFolder())).rejects.toThrow(/line \d+ of .* is no UTF-8/);
  });

  test('a file that is not as its checksum says, such as one that was cut between two lines', async () => {
    const { file } = await exported(await filledLog(60), { what: 'events' });
    const lines = textOf(file).split('\n');
    writeFileSync(file, `${lines.slice(0, -5).join('\n')}\n`);
    await expect(imported(file, inNewFolder())).rejects.toThrow('is not as it was exported');
  });

  test('no file, and an empty one', async () => {
    const file = path.join(newFolder(), 'empty');
    await expect(imported(file, inNewFolder())).rejects.toThrow('there is no file');
    writeFileSync(file, '');
    await expect(imported(file, inNewFolder())).rejects.toThrow('holds no events');
  });

  test('a last line without its line feed is whole all the same', async () => {
    const file = await looseExport();
    writeFileSync(file, textOf(file).trimEnd());
    await expect(imported(file, inNewFolder())).resolves.toMatchObject({ hasChecksum: false });
  });
});

describe('a seal', () => {
  async function sealed() {
    const store = await filledLog(80);
    const count = (await eventsIn(store)).length;
    const state = { log_id: logId, seq: 1, restores: 0, count, root: await rootIn(store), final: false };
    const seal = createSeal(state, generateKeyPairSync('ed25519').privateKey, Date.UTC(2026, 2, 1));
    await store.append('more', [anEvent()], { expectedRevision: 'no_stream' });
    const { file } = await exported(store, { what: 'events' });
    rmSync(checksumFileOf(file));
    return { seal, file, lines: textOf(file).split('\n').slice(0, -1) };
  }

  const withSeal = (file: string, seal: Seal) =>
    runImport({ file, to: addressOf(inNewFolder()), isDryRun: false, seal }, quickly());

  test('is right for the log that it was set on, also when this has grown', async () => {
    const { seal, file, lines } = await sealed();
    expect((await withSeal(file, seal)).copied).toBe(lines.length);
  });

  test('finds a history that was altered or shortened', async () => {
    const { seal, file, lines } = await sealed();
    writeFileSync(file, lines.join('\n').replace('"actor":"test"', '"actor":"mallory"'));
    await expect(withSeal(file, seal)).rejects.toThrow(
      `line ${seal.count} of ${file} is the last line that the seal covers`,
    );
    writeFileSync(file, lines.slice(0, seal.count - 1).join('\n'));
    await expect(withSeal(file, seal)).rejects.toThrow('the file was shortened');
  });

  test('of another log refuses the file by its first line', async () => {
    const { seal, file } = await sealed();
    const other = { ...seal, log_id: 'another-log' };
    await expect(withSeal(file, other)).rejects.toThrow(/of the log another-log, .* Nothing was written\.$/);
  });
});

describe('the store', () => {
  test('that holds something else is refused and left as it is', async () => {
    const { file } = await exported(await filledLog(50), { what: 'events' });
    const folder = newFolder();
    const other = await openFolder(folder);
    await fill(other, 50);
    await other.close();
    const before = await eventsInFolder(folder);
    await expect(imported(file, folder)).rejects.toThrow(/the target holds something else; nothing was written/);
    expect(await eventsInFolder(folder)).toEqual(before);
  });

  test('that a service runs on is refused', async () => {
    const { file } = await exported(await filledLog(50), { what: 'events' });
    const folder = newFolder();
    const service = await openFolder(folder);
    onTestFinished(() => service.close());
    await expect(imported(file, folder)).rejects.toThrow(`is running on ${folder}. Stop it`);
  });
});

describe('several appends under way', () => {
  const copying = (source: EventStore, target: EventStore) =>
    copyLog({
      source,
      target,
      total: 0,
      appendsAtOnce: 64,
      ...quickly(),
    });

  test('that get no answer are asked again, and keep their order', async () => {
    const source = await filledLog(600);
    const target = await newLog();
    const random = randomFrom(5);
    const forgetful: EventStore = {
      ...target,
      async append(stream, events, options) {
        const result = await target.append(stream, events, options);
        if (random() < 0.2) throw new AppendInDoubtError('lost on the way back');
        return result;
      },
    };
    await copying(source, forgetful);
    expect(kept(await eventsIn(target))).toEqual(kept(await eventsIn(source)));
  });

  test('that lose their order end in a refusal, and never pass for a copy', async () => {
    const source = await filledLog(300);
    const target = await newLog();
    let appends = 0;
    const failing: EventStore = {
      ...target,
      async append(stream, events, options) {
        appends += 1;
        if (appends === 20) throw new StoreUnavailableError('down for a moment');
        return target.append(stream, events, options);
      },
    };
    await expect(copying(source, failing)).rejects.toThrow(/out of order. Remove what was written there/);
    await expect(copying(source, target)).rejects.toThrow('the target holds something else');
  });
});

test('lines are cut at every line feed, wherever pieces of the file end', async () => {
  const file = path.join(newFolder(), 'lines');
  const random = randomFrom(3);
  const lines = Array.from({ length: 300 }, (_, n) => `${n} ${'é'.repeat(Math.floor(random() ** 4 * 200_000))}`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const whole: string[] = [];
  const ends: number[] = [];
  for await (const { bytes, end } of linesFrom(file, 1e9)) {
    whole.push(bytes.toString('utf8'));
    ends.push(end);
  }
  expect(whole).toEqual(lines);
  expect(ends.at(-1)).toBe(statSync(file).size);
  const short = async () => {
    for await (const _ of linesFrom(file, 1_000));
  };
  await expect(short()).rejects.toThrow('more than 1000 bytes');
});
