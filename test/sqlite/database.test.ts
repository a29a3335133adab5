/** What the stores rely on in SQLite as Node brings it: integers, texts, transactions, locks, errors, and how a connection ends. */
import fc from 'fast-check';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database, sqliteCode, sqliteMessage, type DatabaseOptions } from '../../src/sqlite/database.js';

let folder: string;
const opened: Database[] = [];
const fileNamed = (name: string): string => path.join(folder, name);

function open(name = 'file.db', options: DatabaseOptions = {}): Database {
  const db = new Database(fileNamed(name), { timeout: 0, ...options });
  opened.push(db);
  return db;
}

function withTable(name?: string): Database {
  const db = open(name);
  db.pragma('journal_mode = WAL');
  return db.exec('create table t (a integer primary key, b text, c blob, d)');
}

const codeOf = (action: () => unknown): string | undefined => {
  try {
    action();
  } catch (error) {
    return sqliteCode(error);
  }
  throw new Error('it did not fail');
};

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'audience-sqlite-'));
});
afterEach(() => {
  for (const db of opened.splice(0)) db.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a file', () => {
  it('is named as it is, with characters that mean something in addresses', () => {
    for (const name of ['a?mode=memory.db', 'b#c.db', 'd%41 e.db', 'f&cache=shared.db', 'ü.db']) {
      withTable(name);
      expect(existsSync(fileNamed(name)), name).toBe(true);
      expect(open(name, { access: 'read' }).prepareValue('select count(*) from t').get()).toBe(0);
    }
  });

  it('is made only where that is asked for', () => {
    for (const access of ['write', 'read'] as const)
      expect(codeOf(() => open('none.db', { access }))).toBe('SQLITE_CANTOPEN');
    expect(existsSync(fileNamed('none.db'))).toBe(false);
  });

  it('that is opened for reading is not written to', () => {
    withTable();
    const reader = open('file.db', { access: 'read' });
    expect(codeOf(() => reader.exec('delete from t'))).toBe('SQLITE_READONLY');
  });
});

describe('values', () => {
  it('any text comes back as it was, NUL and all', () => {
    const db = withTable();
    db.pragma('synchronous = OFF');
    const insert = db.prepare<[string]>('insert into t (b) values (?)');
    const last = db.prepareValue<[], string>('select b from t order by a desc limit 1');
    const bytes = db.prepareValue<[], Uint8Array>('select cast(b as blob) from t order by a desc limit 1');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const stored = `${text}\0${text}`;
        insert.run(stored);
        expect(last.get()).toBe(stored);
        expect(Buffer.from(bytes.get() ?? []).toString()).toBe(stored);
      }),
    );
  });

  it('integers are exact up to 2^53, and none beyond is taken for another', () => {
    const db = withTable();
    const insert = db.prepare<[number]>('insert into t (a) values (?)');
    for (const number of [0, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1)]) {
      expect(insert.run(number)).toEqual({ changes: 1, lastInsertRowid: number });
      expect(db.prepareValue<[number], number>('select a from t where a = ?').get(number)).toBe(number);
    }
    db.exec('insert into t (a) values (9007199254740993), (-9223372036854775808)');
    expect(() => db.prepareValue('select max(a) from t').get()).toThrow(RangeError);
    expect(() => db.prepareRows('select a from t').all()).toThrow(RangeError);
    // As a real number it is rounded, and no safe integer.
    expect(db.prepareValue('select max(a) + 0.0 from t').get()).toBe(2 ** 53);
    expect(db.prepareValue('select min(a) + 0.0 from t').get()).toBe(-(2 ** 63));
  });

  it('bytes and null come back', () => {
    const db = withTable();
    db.prepare<[Uint8Array, null]>('insert into t (c, d) values (?, ?)').run(Buffer.from([0, 255]), null);
    expect(db.prepareRows('select c, d from t').get()).toEqual([new Uint8Array([0, 255]), null]);
  });
});

describe('a transaction', () => {
  const count = (db: Database): number | undefined => db.prepareValue<[], number>('select count(*) from t').get();

  it('is undone as a whole when its action throws, what was nested too', () => {
    const db = withTable();
    const reason = new Error('no');
    const failing = (): void =>
      db.transaction(() => {
        db.exec('insert into t (a) values (1)');
        db.transaction(() => db.exec('insert into t (a) values (2)'), 'immediate');
        throw reason;
      });
    expect(failing).toThrow(reason);
    expect([db.inTransaction, count(db)]).toEqual([false, 0]);
    expect(db.transaction(() => db.exec('insert into t (a) values (3)') && 'done', 'immediate')).toBe('done');
    expect([db.inTransaction, count(db)]).toEqual([false, 1]);
  });

  it('that its connection or its thread does not live to end is undone, and its lock is free', async () => {
    const db = withTable();
    const closing = open();
    closing.exec('begin immediate; insert into t (a) values (1)');
    expect(codeOf(() => db.exec('begin immediate'))).toBe('SQLITE_BUSY');
    closing.close();
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       const db = new (require('node:sqlite').DatabaseSync)(workerData);
       db.exec('begin immediate; insert into t (a) values (2)');
       parentPort.postMessage('begun');
       setInterval(() => db, 1000);`,
      { eval: true, workerData: fileNamed('file.db') },
    );
    await new Promise((resolve) => worker.once('message', resolve));
    expect(codeOf(() => db.exec('begin immediate'))).toBe('SQLITE_BUSY');
    await worker.terminate();
    db.transaction(() => db.exec('insert into t (a) values (3)'), 'immediate');
    expect(db.prepareValue('select a from t').all()).toEqual([3]);
  });

  it('that a reader left half-way does not hold the WAL', () => {
    const db = withTable();
    db.exec('insert into t (a) values (1), (2), (3)');
    const reader = open('file.db', { access: 'read' });
    for (const row of reader.prepareRows<[], [number]>('select a from t').iterate()) if (row[0] === 1) break;
    db.exec('insert into t (a) values (4)');
    expect(db.pragma('wal_checkpoint(TRUNCATE)')).toBe(0);
  });
});

it('a connection closes with statements under way, twice if need be, and then refuses', () => {
  const db = withTable();
  db.exec('insert into t (a) values (1), (2)');
  const select = db.prepareValue<[], number>('select a from t');
  const rows = db.prepareRows('select a from t').iterate();
  rows.next();
  db.close();
  db.close();
  expect(db.isOpen).toBe(false);
  expect(db.inTransaction).toBe(false);
  for (const use of [() => select.get(), () => rows.next(), () => db.exec('select 1')])
    expect(codeOf(use)).toBe('SQLITE_MISUSE');
  open().exec('begin exclusive');
});

it('a row that is deleted, or overwritten in a copy, leaves no bytes in the file', () => {
  const db = open();
  db.exec('create table t (a integer primary key, b text)');
  fill(db, `Zelda ${'x'.repeat(700)}`);
  db.prepare('vacuum into ?').run(fileNamed('copy.db'));
  db.exec('delete from t');
  const copy = open('copy.db');
  // The same number of bytes, so that no row moves.
  copy.exec("update t set b = replace(b, 'Zelda', 'nobod')");
  for (const one of [db, copy]) one.close();
  for (const name of ['file.db', 'copy.db']) expect(readFileSync(fileNamed(name)).includes('Zelda'), name).toBe(false);
});

describe('errors', () => {
  it('bear the name of their code, and say no value', () => {
    const db = withTable();
    const insert = db.prepare<[number, string]>('insert into t (a, b) values (?, ?)');
    insert.run(1, 'ada@example.com');
    const failure = (): unknown => insert.run(1, 'ada@example.com');
    expect(codeOf(failure)).toBe('SQLITE_CONSTRAINT');
    expect(sqliteMessage(thrownBy(failure))).toBe('SQLITE_CONSTRAINT (1555): UNIQUE constraint failed: t.a');
    expect(codeOf(() => db.prepare('select nothing'))).toBe('SQLITE_ERROR');
    expect(sqliteCode(new RangeError('another'))).toBeUndefined();
    expect(sqliteMessage(new RangeError('another'))).toBe('another');
  });

  it('a full file says so, and holds what was there before', () => {
    const db = withTable();
    db.exec('insert into t (a) values (1)');
    db.pragma('max_page_count = 8');
    const text = 'x'.repeat(4_000);
    expect(codeOf(() => db.transaction(() => fill(db, text)))).toBe('SQLITE_FULL');
    expect(db.prepareValue('select a from t').all()).toEqual([1]);
  });

  it('a file that is no database, or whose inside is damaged, says so', () => {
    writeFileSync(fileNamed('text.db'), 'no database\n'.repeat(100));
    expect(codeOf(() => open('text.db').pragma('user_version'))).toBe('SQLITE_NOTADB');
    const db = withTable();
    db.transaction(() => {
      for (let row = 0; row < 100; row += 1) db.exec(`insert into t (b) values ('${'x'.repeat(500)}')`);
    });
    db.close();
    const bytes = readFileSync(fileNamed('file.db'));
    bytes.fill(0xa5, 4096);
    writeFileSync(fileNamed('file.db'), bytes);
    expect(codeOf(() => open().prepareRows('select * from t').all())).toBe('SQLITE_CORRUPT');
  });
});

function fill(db: Database, text: string): void {
  const insert = db.prepare<[string]>('insert into t (b) values (?)');
  for (let row = 0; row < 100; row += 1) insert.run(text);
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
