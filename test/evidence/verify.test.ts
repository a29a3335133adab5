/** Verification finds what was done to a log, names the first event that differs, and is silent about an honest one; so does the stand-alone verifier. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Database, Value } from '../../src/sqlite/database.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linkSourceOf, verifyLog } from '../../src/evidence/verify.js';
import { digestOf, linkAfter } from '../../src/eventstore/chain.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { usually } from '../support/amount.js';
import { exampleEvent, exported, runVerifier, tampered, verified, writeLog } from '../support/evidence-log.js';

const size = 40;
let folder: string;
let log: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'verify-'));
  log = path.join(folder, 'events.db');
  await writeLog(log, size);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Tampering {
  readonly name: string;
  readonly apply: (db: Database) => void;
  /** Number of the first event that differs. */
  readonly first: number;
}

/** Another text: one bit of one character is flipped. */
const flipped = (text: string, at: number): string => {
  const place = at % text.length;
  return text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ 1) + text.slice(place + 1);
};

const textOf = (db: Database, sql: string, ...parameters: Value[]): string =>
  String(db.prepareValue(sql).get(...parameters));

function flipColumn(column: string, event: number, at: number): Tampering {
  return {
    name: `a bit of ${column} of event ${event}`,
    first: event,
    apply: (db) => {
      const text = textOf(db, `select ${column} from events where position = ?`, event);
      db.prepare(`update events set ${column} = ? where position = ?`).run(flipped(text, at), event);
    },
  };
}

function flipStream(event: number, at: number): Tampering {
  // The name stands once for all events of the stream; the first of them differs first.
  const streamOf = (number: number): number => (number === 1 ? -1 : ((number - 1) * 7) % 5);
  const first = Array.from({ length: size }, (_, index) => index + 1).find((n) => streamOf(n) === streamOf(event)) ?? 0;
  return {
    name: `a bit of the stream name of event ${event}`,
    first,
    apply: (db) => {
      const id = textOf(db, 'select stream_id from events where position = ?', event);
      const name = textOf(db, 'select name from streams where id = ?', id);
      // Beside all names that there are.
      db.prepare('update streams set name = ? where id = ?').run(`${flipped(name, at % (name.length - 1))}~`, id);
    },
  };
}

const tamperings = (event: number, other: number, at: number): Tampering[] => [
  ...['type', 'event_id', 'data', 'metadata'].map((column) => flipColumn(column, event, at)),
  flipStream(event, at),
  {
    name: `the revision of event ${event}`,
    first: event,
    apply: (db) => db.prepare('update events set revision = revision + 1 where position = ?').run(event),
  },
  {
    name: `a bit of the link of event ${event}`,
    first: event,
    apply: (db) => {
      const link = Buffer.from(textOf(db, 'select hex(chain) from events where position = ?', event), 'hex');
      link[at % 32] = (link[at % 32] ?? 0) ^ 1;
      db.prepare('update events set chain = ? where position = ?').run(link, event);
    },
  },
  {
    name: `the time of event ${event}`,
    first: event,
    apply: (db) =>
      db
        .prepare(`update events set metadata = replace(metadata, '"at":"2026-', '"at":"2025-') where position = ?`)
        .run(event),
  },
  {
    name: `event ${event} dropped, the others left`,
    // Without the last one the chain is whole: seals and views tell.
    first: event < size ? event : 0,
    apply: (db) => db.prepare('delete from events where position = ?').run(event),
  },
  {
    name: `event ${event} dropped, the others moved up`,
    first: event < size ? event : 0,
    apply: (db) => {
      db.prepare('delete from events where position = ?').run(event);
      db.prepare('update events set position = -position where position > ?').run(event);
      db.prepare('update events set position = -position - 1 where position < 0').run();
    },
  },
  {
    name: `events ${event} and ${other} swapped`,
    first: event === other ? 0 : Math.min(event, other),
    apply: (db) => {
      const move = db.prepare('update events set position = ? where position = ?');
      for (const [to, from] of [
        [-1, event],
        [event, other],
        [other, -1],
      ])
        move.run(to ?? null, from ?? null);
    },
  },
  {
    name: `event ${event} put in once more at the end`,
    first: size + 1,
    apply: (db) =>
      db
        .prepare(
          `insert into events select ?, stream_id, revision + 1000, event_id, type, data, metadata, recorded_at, chain
           from events where position = ?`,
        )
        .run(size + 1, event),
  },
];

describe('whatever is done to an event is found, and the first that differs is named', () => {
  test('by verifyLog, for every kind of tampering', async () => {
    for (const { name, apply, first } of [1, 2, 17, size].flatMap((event) => tamperings(event, 23, event))) {
      if (first === 0) continue;
      const result = await verified(tampered(log, apply));
      expect(result, name).toMatchObject({ intact: false, difference: { ordinal: first }, count: first - 1 });
    }
  }, 60_000);

  test.each([-7, 0])('an event that was put in at position %i, where only its stream shows it', async (position) => {
    const file = tampered(log, (db) => {
      db.prepare(
        `insert into events select ?, stream_id, (select revision + 1 from streams s where s.id = stream_id),
           event_id, type, data, metadata, recorded_at, chain from events where position = 2`,
      ).run(position);
      db.prepare(
        'update streams set revision = revision + 1 where id = (select stream_id from events where position = 2)',
      ).run();
    });
    expect(await verified(file)).toMatchObject({ intact: false, difference: { ordinal: 1 }, count: 0 });
  });

  test.each([
    ['a stream that nobody has, before all others', `insert into streams values (-1, 'ghost', 7)`],
    ['a stream that nobody has, at number 0', `insert into streams values (0, 'ghost', 7)`],
    ['a revision of a stream that is too large', `update streams set revision = revision + 4294967296 where id = 2`],
    ['a revision of a stream that is too small', `update streams set revision = revision - 4294967296 where id = 2`],
    [
      'an event at the smallest position there is',
      `insert into events select -9223372036854775808, stream_id, revision + 1000, 'forged', type, data, metadata, recorded_at, chain
       from events where position = 4`,
    ],
    [
      'an event far before the others, noted in its stream',
      `insert into streams values (99, 'forged', 0);
       insert into events select -9007199254740991, 99, 0, 'forged', type, data, metadata, recorded_at, chain
       from events where position = 4`,
    ],
  ])('%s', async (_, sql) => {
    const file = tampered(log, (db) => {
      db.pragma('foreign_keys = off');
      db.exec(sql);
    });
    for (const depth of ['chain', 'streams'] as const)
      expect(await verified(file, { depth })).toMatchObject({ intact: false });
  });

  test('by the stand-alone verifier in the same way', { timeout: 120_000 }, async () => {
    const place = fc.integer({ min: 1, max: size });
    await fc.assert(
      fc.asyncProperty(place, place, fc.nat(10_000), fc.nat(100), async (event, other, at, which) => {
        const all = tamperings(event, other, at);
        const { apply, first, name } = all[which % all.length] ?? { apply: () => undefined, first: 0, name: '' };
        if (first === 0) return;
        const file = tampered(log, apply);
        expect(await verified(file), name).toMatchObject({ intact: false, difference: { ordinal: first } });
        const { code, output } = await runVerifier(await exported(file));
        expect(code, output).toBe(1);
        expect(output, name).toMatch(new RegExp(`^DIFFERENT: .*(event|line) ${first}\\b`));
      }),
      { numRuns: usually(6, 15) },
    );
  });

  test('in the file itself: a bit flipped anywhere changes no event without being found', async () => {
    const rounds = usually(100, 1_000);
    const honest = JSON.stringify(await allOf(log));
    const bytes = readFileSync(log);
    const copy = path.join(folder, 'flipped.db');
    for (let round = 0; round < rounds; round += 1) {
      const at = Math.floor((round / rounds) * bytes.length) + ((round * 7919) % 97);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (round % 8));
      writeFileSync(copy, changed);
      const isSilent = await verified(copy).then(
        ({ intact }) => intact,
        () => false,
      );
      if (isSilent) expect(JSON.stringify(await allOf(copy)) === honest, `byte ${at}, round ${round}`).toBe(true);
    }
  }, 60_000);
});

/** The whole log, then stream by stream. */
async function allOf(file: string): Promise<unknown[]> {
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  const events: unknown[] = [];
  for await (const batch of reader.readLinked())
    for (const { revision, ...event } of batch) events.push({ ...event, revision: Number(revision) });
  for (const stream of ['service', ...Array.from({ length: 5 }, (_, at) => `contact-${at}`)])
    for await (const batch of reader.readStream(stream)) events.push(...batch.map(({ id }) => id));
  await reader.close();
  return events;
}

describe('an honest log', () => {
  test('is intact for both verifiers, which agree on its head', async () => {
    const result = await verified(log);
    expect(result).toMatchObject({ intact: true, count: size, linked: true, redacted: 0, findings: [] });
    const { code, output } = await runVerifier(await exported(log));
    expect(output).toContain(`intact: ${size} events, head ${result.head}, ${size} of them compared`);
    expect(code).toBe(0);
  });

  test('stays intact when personal data are replaced by their digests, and says of how many', async () => {
    const file = tampered(log, (db) => {
      const events = db.prepare<[], { position: number; data: string }>('select position, data from events').all();
      for (const { position, data } of events) {
        const { person, ...rest } = JSON.parse(data) as Record<string, unknown>;
        if (person === undefined) continue;
        const sealed = data.replace(JSON.stringify(person), digestOf(JSON.stringify(person)));
        expect(Object.keys(rest)).toContain('contact_id');
        db.prepare('update events set data = ? where position = ?').run(sealed, position);
      }
    });
    const result = await verified(file);
    expect(result).toMatchObject({ intact: true, count: size });
    expect(result.redacted).toBeGreaterThan(10);
    expect(result.head).toBe((await verified(log)).head);
    expect((await runVerifier(await exported(file))).code).toBe(0);
  });

  test('is verified up to where one wishes, tells how far it is, and stops when told to', async () => {
    const seen: number[] = [];
    const until = String(7).padStart(20, '0');
    expect(await verified(log, { until, onProgress: (events) => seen.push(events) })).toMatchObject({
      ...{ intact: true, count: 7, position: until },
    });
    expect(seen).toEqual([7]);
    await expect(verified(log, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });

  test('goes on being one after repeats, refusals and restarts', async () => {
    const file = tampered(log, () => undefined);
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
      expect(await verified(file)).toMatchObject({ intact: true, count: size + 3 * (round + 1) });
    }
  });
});

describe('what is consistent in its links is still looked at', () => {
  /** Rewrites the links after tampering, as somebody would who has read the documents. */
  const rewritten = (tamper: (db: Database) => void): string =>
    tampered(log, (db) => {
      tamper(db);
      const events = db
        .prepare<
          [],
          {
            position: number;
            stream: string;
            revision: number;
            id: string;
            type: string;
            data: string;
            metadata: string;
          }
        >(
          `select position, name as stream, e.revision, event_id as id, type, rtrim(data) as data, metadata
           from events e join streams s on s.id = e.stream_id order by position`,
        )
        .all();
      let link = '0'.repeat(64);
      for (const [index, event] of events.entries()) {
        link = linkAfter(link, index + 1, event);
        db.prepare('update events set chain = unhex(?), position = ? where position = ?').run(
          link,
          index + 1,
          event.position,
        );
      }
    });

  test.each<[string, string, string]>([
    ['revision', 'update events set revision = revision + 1 where position = 20', 'should be revision'],
    [
      'time',
      `update events set metadata = replace(metadata, '"at":"2026-', '"at":"2025-') where position = 20`,
      'before',
    ],
    ['time', `update events set metadata = '{}' where position = 20`, 'no time'],
  ])('a wrong %s within a stream', async (kind, sql, words) => {
    const file = rewritten((db) => db.exec(sql));
    const result = await verified(file);
    expect(result).toMatchObject({ intact: false, difference: { kind, ordinal: 20 } });
    expect(result.intact ? '' : result.difference.message).toContain(words);
    expect(await runVerifier(await exported(file))).toMatchObject({ code: 1 });
  });

  test('a forged event with a right link, whose stream the store knows nothing of', async () => {
    const file = rewritten((db) =>
      db.exec(
        `insert into events select 41, stream_id, revision + 1, event_id, type, data, metadata, recorded_at, chain
         from events where position = 40`,
      ),
    );
    const result = await verified(file);
    expect(result).toMatchObject({ intact: false, difference: { kind: 'stream', ordinal: null } });
  });

  test('two contacts in one stream and one name twice, as findings', async () => {
    const file = rewritten((db) => {
      const name = (id: string): string => JSON.stringify({ list_id: id, list_name: id === 'a' ? 'News' : ' NEWS' });
      const metadata = textOf(db, 'select metadata from events where position = 1');
      db.exec(`update events set type = 'ContactCreated' where position = 30`);
      db.exec(`insert into streams values (99, 'lists', 1)`);
      const add = db.prepare(`insert into events values (?, 99, ?, ?, 'ListCreated', ?, ?, '', x'')`);
      for (const [at, id] of ['a', 'b'].entries()) add.run(size + 1 + at, at, id, name(id), metadata);
    });
    const { findings, intact } = await verified(file);
    expect(findings).toMatchObject([{ kind: 'second_contact' }, { kind: 'same_name', stream: 'lists' }]);
    expect(intact).toBe(true);
  });

  test('a reader without links is computed all the same', async () => {
    const reader = openSqliteEventReader({ file: log, pollMs: 0 });
    const { readLinked: _, brokenStream: __, ...plain } = reader;
    const result = await verifyLog({ source: linkSourceOf(plain) });
    expect(result).toMatchObject({ intact: true, count: size, linked: false, head: (await verified(log)).head });
    await reader.close();
  });
});
