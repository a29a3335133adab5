/** Restores a backup into an empty folder. The mark comes first and the log last, so that no service starts on a restore that was killed. */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import { makeFolder, makeSubfolder, syncFolderOf, writeDurably } from '../flow/durable-file.js';
import { sealsName } from '../evidence/seal-folder.js';
import { CommandFailedError } from '../failures.js';
import { joinedRegisters, registerName } from '../privacy/register.js';
import { markRestored } from '../stores/restored.js';
import { secretOf, secretsInFolder, type SecretAtHand } from '../stores/secret-of-log.js';
import { copyOut } from './files.js';
import { isSecretName, logName, secretNames, type Manifest } from './manifest.js';
import { comparedRegister, type ComparedRegister } from './newest-register.js';
import { verifyBackup, type BackupCheck, type VerifiedBackup } from './verify-backup.js';

interface RestoreOptions extends BackupCheck {
  /** A backup, or a folder of backups. */
  readonly from: string;
  /** The new data folder. It may be missing, empty, or hold nothing but secrets and keys. */
  readonly to: string;
  /** The newest register; undefined if none is left. */
  readonly register: string | undefined;
  /** Restores secrets and keys as well. */
  readonly withSecrets: boolean;
  /** Id of the event that the first start appends. */
  readonly eventId: string;
}

interface RestoredSecrets {
  readonly restored: readonly string[];
  /** Files of the backup that were not restored, because --with-secrets was not given. */
  readonly left_out: readonly string[];
  /** Files that were in the folder before. */
  readonly kept: readonly string[];
}

interface RestoredBackup extends Omit<VerifiedBackup, 'folder' | 'head'> {
  readonly backup: string;
  readonly register: ComparedRegister;
  readonly secrets: RestoredSecrets;
  /** The file or variable that has the secret of the log; null if none is known. */
  readonly secret: string | null;
}

/** Restores a backup. Leaves nothing behind if that fails. @throws CommandFailedError @throws RegisterError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { from, to, signal, onNotice } = options;
  // 1. Verify
  const kept = demandEmpty(to);
  const secrets = [...options.secrets, ...secretsInFolder(to, onNotice)];
  const { folder, manifest, mac } = await verifyBackup(from, { ...options, secrets });
  signal.throwIfAborted();
  // 2. Copy
  const plan = secretsOf(manifest, kept, options.withSecrets);
  const made = makeFolder(to);
  try {
    const files = manifest.files.filter(({ name }) => !isSecretName(name) || plan.restored.includes(name));
    const register = await fill(folder, { ...manifest, files }, options);
    // 3. Find the secret of the log
    const secret = await placeOfSecret(to, secrets);
    // 4. Give the log its name
    renameSync(draftIn(to), path.join(to, logName));
    syncFolderOf(path.join(to, logName));
    return { backup: folder, manifest, mac, register, secrets: plan, secret };
  } catch (error) {
    for (const name of readdirSync(to))
      if (!kept.includes(name)) rmSync(path.join(to, name), { recursive: true, force: true });
    if (made !== undefined) rmSync(made, { recursive: true });
    throw error;
  }
}

/** Returns the names of the secrets and keys in the folder. @throws CommandFailedError if the folder has anything else */
function demandEmpty(to: string): readonly string[] {
  const refuse = (what: string): CommandFailedError =>
    new CommandFailedError(
      `${what}. A backup is restored into a folder that is empty or has nothing but ${secretNames.join(', ')}.`,
      { type: 'not_empty' },
    );
  if (!existsSync(to) && lstatSync(to, { throwIfNoEntry: false }) === undefined) return [];
  if (statSync(to, { throwIfNoEntry: false })?.isDirectory() !== true) throw refuse(`${to} is not a folder`);
  const names = readdirSync(to);
  for (const name of names) {
    if (!isSecretName(name)) throw refuse(`${to} is not empty`);
    // A link could lead a later write elsewhere.
    if (!lstatSync(path.join(to, name)).isFile()) throw refuse(`${path.join(to, name)} is not a regular file`);
  }
  return names;
}

/** Returns which secrets are restored, left out and kept. A file that is in the folder already is never replaced. */
function secretsOf({ secrets }: Manifest, kept: readonly string[], withSecrets: boolean): RestoredSecrets {
  const missing = secrets.filter((name) => !kept.includes(name));
  return withSecrets ? { restored: missing, left_out: [], kept } : { restored: [], left_out: missing, kept };
}

const draftIn = (to: string): string => path.join(to, `${logName}.part`);

/** Copies the files of the manifest, the log last. The log has its draft name until the end. */
async function fill(backup: string, manifest: Manifest, options: RestoreOptions): Promise<ComparedRegister> {
  const { log_id, count, head, files } = manifest;
  const { to, register: given, eventId: event_id, signal } = options;
  markRestored(to, { event_id, log_id, count, head });
  const hasSeals = files.some(({ name }) => path.dirname(name) === sealsName);
  if (hasSeals) makeSubfolder(path.join(to, sealsName));
  for (const file of files)
    if (file.name !== logName) await copyOut(backup, file, { to: path.join(to, file.name), signal });
  if (hasSeals) syncFolderOf(path.join(to, sealsName, '.'));
  // Read the copy of the register, because reading the original would also read an older register beside it.
  const own = path.join(to, registerName);
  const register = comparedRegister({ own, given, logId: log_id });
  writeDurably(own, joinedRegisters([own, ...(given === undefined ? [] : [given])]));
  for (const file of files) if (file.name === logName) await copyOut(backup, file, { to: draftIn(to), signal });
  signal.throwIfAborted();
  return register;
}

/** Returns the file or variable that has the secret of the log, or null. */
async function placeOfSecret(to: string, others: readonly SecretAtHand[]): Promise<string | null> {
  const secrets = [...secretsInFolder(to, () => undefined), ...others];
  const log = openSqliteEventReader({ file: draftIn(to), pollMs: 0, isFrozen: true });
  try {
    const ofLog = await secretOf(
      log,
      secrets.map(({ secret }) => secret),
    );
    return secrets.find(({ secret }) => secret === ofLog)?.source ?? null;
  } finally {
    await log.close();
  }
}
