/** A connection that is opened again after a read error. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/sqlite/database.js';
import { openReopening } from '../../src/sqlite/reopening.js';

/** An error as SQLite gives it. */
const failure = (errcode: number): Error =>
  Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode });

/** Opens a file whose first reads fail, and which cannot be opened again at first. */
function open(errors: Error[], openErrors: Error[] = []) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'reopening-'));
  const file = path.join(folder, 'file.db');
  new Database(file).exec('create table t (a); insert into t values (7)').close();
  let opened = 0;
  const log = openReopening(() => {
    opened += 1;
    const error = opened > 1 ? openErrors.shift() : undefined;
    if (error !== undefined) throw error;
    return new Database(file, { access: 'read' });
  });
  onTestFinished(() => {
    log.close();
    rmSync(folder, { recursive: true });
  });
  const read = (): number | undefined =>
    log.reading(() => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return log.value<[], number>('select a from t');
    });
  return { read, opened: () => opened };
}

test('a temporary read error ends nothing, because the file is opened again and the read is repeated', () => {
  const { read, opened } = open([failure(266)]);
  expect(read()).toBe(7);
  expect(opened()).toBe(2);
  expect(read()).toBe(7);
  expect(opened()).toBe(2);
});

test('a repeated read error is thrown, and the next read opens the file again', () => {
  const { read } = open([failure(266), failure(266)]);
  expect(read).toThrow('disk I/O error');
  expect(read()).toBe(7);
});

test('a file that could not be opened again for a moment was never read again', () => {
  const { read } = open([failure(266)], [failure(14)]);
  expect(read).toThrow('disk I/O error');
  expect(read()).toBe(7);
});

test('EIO, which SQLite calls corruption, ends nothing', () => {
  const { read } = open([failure(11)]);
  expect(read()).toBe(7);
});

test('other errors are thrown at once', () => {
  const { read, opened } = open([failure(5)]);
  expect(read).toThrow();
  expect(opened()).toBe(1);
});
