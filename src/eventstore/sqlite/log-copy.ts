/** A copy of the embedded log as it is at one moment, also while a service writes to it. A process of its own makes it: SQLite does it in one statement, which nothing but the end of a process can stop. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { sqliteMessage } from '../../sqlite/database.js';
import { StoreFullError, StoreUnavailableError } from '../event-store.js';
import { hasRoomBeside } from './beside.js';
import { openForReading } from './schema.js';

interface LogCopyOptions {
  /** Of the log. */
  readonly file: string;
  /** There must be none. For its owner only. */
  readonly to: string;
  readonly signal: AbortSignal;
}

/** When it resolves the copy is on the disk. What is there of one that failed is the caller's to remove. @throws StoreFullError @throws StoreUnavailableError; the signal's reason */
export async function copySqliteLog({ file, to, signal }: LogCopyOptions): Promise<void> {
  signal.throwIfAborted();
  closeSync(openSync(to, 'wx', 0o600));
  // Compiled, also where the tests load the sources.
  const compiled = import.meta.url.replace(/\/src\/(?=eventstore\/sqlite\/log-copy\.ts$)/, '/dist/');
  const program = fileURLToPath(new URL('log-copier.js', compiled));
  const child = spawn(process.execPath, [program, file, to], { stdio: ['pipe', 'ignore', 'pipe'] });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child, 'close').finally(() => signal.removeEventListener('abort', stop));
  signal.throwIfAborted();
  if (child.exitCode !== 0) throw failure(said.trim() || `the process that copies it ended (${child.signalCode})`);
  // SQLite writes such a copy without fsync.
  const handle = await open(to, 'r+');
  await handle.sync().finally(() => handle.close());
}

const failure = (message: string): Error =>
  /^SQLITE_FULL\b/.test(message)
    ? new StoreFullError('there is no room for a copy of the event log')
    : new StoreUnavailableError(`the event log cannot be copied: ${message}`);

/** What the process does. @returns what went wrong, in SQLite's words */
export function vacuumInto(file: string, to: string): string | undefined {
  try {
    const db = openForReading(file, accessTo(file));
    // Else SQLite refuses to write the copy, too.
    db.pragma('query_only = OFF');
    db.prepare('vacuum into ?').run(to);
    db.close();
    return undefined;
  } catch (error) {
    return sqliteMessage(error);
  }
}

/** Without SQLite's own files beside it only a connection that may write can read; it takes them away again. */
function accessTo(file: string): 'read' | 'write' | 'frozen' {
  const [wal, shm] = ['-wal', '-shm'].map((end) => existsSync(file + end));
  if (wal && shm) return 'read';
  // A full disk, or one that cannot be written to: no service runs there.
  return wal || hasRoomBeside(file) ? 'write' : 'frozen';
}
