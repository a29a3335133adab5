/** Restores a backup into an empty folder. The mark comes first and the log last, so that what a kill leaves half-made is never served. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import path from 'node:path';
import { syncFolderOf, writeDurably } from '../flow/durable-file.js';
import { sealsName } from '../evidence/seal-folder.js';
import { CommandFailedError } from '../failures.js';
import { joinedRegisters, registerName } from '../privacy/register.js';
import { markRestored } from '../stores/restored.js';
import { logName, type Manifest } from './manifest.js';
import { comparedRegister, type ComparedRegister } from './newest-register.js';
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
  readonly register: ComparedRegister;
}

/** Nothing is left of one that fails. @throws CommandFailedError @throws RegisterError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { from, to, signal } = options;
  demandEmpty(to);
  const { folder, manifest } = await verifyBackup(from, options);
  const own = path.join(folder, registerName);
  const register = comparedRegister({ own, given: options.register, logId: manifest.log_id });
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
