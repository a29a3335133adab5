/** A right that one process at a time has: an exclusive transaction on a file of its own, held for life. The system takes it back when the process ends, however it ends. */
import { Database, sqliteCode, sqliteMessage } from '../../sqlite/database.js';
import { StoreUnavailableError } from '../event-store.js';

/** The file stays where it is and must not be deleted while somebody holds the lock. @throws what `taken` makes, where another process has it @throws StoreUnavailableError */
export function takeLock(file: string, taken: () => Error): { close(): void } {
  let lock: Database | undefined;
  try {
    lock = new Database(file, { timeout: 0 });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    if (sqliteCode(error) === 'SQLITE_BUSY') throw taken();
    throw new StoreUnavailableError(`the lock file ${file} cannot be used: ${sqliteMessage(error)}`, { cause: error });
  }
}
