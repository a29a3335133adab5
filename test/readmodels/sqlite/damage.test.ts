/** How the embedded read models detect a corrupt `views.db`. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ViewDamagedError, type View } from '../../../src/readmodels/read-models.js';
import { checkViews } from '../../../src/readmodels/sqlite/check.js';
import { discardIfUnusable, discardViews, openSqliteReadModels } from '../../../src/readmodels/sqlite/read-models.js';

const things: View = {
  name: 'things',
  version: 1,
  indexes: [{ fields: ['owner', 'size'] }],
  arrayIndexes: ['tag_ids'],
};
/** Kept in a table without rowids. */
const short: View = { ...things, name: 'short', fields: ['owner', 'size', 'tag_ids'] };
const next = { logId: 'log', position: '1', eventId: 'e', storages: { things: 1, short: 1 } };
let folder: string;
let file: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'damage-'));
  file = path.join(folder, 'views.db');
  const models = openSqliteReadModels({ file });
  const writes = [];
  for (const view of [things, short]) {
    await models.prepare(view);
    for (let at = 0; at < 200; at += 1) {
      const document =
        at % 50 === 7
          ? null
          : { owner: at % 3 === 0 ? null : `o${at % 5}`, size: at % 7, tag_ids: [`t${at % 4}`, 'all'] };
      writes.push({ view, id: `d${at}`, document, position: '1', loaded: null });
    }
  }
  await models.commit({ writes, checkpoint: { name: 'views', previous: null, next } });
  await models.putRecord({ name: 'one', value: { number: 1 }, previous: null });
  await models.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

function change(...statements: readonly string[]): void {
  const db = new DatabaseSync(file, { defensive: false });
  for (const sql of statements) db.exec(sql);
  db.close();
}

/** Changes a table while SQLite does not know of one of its indexes, which then differs from it. */
function changeBehind(
  index: string,
  { before = [], behind }: { readonly before?: readonly string[]; readonly behind: readonly string[] },
): void {
  const db = new DatabaseSync(file, { defensive: false });
  for (const sql of before) db.exec(sql);
  const row = db.prepare('SELECT rootpage, sql FROM sqlite_schema WHERE name = ?').get(index);
  const table = db.prepare('SELECT tbl_name FROM sqlite_schema WHERE name = ?').get(index)?.['tbl_name'] ?? '';
  db.exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '${index}'`);
  db.exec('PRAGMA writable_schema = RESET');
  for (const sql of behind) db.exec(sql);
  db.exec('PRAGMA writable_schema = ON');
  db.prepare(`INSERT INTO sqlite_schema VALUES ('index', ?, ?, ?, ?)`).run(
    index,
    table,
    row?.['rootpage'] ?? 0,
    row?.['sql'] ?? null,
  );
  db.close();
}

async function damages(): Promise<readonly string[]> {
  const found: string[] = [];
  const { signal } = new AbortController();
  const onDamage = (error: ViewDamagedError): void =>
    void found.push(`${error.view?.name ?? 'file'}: ${error.message}`);
  await checkViews({ file, views: [things, short], onDamage, signal });
  return found;
}

it('finds no damage in intact views, and counts their rows', async () => {
  const { signal } = new AbortController();
  expect(
    await checkViews({ file, views: [things, short], signal, onDamage: (error) => expect.fail(error.message) }),
  ).toBe(400);
});

it.each([
  ['document', `UPDATE things_v1 SET document = replace(document, 'all', 'alL') WHERE id = 'd1'`],
  ['position', `UPDATE things_v1 SET position = 2 WHERE id = 'd1'`],
  ['number that JavaScript cannot hold', `UPDATE things_v1 SET position = 9223372036854775807 WHERE id = 'd1'`],
  ['deletion', `UPDATE things_v1 SET document = NULL WHERE id = 'd1'`],
  [
    'swapped row',
    `UPDATE things_v1 SET (position, sum, document, i_owner, i_size, a_tag_ids) = (SELECT position, sum, document, i_owner, i_size, a_tag_ids FROM things_v1 WHERE id = 'd2') WHERE id = 'd1'`,
  ],
])('refuses to answer with a damaged %s, and says which view it is', async (_, sql) => {
  change(sql);
  const reported: ViewDamagedError[] = [];
  const models = openSqliteReadModels({ file, onDamage: (error) => reported.push(error) });
  await expect(models.get(things, 'd1')).rejects.toThrow(ViewDamagedError);
  expect((await models.get(things, 'd2'))?.id).toBe('d2');
  await models.close();
  expect(reported.map(({ view }) => view?.name)).toEqual(['things']);
  expect(existsSync(`${file}.damaged`)).toBe(false);
  expect((await damages()).map((one) => one.split(':')[0])).toEqual(['things']);
});

it('refuses a document to which a damaged index leads, in place of answering with it', async () => {
  change(`INSERT INTO things_v1__tag_ids VALUES ('t9', 'd1')`);
  const models = openSqliteReadModels({ file });
  await expect(models.find(things, { contains: { field: 'tag_ids', value: 't9' }, limit: 5 })).rejects.toThrow(
    ViewDamagedError,
  );
  await expect(models.search(things, { field: 'tag_ids', prefix: 't9', limit: 5 })).rejects.toThrow(ViewDamagedError);
  await models.close();
});

it.each(['things', 'short'])(
  'finds in %s what an index or the table of an array lacks, and what it has too many',
  async (name) => {
    const index = `${name}_v1_by_owner_and_size`;
    change(`DELETE FROM ${name}_v1__tag_ids WHERE id = 'd1' AND value = 'all'`);
    expect(await damages()).toEqual([`${name}: an index of ${name}_v1 lacks an entry`]);
    change(`INSERT INTO ${name}_v1__tag_ids VALUES ('all', 'd1'), ('more', 'd1')`);
    expect(await damages()).toEqual([`${name}: an index of ${name}_v1 has an entry that its row does not have`]);
    change(
      `DELETE FROM ${name}_v1__tag_ids WHERE value = 'more'`,
      `INSERT INTO ${name}_v1__tag_ids VALUES ('t1', 'nobody')`,
    );
    expect(await damages()).toEqual([`${name}: an index of ${name}_v1 has an entry that its row does not have`]);
    change(`DELETE FROM ${name}_v1__tag_ids WHERE id = 'nobody'`);
    expect(await damages()).toEqual([]);
    changeBehind(index, {
      behind: [`DELETE FROM ${name}_v1 WHERE id = 'd2'`, `DELETE FROM ${name}_v1__tag_ids WHERE id = 'd2'`],
    });
    expect(await damages()).toEqual([`${name}: an index of ${name}_v1 has an entry that its row does not have`]);
    change(`REINDEX ${index}`);
    expect(await damages()).toEqual([]);
  },
);

it('finds a document that an index lost, because one flipped bit hid four emails from a history', async () => {
  const document = { owner: 'o9', size: 1, tag_ids: [] };
  const models = openSqliteReadModels({ file });
  const write = { view: things, id: 'late', document, position: '2', loaded: null };
  await models.commit({
    writes: [write],
    checkpoint: { name: 'views', previous: next, next: { ...next, position: '2' } },
  });
  await models.close();
  // The row is deleted with its entry, and put back without it.
  changeBehind('things_v1_by_owner_and_size', {
    before: [
      `ATTACH ':memory:' AS copy`,
      `CREATE TABLE copy.kept AS SELECT * FROM things_v1 WHERE id = 'late'`,
      `DELETE FROM things_v1 WHERE id = 'late'`,
    ],
    behind: ['INSERT INTO things_v1 SELECT * FROM copy.kept'],
  });
  expect(await damages()).toEqual(['things: an index of things_v1 lacks an entry']);
});

it.each([
  ['checkpoint', `UPDATE checkpoints SET position = '2'`],
  ['record', `UPDATE records SET value = '{"number":2}'`],
])('treats a damaged %s as damage of the file, also at a start', async (_, sql) => {
  change(sql);
  expect(await damages()).toEqual([expect.stringMatching(/^file: a \w+ does not match its checksum$/)]);
  rmSync(`${file}.damaged`);
  expect(discardIfUnusable(file, 'views')).toMatchObject({ isDamage: true });
});

it('does not create a missing table of a live view, because the table would stay empty', () => {
  change('DROP TABLE things_v1');
  expect(discardIfUnusable(file, 'views')).toEqual({ isDamage: true, reason: 'the table things_v1 is missing' });
});

it('goes on in a new file after the damaged one was removed', async () => {
  const models = openSqliteReadModels({ file });
  const reader = openSqliteReadModels({ file, readOnly: true });
  expect((await reader.get(things, 'd1'))?.id).toBe('d1');
  discardViews(file);
  await models.prepare(things);
  expect(await reader.get(things, 'd1')).toBeUndefined();
  expect(await models.checkpoint('views')).toBeNull();
  await reader.close();
  await models.close();
});
