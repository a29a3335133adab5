/** Verification of a log: each kind of difference is found at its event, and an honest log has none. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../src/eventstore/leaf.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { formatPosition } from '../../src/eventstore/sqlite/schema.js';
import { deriveRestoredKey } from '../../src/events/streams.js';
import { verifyLog, type VerifyOptions } from '../../src/integrity/verify.js';
import { usually } from '../support/amount.js';
import { exampleEvent, newFolder, serviceInitialised, tampered, verified, writeLog } from '../support/integrity-log.js';
import { createMemoryLog, logId, metadataAt, restoredKey, timeAt, type MemoryLog } from '../support/memory-log.js';

type Options = Partial<VerifyOptions> & { readonly withTree?: boolean };
const verifiedLog = (log: MemoryLog, { withTree = true, ...options }: Options = {}) =>
  verifyLog({
    source: withTree ? log.source : { readEvents: log.source.readEvents },
    restoredKey,
    ...options,
  });

function filled(count: number): MemoryLog {
  const log = createMemoryLog();
  log.fill(count);
  return log;
}

const eventAt = (log: MemoryLog, ordinal: number) => {
  const event = log.events[ordinal - 1];
  if (event === undefined) throw new RangeError(`the log has no event ${ordinal}`);
  return event;
};

/** Numbers places and positions of the events from 1, as somebody does who covers a change up. */
function renumber(log: MemoryLog): void {
  for (const [index, event] of log.events.entries()) {
    event.ordinal = index + 1;
    event.position = formatPosition(index + 1);
  }
}

describe('an honest log', () => {
  test('an honest log is intact, and is described by id, count, root and last position', async () => {
    const log = filled(600);
    expect(await verifiedLog(log)).toEqual({
      ...{ log_id: logId, count: 600, root: log.rootAt(600), position: formatPosition(600), redacted: 0 },
      ...{ restores: [], seals: [], holding: null, findings: [], intact: true, differences: [], difference: null },
    });
  });

  test('an honest log may be empty', async () => {
    const log = createMemoryLog();
    log.events.length = 0;
    expect(await verifiedLog(log)).toMatchObject({ log_id: null, count: 0, root: null, position: '', intact: true });
  });

  test('an honest log may end with a complete block, or one event before or after it', async () => {
    for (const count of [255, 256, 257, 512])
      expect(await verifiedLog(filled(count)), `${count}`).toMatchObject({ intact: true, count });
  });

  test('an honest log reports nothing, whatever streams, texts, times, restores and seals it has', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('"person":{}', '\\', '],}', ''),
    );
    const json = fc.jsonValue({ maxDepth: 2 });
    const event = fc.record({
      stream: fc.integer({ min: 1, max: 6 }),
      type: fc.constantFrom('Said', 'Done', 'Seen'),
      data: fc.dictionary(fc.oneof(fc.constantFrom('person', 'message', 'at', '__proto__'), text), json, {
        maxKeys: 5,
      }),
      wait: fc.integer({ min: 0, max: 5 }),
      more: fc.dictionary(
        text.filter((name) => name !== 'at'),
        json,
        { maxKeys: 2 },
      ),
      isFirst: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 40 }),
        fc.array(fc.nat(400), { maxLength: 4 }),
        fc.nat(300),
        async (events, places, size) => {
          const log = filled(1 + size);
          let at = 1_000;
          const sealed = [];
          for (const [index, { stream, type, data, wait, more, isFirst }] of events.entries()) {
            at += wait;
            const metadata = JSON.stringify(isFirst ? { at: timeAt(at), ...more } : { ...more, at: timeAt(at) });
            log.append(`s-${stream}`, { type, data, metadata });
            if (places.includes(index)) {
              log.recordRestore({ count: log.events.length, root: log.rootAt(log.events.length) });
              sealed.push(log.seal({ seq: sealed.length + 1 }));
            }
          }
          sealed.push(...places.map((place) => log.seal({ count: (place % log.events.length) + 1 })));
          const result = await verifiedLog(log, { seals: sealed });
          expect(result.differences).toEqual([]);
          expect(result.findings.filter(({ kind }) => kind !== 'digest')).toEqual([]);
          expect(result.seals.every(({ state }) => state === 'holds')).toBe(true);
          expect(result.count).toBe(log.events.length);
        },
      ),
      { numRuns: usually(20, 400) },
    );
  });

  test('an honest log is intact after repeated appends, refused appends and restarts of the store', async () => {
    const file = path.join(newFolder(), 'events.db');
    await writeLog(file, 20);
    for (let round = 0; round < 2; round += 1) {
      const store = await openSqliteEventStore({ file, clock: Date.now });
      const event = exampleEvent(round, 100);
      const options = { expectedRevision: 'no_stream' } as const;
      await Promise.allSettled([
        store.append(`new-${round}`, [event], options),
        store.append(`new-${round}`, [exampleEvent(1, 100)], options),
        store.append(`new-${round}`, [event], options),
        store.append(`newer-${round}`, [exampleEvent(2, 100), exampleEvent(3, 100)], options),
      ]);
      await store.close();
      expect(await verified(file)).toMatchObject({ intact: true, count: 20 + 3 * (round + 1) });
    }
  });

  test('an honest log stays intact, with the same root, when personal data are replaced by their digests, and tells how often', async () => {
    const log = filled(300);
    const root = log.rootAt(300);
    for (const ordinal of [5, 6, 280]) {
      const event = eventAt(log, ordinal);
      const { person } = JSON.parse(event.data) as { readonly person: object };
      event.data = event.data.replace(JSON.stringify(person), digestOf(JSON.stringify(person)));
    }
    const result = await verifiedLog(log);
    expect(result).toMatchObject({ intact: true, redacted: 3, root });
    expect(result.findings, 'no event says why').toMatchObject([{ kind: 'digest', position: formatPosition(280) }]);
  });

  test('an honest log is intact while it grows', async () => {
    const file = path.join(newFolder(), 'events.db');
    await writeLog(file, 700);
    const store = await openSqliteEventStore({ file, clock: Date.now });
    const reader = openSqliteEventReader({ file, pollMs: 0 });
    let appended = 0;
    const result = await verifyLog({
      source: {
        ...reader,
        async *readEvents(options) {
          for await (const events of reader.readEvents(options)) {
            yield events;
            if (appended >= 1_000) continue;
            const events100 = Array.from({ length: 100 }, (_, at) => exampleEvent(at));
            await store.append(`more-${appended}`, events100, { expectedRevision: 'no_stream' });
            appended += 100;
          }
        },
      },
    });
    expect(result).toMatchObject({ intact: true, count: 700 + appended });
    expect(appended).toBe(1_000);
    await reader.close();
    await store.close();
  });
});

describe('an event that was altered', () => {
  const alterations: [string, (event: ReturnType<typeof eventAt>) => void][] = [
    ['type', (event) => (event.type = 'Sayd')],
    ['id', (event) => (event.id = event.id.replace(/^./, (digit) => (digit === '0' ? '1' : '0')))],
    ['data', (event) => (event.data = event.data.replace('event', 'evant'))],
    ['personal data', (event) => (event.data = event.data.replace('example.com', 'example.org'))],
    ['metadata', (event) => (event.metadata = event.metadata.replace('"actor":"service"', '"actor":"nobody"'))],
    ['time, by a millisecond', (event) => (event.metadata = event.metadata.replace('.000Z', '.001Z'))],
  ];

  test.each(alterations)(
    'an event that was altered in its %s is in a block whose stored root differs',
    async (_, alter) => {
      const log = filled(600);
      alter(eventAt(log, 300));
      expect(await verifiedLog(log)).toMatchObject({
        intact: false,
        difference: {
          kind: 'block',
          ordinal: 257,
          until: 512,
          message: expect.stringContaining('257 to 512') as unknown,
        },
        differences: [{}],
      });
    },
  );

  test.each(alterations)(
    'in its %s is before the seal that covers it, also if the block roots were computed again',
    async (_, alter) => {
      const log = filled(600);
      const seals = [log.seal({ count: 250 }), log.seal({ seq: 2, count: 520 })];
      alter(eventAt(log, 300));
      log.recomputeRoots();
      const result = await verifiedLog(log, { seals });
      expect(result).toMatchObject({
        intact: false,
        difference: { kind: 'sealed', ordinal: 251, until: 520 },
        seals: [
          { state: 'holds', reason: null },
          { state: 'fails', reason: expect.stringContaining('after event 250') as unknown },
        ],
      });
      expect(result.holding).toBe(seals[0]);
    },
  );

  test('an event that was altered after the last complete block is found by no stored root, only by a seal', async () => {
    const log = filled(600);
    const seal = log.seal();
    eventAt(log, 599).type = 'Forged';
    expect(await verifiedLog(log)).toMatchObject({ intact: true });
    expect(await verifiedLog(log, { seals: [seal] })).toMatchObject({ difference: { kind: 'sealed', until: 600 } });
  });
});

describe('events that were removed, inserted or moved', () => {
  test('removed, inserted or moved events leave a gap in the numbers of the store, which is one difference of order', async () => {
    const log = filled(200);
    log.events.splice(99, 1);
    const result = await verifiedLog(log);
    expect(result.differences.map(({ kind, ordinal }) => [kind, ordinal])).toEqual([
      ['order', 100],
      ['revision', 100],
    ]);
    expect(result.difference?.message).toBe('event 100 is missing: the store has event 101 in its place');
  });

  test('removed, inserted or moved events with new numbers are at or before the first block that differs', async () => {
    const log = filled(600);
    log.events.splice(299, 1);
    renumber(log);
    const result = await verifiedLog(log);
    expect(result.differences.map(({ kind, ordinal }) => [kind, ordinal])).toEqual([
      ['revision', 300],
      ['block', 257],
    ]);
  });

  test('events before the first number are out of order', async () => {
    const log = filled(10);
    log.events.unshift({ ...eventAt(log, 2), stream: 'forged', revision: 0n, ordinal: -7 });
    expect(await verifiedLog(log)).toMatchObject({
      difference: { kind: 'order', ordinal: 1, message: 'event -7 is in the place of event 1' },
    });
  });

  test('events in another order have wrong revisions', async () => {
    const log = filled(100);
    const [one, other] = [eventAt(log, 40), eventAt(log, 41)];
    [log.events[39], log.events[40]] = [other, one];
    renumber(log);
    expect(await verifiedLog(log)).toMatchObject({ difference: { kind: 'revision', ordinal: 40 } });
  });

  test('a removed end is found by a seal of more events', async () => {
    const log = filled(300);
    const seal = log.seal();
    log.events.length = 280;
    log.recomputeRoots();
    expect(await verifiedLog(log, { seals: [seal] })).toMatchObject({
      intact: false,
      difference: { kind: 'shortened', ordinal: null, until: null },
      seals: [{ state: 'fails', reason: expect.stringContaining('ends after event 280') as unknown }],
    });
  });

  test('a removed end with its block root is found only by a seal, and a missing block root without a seal', async () => {
    const log = filled(300);
    log.roots.length = 0;
    expect(await verifiedLog(log)).toMatchObject({
      difference: { kind: 'block', ordinal: 1, until: 256, message: expect.stringContaining('is missing') as unknown },
    });
  });
});

describe('a stream', () => {
  test.each([
    ['a revision twice', 3n, 'should be revision 4'],
    ['a revision that is missing', 5n, 'should be revision 4'],
    ['a revision below zero', -1n, 'should be revision 4'],
  ])('a stream with %s differs once, at that event', async (_, revision, message) => {
    const log = createMemoryLog();
    for (let at = 0; at < 10; at += 1) log.append('s-1', { type: 'Said', data: {}, at });
    const shift = revision - 4n;
    for (const event of log.events.slice(5)) event.revision += shift;
    log.recomputeRoots();
    const { differences } = await verifiedLog(log);
    expect(differences).toMatchObject([
      {
        kind: 'revision',
        ordinal: 6,
        stream: 's-1',
        type: 'Said',
        revision: Number(revision),
        message: expect.stringContaining(message) as unknown,
      },
    ]);
  });

  test('a stream that does not begin with revision 0 differs at its first event', async () => {
    const log = filled(3);
    eventAt(log, 2).revision = 1n;
    eventAt(log, 3).revision = 2n;
    expect(await verifiedLog(log)).toMatchObject({ difference: { kind: 'revision', ordinal: 2 } });
  });

  test.each([
    ['earlier than the event before', metadataAt(4)],
    ['earlier by a millisecond', metadataAt(5).replace(':05.000', ':04.999')],
    ['earlier by a year', metadataAt(5).replace('2026-', '2025-')],
    ['not dated', '{"actor":"a"}'],
    ['dated without milliseconds', metadataAt(5).replace('.000Z', 'Z')],
    ['dated with an offset', metadataAt(5).replace('.000Z', '.000+01:00')],
    ['dated by a number', metadataAt(5).replace(/"2026[^"]*"/, '1767225605000')],
    ['dated in metadata that are no object', '[]'],
    ['dated in metadata that are cut off', metadataAt(5).slice(0, -1)],
    ['dated in metadata that end with other text', `${metadataAt(5)}}`],
  ])('a stream whose event is %s differs at that event', async (_, metadata) => {
    const log = createMemoryLog();
    log.append('s-1', { type: 'Said', data: {}, at: 5 });
    log.append('s-2', { type: 'Said', data: {}, at: 9 });
    log.append('s-1', { type: 'Said', data: {}, metadata });
    log.append('s-1', { type: 'Said', data: {}, at: 9 });
    const { differences } = await verifiedLog(log);
    expect(differences).toMatchObject([{ kind: 'time', ordinal: 4, stream: 's-1' }]);
  });

  test('a stream may have events of one time, later events in other streams, and its time behind other members', async () => {
    const log = createMemoryLog();
    log.append('s-1', { type: 'Said', data: {}, at: 5 });
    log.append('s-2', { type: 'Said', data: {}, at: 4 });
    log.append('s-1', { type: 'Said', data: {}, at: 5 });
    log.append('s-1', { type: 'Said', data: {}, metadata: ` { "actor" : "a" , "at" : "${timeAt(6)}" } ` });
    log.append('s-1', { type: 'Said', data: {}, metadata: `{"actor":"a","\\u0061t":"${timeAt(6)}"}` });
    expect(await verifiedLog(log)).toMatchObject({ intact: true, count: 6 });
  });

  test.each([
    ['data', '{"a":1,"b":2,"a":1}'],
    ['data', String.raw`{"a":1,"\u0061":1}`],
    ['data', `{${Array.from({ length: 30 }, (_, at) => `"m${at}":1`).join(',')},"m7":1}`],
    ['metadata', `{"at":"${timeAt(5)}","actor":"a","actor":"b"}`],
    ['metadata', `{"at":"${timeAt(5)}","actor":"a","at":"${timeAt(5)}"}`],
  ])('a stream with an event that has a member of %s twice differs at that event: %s', async (part, text) => {
    const log = createMemoryLog();
    // The layout of the first event of a type is known from then on.
    for (const data of ['{"a":1,"b":2}', '{"a":1,"b":{"a":[{"a":2}]}}'])
      log.append('s-1', { type: 'Said', data, at: 5 });
    log.append(
      's-1',
      part === 'data' ? { type: 'Said', data: text, at: 5 } : { type: 'Said', data: {}, metadata: text },
    );
    const { differences } = await verifiedLog(log);
    expect(differences).toMatchObject([{ kind: 'names', ordinal: 4 }]);
  });
});

describe('a stored root', () => {
  test('a stored root that was altered differs at its block, and the events do not', async () => {
    const log = filled(800);
    log.roots[1] = log.roots[0] ?? '';
    expect(await verifiedLog(log, { seals: [log.seal()] })).toMatchObject({
      ...{ intact: false, differences: [{ kind: 'block', ordinal: 257, until: 512 }], seals: [{ state: 'holds' }] },
    });
  });

  test('a stored root is not needed, because a log may have no stored tree', async () => {
    const log = filled(600);
    eventAt(log, 300).type = 'Forged';
    expect(await verifiedLog(log, { withTree: false })).toMatchObject({ intact: true, root: log.rootAt(600) });
  });
});

describe('a seal', () => {
  test('a seal is compared by its count and root and by the restores among its events', async () => {
    const log = filled(50);
    const [good, root, restores] = [
      log.seal({ seq: 1, count: 40 }),
      log.seal({ seq: 2, count: 41, root: 'a'.repeat(64) }),
      log.seal({ seq: 3, count: 42, restores: 1 }),
    ];
    const result = await verifiedLog(log, { seals: [restores, good, root] });
    expect(result.seals.map(({ seal, state }) => [seal.seq, state])).toEqual([
      [1, 'holds'],
      [2, 'fails'],
      [3, 'fails'],
    ]);
    expect(result.holding).toBe(good);
    expect(result.differences.map(({ kind, until }) => [kind, until])).toEqual([
      ['sealed', 41],
      ['sealed', 42],
    ]);
  });

  test('a seal of another log says nothing about this one, which is a difference', async () => {
    const log = filled(50);
    expect(await verifiedLog(log, { seals: [log.seal({ log_id: 'another-log' })] })).toMatchObject({
      difference: { kind: 'log', ordinal: null },
      seals: [{ state: 'fails', reason: expect.stringContaining('another-log') as unknown }],
    });
  });

  test('a seal of format 1 needs the same root, and a restore excuses it only if the backup has fewer events', async () => {
    const log = filled(50);
    log.recordRestore({ count: 50, root: log.rootAt(50) });
    const ofFormat1 = (count: number, root = log.rootAt(count)) => {
      const { log_id, sealed_at, public_key } = log.seal();
      return { log_id, count, root, sealed_at, public_key, seq: 0, restores: null, final: false };
    };
    const wrong = 'a'.repeat(64);
    const seals = [ofFormat1(49), ofFormat1(50, wrong), ofFormat1(51, wrong)];
    const result = await verifiedLog(log, { seals });
    expect(result.seals.map(({ state }) => state)).toEqual(['holds', 'fails', 'excused']);
  });
});

describe('a log that was restored from a backup', () => {
  /** 100 events, of which a backup of 60 was put back, and then more was appended. */
  function restored({
    count = 60,
    record = (log: MemoryLog) => log.recordRestore({ count: 60, root: log.rootAt(60) }),
  } = {}) {
    const log = filled(100);
    const before = [log.seal({ seq: 1, count: 60 }), log.seal({ seq: 2, count: 61 }), log.seal({ seq: 3 })];
    log.events.length = count;
    record(log);
    log.fill(120, 'contact-2');
    return { log, before, after: log.seal({ seq: 4 }) };
  }

  test('a log that was restored from a backup excuses the seals of more events than the backup, and those alone', async () => {
    const { log, before, after } = restored();
    const result = await verifiedLog(log, { seals: [...before, after] });
    expect(result.seals.map(({ seal, state }) => [seal.seq, state])).toEqual([
      [1, 'holds'],
      [2, 'excused'],
      [3, 'excused'],
      [4, 'holds'],
    ]);
    expect(result.seals[1]?.reason).toMatch(/^a restore removed 1 sealed event: .* from a backup of 60 events$/);
    expect(result).toMatchObject({
      intact: true,
      restores: [{ number: 1, count: 60, ordinal: 61, isValid: true, superseded: null, root: log.rootAt(60) }],
    });
    expect(result.holding?.seq).toBe(4);
  });

  test('a log that was restored from a backup excuses them also without the secret, and says that the MAC was not checked', async () => {
    const { log, before } = restored();
    const result = await verifiedLog(log, { seals: before, restoredKey: undefined });
    expect(result).toMatchObject({ intact: true, restores: [{ isValid: null }] });
    expect(result.seals[2]).toMatchObject({
      ...{ state: 'excused', reason: expect.stringMatching(/The MAC of that record was not checked/) as unknown },
    });
  });

  test('a log that was restored from a backup excuses no seal that was made after the restore', async () => {
    const { log } = restored();
    const late = log.seal({ seq: 9, restores: 1, count: 130, root: 'a'.repeat(64) });
    expect(await verifiedLog(log, { seals: [late] })).toMatchObject({ difference: { kind: 'shortened' } });
  });

  test('a log that was restored from a backup may have recorded the restore after other events', async () => {
    const record = (log: MemoryLog): void => {
      const root = log.rootAt(60);
      log.fill(70, 'contact-3');
      log.recordRestore({ count: 60, root });
    };
    const { log, before } = restored({ record });
    expect(await verifiedLog(log, { seals: before })).toMatchObject({ intact: true, restores: [{ ordinal: 71 }] });
  });

  test('a log that was restored from a backup may have recorded several restores in one append', async () => {
    const record = (log: MemoryLog): void => {
      const root = log.rootAt(60);
      for (let number = 0; number < 3; number += 1) log.recordRestore({ count: 60, root });
    };
    const { log, before } = restored({ record });
    const late = log.seal({ seq: 8, restores: 2, count: 99, root: 'a'.repeat(64) });
    expect(await verifiedLog(log, { seals: [...before, late] })).toMatchObject({
      ...{ intact: true, restores: [{ number: 1 }, { number: 2 }, { number: 3 }] },
    });
  });

  test.each<[string, (log: MemoryLog) => void, RegExp]>([
    [
      'another secret',
      (log) =>
        log.recordRestore({ count: 60, root: log.rootAt(60), key: deriveRestoredKey('another secret of a log') }),
      /not recorded with the secret/,
    ],
    [
      'a root that the events do not have',
      (log) => log.recordRestore({ count: 60, root: 'a'.repeat(64) }),
      /do not have the root that it names/,
    ],
    [
      'the root of other events',
      (log) => log.recordRestore({ count: 59, root: log.rootAt(60) }),
      /do not have the root that it names/,
    ],
    [
      'a count that the log had not reached',
      (log) => log.recordRestore({ count: 61, root: log.rootAt(60) }),
      /and fewer come before it/,
    ],
  ])(
    'a log that was restored from a backup differs if the record was made with %s, which then excuses nothing',
    async (_, record, reason) => {
      const { log, before } = restored({ record });
      const { differences, seals } = await verifiedLog(log, { seals: before });
      expect(differences[0]).toMatchObject({
        kind: 'restored',
        ordinal: 61,
        until: 61,
        message: expect.stringMatching(reason) as unknown,
      });
      expect(seals.map(({ state }) => state)).toEqual(['holds', 'fails', 'fails']);
    },
  );

  test('a log that was restored from a backup is not excused by a record of schema version 1, which is no difference by itself', async () => {
    const record = (log: MemoryLog): void =>
      log.append('service', {
        type: 'LogRestored',
        data: { count: 60, head: 'a'.repeat(64) },
        metadata: metadataAt(60, 1),
      });
    const { log, before } = restored({ record });
    expect(await verifiedLog(log)).toMatchObject({ intact: true, restores: [{ root: null, isValid: false }] });
    expect(await verifiedLog(log, { seals: before, restoredKey: undefined })).toMatchObject({
      difference: { kind: 'sealed', until: 61 },
    });
  });
});

describe('verification', () => {
  test('verification ignores events after a position', async () => {
    const log = filled(600);
    const seal = log.seal({ count: 300 });
    eventAt(log, 301).type = 'Forged';
    expect(await verifiedLog(log, { until: formatPosition(300), seals: [seal] })).toMatchObject({
      ...{ intact: true, count: 300, root: seal.root, position: formatPosition(300), holding: seal },
    });
    expect(await verifiedLog(log, { until: formatPosition(512) })).toMatchObject({ intact: false });
  });

  test('verification tells how far it is, and stops when it is told to', async () => {
    const log = filled(250);
    const seen: number[] = [];
    await verifiedLog(log, { onProgress: (events) => seen.push(events) });
    expect(seen).toEqual([100, 200, 250]);
    const stopping = new AbortController();
    const stopped = verifiedLog(log, {
      signal: stopping.signal,
      onProgress: () => stopping.abort(new Error('enough')),
      share: 0.5,
    });
    await expect(stopped).rejects.toThrow();
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(verifiedLog(log, { signal: aborted })).rejects.toThrow('enough');
  });

  test('verification uses no more than its share of a core', async () => {
    const log = filled(2_000);
    const before = performance.now();
    let busy = 0;
    let begun = before;
    await verifiedLog(log, {
      share: 0.25,
      source: {
        async *readEvents() {
          for await (const events of log.source.readEvents()) {
            begun = performance.now();
            yield events;
          }
        },
      },
      onProgress: () => (busy += performance.now() - begun),
    });
    expect(performance.now() - before).toBeGreaterThan(3.9 * busy);
  });

  test('verification reports what the store finds wrong with itself', async () => {
    const log = filled(10);
    const source = { ...log.source, storeFault: () => Promise.resolve('an index lacks events') };
    expect(await verifiedLog(log, { source })).toMatchObject({
      difference: { kind: 'store', message: 'the store is damaged: an index lacks events' },
    });
  });

  test('verification reports 100 differences at most', async () => {
    const log = filled(500);
    for (const event of log.events) event.metadata = '{}';
    expect((await verifiedLog(log)).differences).toHaveLength(100);
  });
});

describe('findings', () => {
  const listCreated = (id: string, name: string) => ({ type: 'ListCreated', data: { list_id: id, list_name: name } });
  const [one, other] = ['lst_01JQ8ZK3V5W7X9YABC00000001', 'lst_01JQ8ZK3V5W7X9YABC00000002'];

  test('findings are broken invariants, which are no differences', async () => {
    const log = createMemoryLog();
    log.append('lists', listCreated(one, 'News'));
    log.append('lists', listCreated(other, ' NEWS'));
    log.append('lists', { type: 'ListCreated', data: { nothing: true } });
    for (const email of ['a@example.com', 'b@example.com'])
      log.append('contact-1', { type: 'ContactCreated', data: { contact_id: email } });
    const { findings, intact } = await verifiedLog(log);
    expect(findings.map(({ kind, stream, position }) => [kind, stream, position])).toEqual([
      ['same_name', 'lists', formatPosition(3)],
      ['unreadable', 'lists', formatPosition(4)],
      ['second_contact', 'contact-1', formatPosition(6)],
    ]);
    expect(intact).toBe(true);
  });

  test('findings do not include a name that was free again, nor digests that an erasure explains', async () => {
    const log = createMemoryLog();
    log.append('lists', listCreated(one, 'News'));
    log.append('lists', { type: 'ListDeleted', data: { list_id: one, list_name: 'News' } });
    log.append('lists', listCreated(other, 'News'));
    const digest = digestOf('{"email":"a@example.com"}');
    log.append('contact-1', { type: 'ContactCreated', data: `{"contact_id":"c","person":${digest}}` });
    log.append('contact-1', { type: 'ContactErased', data: { through: 0 } });
    log.append('contact-1', { type: 'ContactCreated', data: { contact_id: 'c' } });
    const { findings, redacted } = await verifiedLog(log);
    expect(findings.filter(({ kind }) => kind !== 'unreadable')).toEqual([]);
    expect(redacted).toBe(1);
  });
});

describe('the file of an embedded log', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'verify-'));
  const file = path.join(folder, 'events.db');
  beforeAll(async () => {
    const store = await openSqliteEventStore({ file, clock: Date.now });
    await store.append('service', [serviceInitialised()], { expectedRevision: 'no_stream' });
    for (let stream = 1; stream <= 5; stream += 1)
      await store.append(
        `contact-${stream}`,
        Array.from({ length: 60 }, (_, at) => exampleEvent(at)),
        {
          expectedRevision: 'no_stream',
        },
      );
    await store.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['an event', `update events set type = 'x' where position = 40`, 'block'],
    ['a stream name', `update streams set name = 'contact-9' where name = 'contact-2'`, 'block'],
    ['a block root', `update blocks set root = zeroblob(32)`, 'block'],
    ['a block root that is missing', 'delete from blocks', 'block'],
    ['an event that was removed', 'delete from events where position = 40', 'order'],
    ['a revision that is too large', `update events set revision = 4294967296 where position = 40`, 'revision'],
    ['a stream that has no row', `delete from streams where name = 'contact-2'`, 'block'],
    ['a stream with more events than it says', `update streams set revision = revision + 1 where id = 2`, 'store'],
    ['a stream without events, at number 0', `insert into streams values (0, 'ghost', 7)`, 'store'],
    [
      'an event far before the others',
      `insert into streams values (99, 'forged', 0);
       insert into events select -9007199254740991, 99, 0, 'forged', type, data, metadata_id from events where position = 4`,
      'order',
    ],
  ])('the file of an embedded log differs after a change of %s', async (_, sql, kind) => {
    const altered = tampered(file, (db) => {
      db.pragma('foreign_keys = off');
      db.exec(sql);
    });
    const { differences } = await verified(altered);
    expect(differences.map((difference) => difference.kind)).toContain(kind);
  });

  test(
    'the file of an embedded log with a bit flipped anywhere shows no other events without being found',
    { timeout: 60_000 },
    async () => {
      const log = await verified(file);
      const seal = createMemoryLog().seal({ log_id: log.log_id ?? '', count: log.count, root: log.root ?? '' });
      const bytes = readFileSync(file);
      const copy = path.join(newFolder(), 'events.db');
      const rounds = usually(80, 1_500);
      for (let round = 0; round < rounds; round += 1) {
        const at = Math.floor((round / rounds) * bytes.length) + ((round * 7_919) % 97);
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ (1 << (round % 8));
        writeFileSync(copy, changed);
        const found = await verified(copy, { seals: [seal] }).catch(() => undefined);
        if (found?.intact === true) expect(found.root, `byte ${at}, round ${round}`).toBe(log.root);
      }
    },
  );
});
