/** Restores a backup into an empty folder. The mark comes first and the log last, so that what a kill leaves half-made is never served. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import path from 'node:path';
import { syncFolderOf, writeDurably } from '../eventstore/durable-file.js';
import { sealsName } from '../evidence/seal-folder.js';
import { CommandFailedError } from '../failures.js';
import { joinedRegisters, newestOf, readRegister, registerName } from '../privacy/register.js';
import { markRestored } from '../stores/restored.js';
import { logName, type Manifest } from './manifest.js';
import { verifyBackup, type LogCheck } from './verify-backup.js';

interface RestoreOptions extends LogCheck {
  /** A backup, or a folder of backups. */
  readonly from: string;
  readonly to: string;
  /** The newest register; undefined: there is none. */
  readonly register: string | undefined;
  /** Id of the event that the first start appends. */
  readonly eventId: string;
}

interface RestoredBackup {
  readonly backup: string;
  readonly manifest: Manifest;
  readonly register: {
    readonly file: string | null;
    readonly entries: number;
    /** When the newest thing in it was asked for. */
    readonly newest: string | null;
    /** When the file was last written. */
    readonly written_at: string | null;
    /** Entries that the backup does not have. */
    readonly newer: number;
    /** Entries of the backup that it lacks: then it is an older one. */
    readonly lacks: number;
  };
}

/** Nothing is left of one that fails. @throws CommandFailedError @throws RegisterError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { from, to, signal } = options;
  demandEmpty(to);
  const { folder, manifest } = await verifyBackup(from, options);
  const register = registerOf(folder, manifest, options.register);
  signal.throwIfAborted();
  const made = mkdirSync(to, { recursive: true, mode: 0o700 });
  try {
    await fill(folder, manifest, options);
  } catch (error) {
    for (const name of readdirSync(to)) rmSync(path.join(to, name), { recursive: true });
    if (made !== undefined) rmSync(made, { recursive: true });
    throw error;
  }
  return { backup: folder, manifest, register };
}

/** @throws CommandFailedError */
function demandEmpty(to: string): void {
  if (!existsSync(to)) return;
  if (statSync(to).isDirectory() && readdirSync(to).length === 0) return;
  throw new CommandFailedError(`${to} is not an empty folder: a backup is restored into an empty one only.`, {
    type: 'not_empty',
  });
}

/** @throws CommandFailedError @throws RegisterError */
function registerOf(backup: string, { log_id }: Manifest, file: string | undefined): RestoredBackup['register'] {
  const own = readRegister(path.join(backup, registerName), log_id);
  const none = {
    file: null,
    entries: own.erasures.length + own.keys.length + own.refusals.length,
    newest: newestOf(own) ?? null,
  };
  if (file === undefined) return { ...none, written_at: null, newer: 0, lacks: 0 };
  if (!existsSync(file)) throw new CommandFailedError(`There is no register ${file}.`, { type: 'no_register' });
  const given = readRegister(file, log_id);
  const linesOf = ({ erasures, keys, refusals }: typeof own): ReadonlySet<string> =>
    new Set([...erasures, ...keys, ...refusals].map((one) => JSON.stringify(one)));
  const [there, here] = [linesOf(given), linesOf(own)];
  if (there.size === 0 && joinedRegisters([file]) !== '')
    throw new CommandFailedError(`${file} is the register of another log.`, { type: 'other_register' });
  return {
    ...{ file, entries: there.size, newest: newestOf(given) ?? null, written_at: statSync(file).mtime.toISOString() },
    ...{ newer: countBeyond(there, here), lacks: countBeyond(here, there) },
  };
}

const countBeyond = (some: ReadonlySet<string>, others: ReadonlySet<string>): number =>
  [...some].filter((one) => !others.has(one)).length;

async function fill(backup: string, { log_id, count, head, files }: Manifest, options: RestoreOptions): Promise<void> {
  const { to, register, eventId: event_id, signal } = options;
  markRestored(to, { event_id, log_id, count, head });
  const registers = [path.join(backup, registerName), ...(register === undefined ? [] : [register])];
  writeDurably(path.join(to, registerName), joinedRegisters(registers));
  for (const { name } of files) {
    signal.throwIfAborted();
    if (name === logName || name === registerName) continue;
    if (path.dirname(name) === sealsName) mkdirSync(path.join(to, sealsName), { recursive: true, mode: 0o700 });
    await copyDurably(path.join(backup, name), path.join(to, name));
  }
  if (existsSync(path.join(to, sealsName))) syncFolderOf(path.join(to, sealsName, '.'));
  signal.throwIfAborted();
  const draft = path.join(to, `${logName}.part`);
  await copyDurably(path.join(backup, logName), draft);
  signal.throwIfAborted();
  renameSync(draft, path.join(to, logName));
  syncFolderOf(path.join(to, logName));
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const handle = await open(to, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
