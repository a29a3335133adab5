/** Translates errors of the file into errors of the port, and reports damage. */
import { createPrivately } from '../../flow/durable-file.js';
import { sqliteCode, sqliteMessage } from '../../sqlite/database.js';
import {
  CommitConflictError,
  InvalidCursorError,
  ReadModelsBusyError,
  ReadModelsUnavailableError,
  ViewDamagedError,
  type StoredView,
} from '../read-models.js';

/** Is called for each read or write that finds damage, before the error is thrown. Must not throw. */
export type OnDamage = (damage: ViewDamagedError) => void;

/** Runs an action on the file and translates its errors into errors of the port. `view` is the view that is read. */
export type Guard = <T>(action: () => T, view?: StoredView) => T;

interface GuardOptions {
  readonly onDamage: OnDamage;
  /** Created when the file itself is damaged, so that the next start removes it. */
  readonly markFile?: string;
}

/** Passes on errors of the port and of wrong calls. All other errors of SQLite mean that the read models are unavailable. Their messages name tables, never values. */
export function createGuard({ onDamage, markFile }: GuardOptions): Guard {
  function reported(damage: ViewDamagedError): ViewDamagedError {
    if (damage.view === undefined && markFile !== undefined) mark(markFile);
    onDamage(damage);
    return damage;
  }

  return (action, view) => {
    try {
      return action();
    } catch (error) {
      if (error instanceof ViewDamagedError) throw reported(error);
      if (isDamage(error)) throw reported(new ViewDamagedError(sqliteMessage(error), undefined, { cause: error }));
      // A number in the file that JavaScript cannot hold, and the service never writes.
      if (error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE')
        throw reported(new ViewDamagedError('a row has a number that is out of range', view, { cause: error }));
      throw inWordsOfPort(error);
    }
  };
}

/** Without the mark, the next start checks the file by itself. */
function mark(file: string): void {
  try {
    createPrivately(file);
  } catch {
    return;
  }
}

function inWordsOfPort(error: unknown): unknown {
  if (error instanceof CommitConflictError || error instanceof InvalidCursorError) return error;
  if (sqliteCode(error) === 'SQLITE_BUSY') return new ReadModelsBusyError(sqliteMessage(error), { cause: error });
  if (sqliteCode(error) !== undefined) return new ReadModelsUnavailableError(sqliteMessage(error), { cause: error });
  return error;
}

export const isDamage = (error: unknown): boolean =>
  ['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(sqliteCode(error) ?? '');

/** The file whose existence says that the file of views is damaged. */
export const damageMark = (file: string): string => `${file}.damaged`;
