/** SQLite as Node brings it: opens files, prepares statements, runs transactions. Nothing else in `src` imports `node:sqlite`. */
import { existsSync, realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** A number is stored as one with a fraction where its column names no type; a `bigint` is an integer everywhere. */
export type Value = string | number | bigint | null | Uint8Array;

/** @typeParam Row what one row is read as; integers above 2^53 are a RangeError */
export interface Statement<Parameters extends readonly Value[] = readonly Value[], Row = unknown> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  iterate(...parameters: Parameters): IterableIterator<Row>;
  run(...parameters: Parameters): StatementResult;
}

interface StatementResult {
  readonly changes: number;
  readonly lastInsertRowid: number;
}

/** `create` makes the file where there is none; the others demand it. `frozen`: nobody writes to it, so that SQLite needs no files beside it. */
type Access = 'create' | 'write' | 'read' | 'frozen';

export interface DatabaseOptions {
  readonly access?: Access;
  /** Milliseconds that a statement waits for a lock of another connection; the thread waits with it. Default 5,000. */
  readonly timeout?: number;
}

/** The open connections of this thread by the real path of their file. */
const openFiles = new Map<string, Set<Database>>();

/** Returns whether a connection of this thread has the file open. @param file a real path */
export const isOpenHere = (file: string): boolean => openFiles.has(file);

/** Closes all connections of this thread to the file. */
export function closeAllOf(file: string): void {
  for (const db of [...(openFiles.get(existsSync(file) ? realpathSync(file) : file) ?? [])]) db.close();
}

const modes = { create: 'rwc', write: 'rw', read: 'ro', frozen: 'ro&immutable=1' } as const;

/** A connection. Every method throws what `sqliteCode` knows when SQLite refuses. */
export class Database {
  readonly #db: DatabaseSync;
  readonly #path: string;

  /** @param file a path, or `:memory:` */
  constructor(
    readonly file: string,
    { access = 'create', timeout = 5_000 }: DatabaseOptions = {},
  ) {
    // As a URL, because nothing else opens a file for writing without making it.
    const location = file === ':memory:' ? file : new URL(`${pathToFileURL(file).href}?mode=${modes[access]}`);
    this.#db = new DatabaseSync(location, { timeout, enableForeignKeyConstraints: false });
    // Overwrites deleted content with zeros, because erasures must leave nothing in the file. `vacuum into` uses this setting of the
    // connection, too. Without it, unused parts of the pages of the copy hold bytes of rows.
    this.#db.exec('pragma secure_delete = on');
    this.#path = existsSync(file) ? realpathSync(file) : file;
    openFiles.set(this.#path, (openFiles.get(this.#path) ?? new Set()).add(this));
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  get inTransaction(): boolean {
    return this.#db.isOpen && this.#db.isTransaction;
  }

  exec(sql: string): this {
    this.#db.exec(sql);
    return this;
  }

  /** Rows are objects. */
  prepare<Parameters extends readonly Value[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    return this.#db.prepare(sql) as unknown as Statement<Parameters, Row>;
  }

  /** Rows are arrays, which cost less. */
  prepareRows<Parameters extends readonly Value[], Row>(sql: string): Statement<Parameters, Row> {
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return statement as unknown as Statement<Parameters, Row>;
  }

  /** The first column of each row. */
  prepareValue<Parameters extends readonly Value[], First>(sql: string) {
    const statement = this.prepareRows<Parameters, [First]>(sql);
    return {
      get: (...parameters: Parameters): First | undefined => statement.get(...parameters)?.[0],
      all: (...parameters: Parameters): First[] => statement.all(...parameters).map(([value]) => value),
    };
  }

  /** Reads a pragma, or sets one: `name = value`. Returns the first column of the first row, if there is one. */
  pragma(text: string): unknown {
    return this.prepareValue<[], unknown>(`pragma ${text}`).get();
  }

  /** All or nothing. Inside another transaction it is a part of that one. */
  transaction<Result>(action: () => Result, begin: 'deferred' | 'immediate' = 'deferred'): Result {
    if (this.inTransaction) return action();
    this.#db.exec(`begin ${begin}`);
    try {
      const result = action();
      this.#db.exec('commit');
      return result;
    } catch (error) {
      if (this.inTransaction) this.#db.exec('rollback');
      throw error;
    }
  }

  /** Statements that are not finished end. Safe to call twice. */
  close(): void {
    if (!this.#db.isOpen) return;
    this.#db.close();
    const left = openFiles.get(this.#path);
    left?.delete(this);
    if (left?.size === 0) openFiles.delete(this.#path);
  }
}

/** https://www.sqlite.org/rescode.html: those that a service meets. */
const names: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  17: 'SQLITE_SCHEMA',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
};

/** The name of SQLite's primary result code, `SQLITE_MISUSE` for a connection that is closed; undefined for other errors. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === 'ERR_INVALID_STATE') return 'SQLITE_MISUSE';
  if (error.code !== 'ERR_SQLITE_ERROR' || !('errcode' in error)) return undefined;
  const code = Number(error.errcode);
  return names[code & 0xff] ?? `SQLITE_${code & 0xff}`;
}

/** SQLite's code, with the extended one where it says more, and its message. They name tables, never values. */
export function sqliteMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const name = sqliteCode(error);
  if (name === undefined) return message;
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return `${name}${code > 0xff ? ` (${code})` : ''}: ${message}`;
}
