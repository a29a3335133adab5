/** A connection for reading that is opened again after a read error, because a disk may fail once and then answer. */
import { sqliteCode, type Database, type Statement, type Value } from './database.js';

export type ReopeningDatabase = ReturnType<typeof openReopening>;

/** @throws what `open` throws */
export function openReopening(open: () => Database) {
  let connection = connect();
  let isClosed = false;

  function connect() {
    return { db: open(), statements: new Map<string, Statement<readonly Value[], readonly unknown[]>>() };
  }

  /** Returns a statement of the present connection, whose rows are arrays. It must not be kept. */
  function rows<Parameters extends readonly Value[], Row>(sql: string): Statement<Parameters, Row> {
    const { db, statements } = connection;
    const statement = statements.get(sql) ?? db.prepareRows<readonly Value[], readonly unknown[]>(sql);
    statements.set(sql, statement);
    return statement as unknown as Statement<Parameters, Row>;
  }

  return {
    rows,
    /** The first column of the first row. */
    value: <Parameters extends readonly Value[], First>(sql: string, ...parameters: Parameters): First | undefined =>
      rows<Parameters, readonly [First]>(sql).get(...parameters)?.[0],
    db: (): Database => connection.db,
    /** Runs a read to its end. If the disk fails, opens the file again and runs the read once more. */
    reading<Result>(read: () => Result): Result {
      // The file could not be opened again after the last read error.
      if (!connection.db.isOpen && !isClosed) connection = connect();
      try {
        return read();
      } catch (error) {
        if (!isReadError(error)) throw error;
        connection.db.close();
        connection = connect();
        return read();
      }
    },
    close(): void {
      isClosed = true;
      connection.db.close();
    },
  };
}

/**
 * Returns whether the disk may not have answered, which says nothing about what is in the file. SQLite reports EIO as
 * SQLITE_CORRUPT, so only a file that was opened again tells damage from a read error.
 */
const isReadError = (error: unknown): boolean =>
  ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes(sqliteCode(error) ?? '');

/** Runs what opens a file, and once more if the disk may not have answered. @throws what `open` throws */
export function openTwice<Opened>(open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    if (!isReadError(error) && !(error instanceof Error && isReadError(error.cause))) throw error;
    return open();
  }
}
