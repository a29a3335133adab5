/** Restores a backup into an empty folder. The mark is written first and the log last, so that no service starts on an interrupted restore. */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { deriveRegisterKey, deriveRestoredKey } from '../events/streams.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import { makeFolder, makeSubfolder, syncFolderOf, writeDurably } from '../flow/durable-file.js';
import { CommandFailedError } from '../failures.js';
import { sealsName } from '../integrity/seal-store.js';
import { joinedLines, readRegister, registerName, textOfLines } from './register-file.js';
import { markRestored } from './restored-mark.js';
import { secretOf, secretsInFolder, type SecretAtHand } from '../stores/secret-of-log.js';
import { copyOut } from './files.js';
import { isSecretName, logName, secretNames, type Manifest } from './manifest.js';
import { compareRegisters, readNamed, type ComparedRegister } from './compare-registers.js';
import { verifyBackup, type BackupCheck, type VerifiedBackup } from './verify-backup.js';

interface RestoreOptions extends BackupCheck {
  /** A backup, or a folder of backups. */
  readonly from: string;
  /** The new data folder. It may be missing, empty, or hold nothing but secrets and keys. */
  readonly to: string;
  /** The file of the newest register, or undefined if none is left. */
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

interface RestoredBackup extends Pick<VerifiedBackup, 'manifest' | 'mac'> {
  readonly backup: string;
  readonly register: ComparedRegister;
  readonly secrets: RestoredSecrets;
  /** The file or variable that has the secret of the log. */
  readonly secret: string;
}

/** Restores a backup. Leaves nothing behind if that fails. @throws CommandFailedError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { from, to, signal, onNotice } = options;
  // 1. Verify
  const kept = demandEmpty(to);
  const secrets = [...options.secrets, ...secretsInFolder(to, onNotice)];
  const { folder, manifest, mac } = await verifyBackup(from, { ...options, secrets });
  signal.throwIfAborted();
  const plan = secretsOf(manifest, kept, options.withSecrets);
  // 2. Find the secret of the log, because the mark is made with it
  const copied = plan.restored.includes('secret') ? secretsInFolder(folder, onNotice) : [];
  const target = path.join(to, 'secret');
  const own = await demandSecret(folder, [...copied.map(({ secret }) => ({ secret, source: target })), ...secrets]);
  // 3. Copy
  const made = makeFolder(to);
  try {
    const files = manifest.files.filter(({ name }) => !isSecretName(name) || plan.restored.includes(name));
    const register = await fill(folder, { ...manifest, files }, { ...options, secret: own.secret });
    // 4. Give the log its name
    renameSync(draftIn(to), path.join(to, logName));
    syncFolderOf(path.join(to, logName));
    return { backup: folder, manifest, mac, register, secrets: plan, secret: own.source };
  } catch (error) {
    // Remove the log first, because a service must not start on a log without its mark.
    rmSync(path.join(to, logName), { force: true });
    syncFolderOf(path.join(to, logName));
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

/** Copies the files of the manifest, the log last and under its draft name. */
async function fill(
  backup: string,
  manifest: Manifest,
  options: RestoreOptions & { readonly secret: string },
): Promise<ComparedRegister> {
  const { log_id, count, root, files } = manifest;
  const { to, register, eventId: event_id, secret, signal, onNotice } = options;
  const owner = { logId: log_id, key: deriveRegisterKey(secret), onNotice };
  // Read the named register first, because the restore ends if that register cannot be used.
  const named = register === undefined ? undefined : readNamed(register, owner);
  markRestored(to, { event_id, log_id, count, root }, deriveRestoredKey(secret));
  const hasSeals = files.some(({ name }) => path.dirname(name) === sealsName);
  if (hasSeals) makeSubfolder(path.join(to, sealsName));
  for (const file of files)
    if (file.name !== logName) await copyOut(backup, file, { to: path.join(to, file.name), signal });
  if (hasSeals) syncFolderOf(path.join(to, sealsName, 'any'));
  const own = readRegister(path.join(to, registerName), owner);
  // This also makes the names of the files above durable.
  writeDurably(own.file, textOfLines(joinedLines([own, ...(named === undefined ? [] : [named])])));
  for (const file of files) if (file.name === logName) await copyOut(backup, file, { to: draftIn(to), signal });
  signal.throwIfAborted();
  return compareRegisters(own, named);
}

/** Returns the secret of the log in the backup. @throws CommandFailedError if none of the secrets is that of the log */
async function demandSecret(backup: string, secrets: readonly SecretAtHand[]): Promise<SecretAtHand> {
  const log = openSqliteEventReader({ file: path.join(backup, logName), pollMs: 0, isFrozen: true });
  try {
    const ofLog = await secretOf(
      log,
      secrets.map(({ secret }) => secret),
    );
    const own = secrets.find(({ secret }) => secret === ofLog);
    if (own !== undefined) return own;
  } finally {
    await log.close();
  }
  throw new CommandFailedError(
    'The secret of the log in this backup is needed, because the service does not start without it and because the mark of the restore is made with it. Set SECRET, put the file secret into the new folder, or add --with-secrets if the backup has the secret.',
    { type: 'no_secret' },
  );
}
