/** A lock that one process at a time holds: an exclusive SQLite transaction on a file of its own. The system releases it when the process ends, also by SIGKILL. */
import { Database, sqliteCode, sqliteMessage } from '../../sqlite/database.js';
import { createPrivately } from '../../flow/durable-file.js';
import { StoreUnavailableError } from '../event-store.js';

/** Takes the lock until `close`. The file must not be deleted while the lock is held. @throws what `taken` makes if another process holds it @throws StoreUnavailableError */
export function takeLock(file: string, taken: () => Error): { close(): void } {
  let lock: Database | undefined;
  try {
    createPrivately(file);
    lock = new Database(file, { timeout: 0 });
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock?.close();
    if (sqliteCode(error) === 'SQLITE_BUSY') throw taken();
    throw new StoreUnavailableError(`the lock file ${file} cannot be used: ${sqliteMessage(error)}`, { cause: error });
  }
}
