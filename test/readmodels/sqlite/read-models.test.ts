/** The embedded read models: the contract, and what only they promise. */
import { Database } from '../../../src/sqlite/database.js';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLease } from '../../../src/projector/lease.js';
import { cursorAfter } from '../../../src/readmodels/find-plan.js';
import { ReadModelsUnavailableError, type View } from '../../../src/readmodels/read-models.js';
import {
  discardIfUnusable,
  openSqliteReadModels,
  openSqliteViews,
} from '../../../src/readmodels/sqlite/read-models.js';
import { readModelsContract, type ReadModelsHarness } from '../../contract/read-models.js';

function sqliteHarness(): ReadModelsHarness {
  const folder = mkdtempSync(path.join(tmpdir(), 'read-models-'));
  const open = (now: () => number) =>
    Promise.resolve(openSqliteReadModels({ file: path.join(folder, 'views.db'), now }));
  return {
    open,
    reopen: open,
    cleanup: () => Promise.resolve(rmSync(folder, { recursive: true })),
  };
}

readModelsContract('SQLite', sqliteHarness);

it.each(['prepare', 'drop'] as const)(
  'the lease is held after a %s that took longer than it is valid',
  async (slow) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'read-models-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    let time = 0;
    const ttl = 40;
    const models = openSqliteReadModels({ file: path.join(folder, 'views.db'), now: () => time });
    const lease = createLease({
      readModels: models,
      name: 'rebuild',
      holder: 'one',
      ttl,
      now: () => time,
      resumes: true,
    });
    await lease.hold(new AbortController().signal);
    // As if the call blocked the thread, which it does in one go with what follows here.
    for (const until = performance.now() + ttl; performance.now() < until;);
    time += 2 * ttl;
    await models[slow]({ name: 'things', version: 1, indexes: [] });
    expect(() => lease.check()).not.toThrow();
    await lease.close();
    await models.close();
  },
);

describe('SQLite read models', () => {
  const things: View = {
    name: 'things',
    version: 1,
    indexes: [{ fields: ['owner', 'size'] }],
    arrayIndexes: ['tag_ids'],
  };
  const view = things;
  const next = { logId: 'log', position: '1', eventId: 'e', storages: {} };
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'read-models-'));
    file = path.join(folder, 'views.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('after a scrub has no byte of what was deleted, replaced or dropped, and all of the rest', async () => {
    const models = openSqliteReadModels({ file });
    const dropped: View = { ...view, storage: 2 };
    await models.prepare(view);
    await models.prepare(dropped);
    const ids = Array.from({ length: 600 }, (_, at) => `d${at}`);
    const write = (position: string, of: View, text: (id: string) => string | null) =>
      models.commit({
        writes: ids.map((id) => {
          const owner = text(id);
          const loaded = position === '1' || of === dropped ? null : String(Number(position) - 1);
          return { view: of, id, document: owner === null ? null : { owner, size: 1 }, position, loaded };
        }),
        checkpoint: {
          name: 'views',
          previous: position === '1' ? null : { ...next, position: String(Number(position) - 1) },
          next: { ...next, position },
        },
      });
    await write('1', view, (id) => `mark-${id}-1.`);
    await write('2', view, (id) => `mark-${id}-2.`.repeat(30));
    await write('3', view, (id) => (id.endsWith('7') ? `kept-${id}.` : null));
    await write('4', dropped, (id) => `mark-${id}-4.`);
    await models.drop(dropped);
    const bytes = () => [file, `${file}-wal`].map((name) => readFileSync(name, 'latin1')).join('');
    expect(bytes()).toContain('mark-');
    const reader = new Database(file, { access: 'read', timeout: 0 });
    reader.exec('begin');
    reader.prepare('select count(*) from things_v1').get();
    await expect(models.scrub([view])).rejects.toThrow(ReadModelsUnavailableError);
    reader.close();
    await models.scrub([view]);
    expect(bytes()).not.toContain('mark-');
    expect(bytes()).toContain('kept-d7.');
    expect((await models.get(view, 'd17'))?.document).toEqual({ owner: 'kept-d17.', size: 1 });
    expect((await models.find(view, { where: { owner: 'kept-d27.' }, limit: 5 })).documents).toHaveLength(1);
    await models.close();
  });

  it.each([
    ['rows', {}],
    ['short rows', { fields: ['owner', 'size', 'tag_ids'] }],
  ])('scrubs %s while documents come, grow and are deleted, also after it was interrupted', async (_, more) => {
    const models = openSqliteReadModels({ file });
    const view: View = { ...things, ...more };
    await models.prepare(view);
    const known = new Map<string, { text: string | null; position: string }>();
    let at = 0;
    const write = async (ids: readonly string[], textOf: (id: string) => string | null): Promise<void> => {
      const previous = at === 0 ? null : { ...next, position: String(at) };
      const position = String((at += 1));
      const writes = ids.map((id) => {
        const text = textOf(id);
        const loaded = known.get(id)?.position ?? null;
        known.set(id, { text, position });
        const document = text === null ? null : { owner: text, size: at % 3, tag_ids: [text, `t${at % 5}`] };
        return { view, id, document, position, loaded };
      });
      await models.commit({ writes, checkpoint: { name: 'views', previous, next: { ...next, position } } });
    };
    const ids = Array.from({ length: 3_000 }, (_, n) => `d${n}`);
    const isErased = (id: string) => id.endsWith('7');
    for (let round = 1; round <= 4; round += 1)
      for (let from = 0; from < ids.length; from += 250)
        await write(ids.slice(from, from + 250), (id) =>
          `${isErased(id) ? 'mark' : 'kept'}-${id}.`.repeat(1 + ((Number(id.slice(1)) * round) % 9)),
        );
    await write(ids.filter(isErased), () => null);
    const bytes = () => [file, `${file}-wal`].map((name) => readFileSync(name, 'latin1')).join('');
    expect(bytes()).toContain('mark-');

    const other = openSqliteReadModels({ file });
    const interrupted = expect(other.scrub([view])).rejects.toThrow(ReadModelsUnavailableError);
    await nextTurn();
    await other.close();
    await interrupted;
    let isScrubbing = true;
    const scrubbed = models.scrub([view]).finally(() => (isScrubbing = false));
    for (let n = 0; isScrubbing; n += 1) {
      await write([`d${(n * 10) % 3_000}`, `a${n}`, `new${n}`], (id) => `kept-${id}-${n}.`.repeat(1 + (n % 7)));
      await write([`new${n}`], (id) => (n % 2 === 0 ? null : `kept-${id}.`));
      await nextTurn();
    }
    await scrubbed;
    expect(bytes()).not.toContain('mark-');

    for (const [id, { text }] of known) {
      const found = await models.get<{ owner: string }>(view, id);
      expect(found?.document.owner ?? null).toBe(text);
      if (text !== null)
        expect((await models.find(view, { contains: { field: 'tag_ids', value: text }, limit: 5 })).documents).toEqual([
          found,
        ]);
    }
    const names = new Database(file, { access: 'read' }).prepareValue('select name from sqlite_schema').all();
    expect(names.filter((name) => String(name).includes('___'))).toEqual([]);
    await models.close();
  });

  it('drops with a scrub the storages of the view that no checkpoint names, in whole or in part', async () => {
    const models = openSqliteReadModels({ file });
    const document = { owner: 'mark-1.', size: 1, tag_ids: ['mark-2.'] };
    const others = [2, 3, 4].map((storage) => ({ ...view, storage }));
    const foreign: View = { ...view, name: 'thing' };
    for (const [at, of] of [view, ...others, foreign].entries()) {
      await models.prepare(of);
      const previous = at === 0 ? null : { ...next, position: String(at), storages: { things: 2 } };
      await models.commit({
        writes: [{ view: of, id: 'one', document, position: '1', loaded: null }],
        checkpoint: { name: 'rebuild', previous, next: { ...next, position: String(at + 1), storages: { things: 2 } } },
      });
    }
    const db = new Database(file);
    db.exec('alter table things_v4 rename to things_v4___old');
    const tables = () => db.prepareValue(`select name from sqlite_schema where type = 'table'`).all() as string[];
    expect(tables()).toContain('things_v3__tag_ids');
    await models.scrub([view]);
    expect(tables().filter((name) => /things_v[34]/.test(name))).toEqual([]);
    for (const of of [view, others[0] ?? view, foreign])
      expect(await models.get(of, 'one')).toMatchObject({ document });
    db.close();
    await models.close();
  });

  it('removes a file of another version at a start, because its tables have another form', async () => {
    const models = openSqliteReadModels({ file });
    await models.prepare(view);
    await models.close();
    const other = new Database(file);
    other.pragma('user_version = 1');
    other.close();
    expect(() => openSqliteViews({ file })).toThrow('another version of the service; start the service');
    expect(discardIfUnusable(file, 'views')).toMatchObject({ isDamage: false });
    expect(existsSync(file)).toBe(false);
  });

  it('stores a document without the values that its row has', async () => {
    const declared: View = { ...view, fields: ['name', 'owner', 'size', 'tag_ids'], idFields: ['owner', 'name'] };
    const models = openSqliteReadModels({ file });
    await models.prepare(declared);
    const document = { name: 'a', owner: 'b', size: null, tag_ids: ['t'] };
    const write = (id: string) => ({ view: declared, id, document, position: '1', loaded: null });
    const writes = [write('b/a'), write('another')];
    await models.commit({ writes, checkpoint: { name: 'c', previous: null, next } });
    const db = new Database(file);
    const text = db.prepareValue<[string], string>('select document from things_v1 where id = ?');
    expect(text.get('b/a')).toBe('{}');
    expect(text.get('another')).toBe('{"name":"a","owner":"b"}');
    db.close();
    for (const id of ['b/a', 'another'])
      expect(JSON.stringify((await models.get(declared, id))?.document)).toBe(JSON.stringify(document));
    await models.close();
  });

  it('finds the last page of a prefix as fast as the first', async () => {
    const models = openSqliteReadModels({ file });
    await models.prepare(view);
    const ids = Array.from({ length: 20_000 }, (_, at) => `a/${String(at).padStart(5, '0')}`);
    const writes = ids.map((id) => ({ view, id, document: { owner: 'o' }, position: '1', loaded: null }));
    await models.commit({ writes, checkpoint: { name: 'c', previous: null, next } });
    const query = { idPrefix: 'a/', limit: 10 };
    for (const order of [{}, { where: { owner: 'o' } }, { descending: true }]) {
      const cursorAt = (at: number): string => {
        const plan = { whereFields: [], sort: 'id', descending: 'descending' in order };
        return cursorAfter(plan, ids.at(plan.descending ? -at - 1 : at) ?? '', {});
      };
      const fastest = async (cursor: string): Promise<number> => {
        let least = Infinity;
        for (let n = 0; n < 5; n += 1) {
          const began = performance.now();
          expect((await models.find(view, { ...query, ...order, cursor })).documents).toHaveLength(10);
          least = Math.min(least, performance.now() - began);
        }
        return least;
      };
      expect(await fastest(cursorAt(ids.length - 11))).toBeLessThan(8 * (await fastest(cursorAt(0))));
    }
    await models.close();
  });

  it('keeps no scattered index, and refuses what would need it', async () => {
    const scattered: View = { ...view, indexes: [...view.indexes, { fields: ['stream'], scattered: true }] };
    const document = { owner: 'a', size: 1, stream: 's' };
    const models = openSqliteReadModels({ file });
    await models.prepare(scattered);
    const db = new Database(file, { access: 'read' });
    const names = db.prepareValue(`select name from sqlite_schema where type = 'index' and name like 'things_v1_by%'`);
    expect(names.all()).toEqual(['things_v1_by_owner_and_size']);
    db.close();
    await models.commit({
      writes: [{ view: scattered, id: 'one', document, position: '1', loaded: null }],
      checkpoint: { name: 'views', previous: null, next },
    });
    const { documents } = await models.find(scattered, { where: { owner: 'a' }, limit: 9 });
    expect(documents.map(({ id, document: found }) => [id, found])).toEqual([['one', document]]);
    await expect(models.find(scattered, { where: { stream: 's' }, limit: 1 })).rejects.toThrow(TypeError);
    await models.close();
  });

  it('says of a new index without a new version what it needs', async () => {
    const models = openSqliteReadModels({ file });
    await models.prepare(view);
    const indexed: View = { ...view, indexes: [...view.indexes, { fields: ['colour'] }] };
    await expect(models.prepare(indexed)).rejects.toThrow('a view with a new index needs a new version');
    await models.prepare({ ...indexed, version: 2 });
    await models.close();
  });

  it('opens a reader before the writer, unavailable until the view is there', async () => {
    const reader = openSqliteReadModels({ file, readOnly: true });
    await expect(reader.get(view, 'one')).rejects.toThrow(ReadModelsUnavailableError);
    expect(await reader.checkpoint('views')).toBeNull();
    const writer = openSqliteReadModels({ file });
    await writer.prepare(view);
    expect(await reader.get(view, 'one')).toBeUndefined();
    await reader.close();
    await writer.close();
  });

  it('leaves nothing of a commit that fails half-way, not even the first document', async () => {
    const models = openSqliteReadModels({ file });
    await models.prepare(view);
    const write = { view, document: {}, position: '1' };
    const writes = [
      { ...write, id: 'one', loaded: null },
      { ...write, id: 'two', loaded: '0' },
    ];
    await expect(models.commit({ writes, checkpoint: { name: 'c', previous: null, next } })).rejects.toThrow();
    expect(await models.get(view, 'one')).toBeUndefined();
    expect(await models.checkpoint('c')).toBeNull();
    await models.close();
  });

  it('reads an unchanged array without touching its side table', async () => {
    const models = openSqliteReadModels({ file });
    await models.prepare(view);
    const write = { view, id: 'one', document: { tag_ids: ['a'], size: 1 }, position: '1', loaded: null };
    await models.commit({ writes: [write], checkpoint: { name: 'c', previous: null, next } });
    const db = new Database(file);
    db.exec(`CREATE TRIGGER untouched BEFORE INSERT ON things_v1__tag_ids BEGIN SELECT RAISE(ABORT, 'touched'); END`);
    db.close();
    const again = { ...write, document: { tag_ids: ['a'], size: 2 }, position: '2', loaded: '1' };
    await models.commit({
      writes: [again],
      checkpoint: { name: 'c', previous: next, next: { ...next, position: '2' } },
    });
    expect((await models.get(view, 'one'))?.position).toBe('2');
    await models.close();
  });

  it('says that a file which cannot be opened, or is no database, is out of reach', () => {
    const missing = path.join(folder, 'missing', 'views.db');
    expect(() => openSqliteReadModels({ file: missing })).toThrow(ReadModelsUnavailableError);
    writeFileSync(file, 'no database, though long enough to be taken for one by its first bytes '.repeat(20));
    expect(() => openSqliteReadModels({ file })).toThrow(ReadModelsUnavailableError);
  });
});
