/** Verifies a backup: the MAC of its manifest, the SHA-256 of its files, its log with SQLite's own check, its seals, and its register. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { deriveRegisterKey, deriveRestoredKey } from '../events/streams.js';
import { readLogId } from '../eventstore/log-id.js';
import type { EventReader } from '../eventstore/event-store.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import { verifyLog } from '../integrity/verify.js';
import { ofAnotherLog, readSignedSeal, SealError, type KnownSeal } from '../integrity/seal.js';
import { sealsName, type SealKeys } from '../integrity/seal-store.js';
import { CommandFailedError } from '../failures.js';
import { secretOf, type SecretAtHand } from '../stores/secret-of-log.js';
import { demandFiles } from './files.js';
import { findBackup, type FoundBackup } from './folder.js';
import { logName, macState, manifestName } from './manifest.js';
import { noticeOfInvalid } from './compare-registers.js';
import { readRegister, registerName } from './register-file.js';

const doNotRestore = 'Do not restore from this backup.';

interface LogCheck {
  /** Secrets from anywhere but the backup itself, whatever log they belong to. */
  readonly secrets: readonly SecretAtHand[];
  readonly signal: AbortSignal;
  /** Called with the number of events so far and the number of all events. */
  readonly onVerified: (done: number, total: number | undefined) => void;
  /** Called with facts for the operator. */
  readonly onNotice: (notice: string) => void;
}

interface CopyCheck extends LogCheck {
  /** The remedy if the log was altered. */
  readonly advice: string;
}

interface VerifiedLog {
  readonly log_id: string;
  readonly restores: number;
  readonly count: number;
  readonly root: string;
  readonly position: string;
  readonly seals: ComparedSeals;
  /** The secret of this log; undefined if it is not known. */
  readonly secret: string | undefined;
}

/** Numbers of seals in the backup. */
interface ComparedSeals {
  /** Seals that match the log. */
  readonly match: number;
  /** Seals of events that a restore removed. */
  readonly excused: number;
}

interface SealFiles {
  /** Files of the backup, the seals among them. */
  readonly files: readonly { readonly name: string }[];
  /** Public keys whose seals count. */
  readonly keys: SealKeys;
}

/**
 * Verifies the log in a backup, and compares it with the seals in the backup. Ignores seals of other logs.
 * @throws CommandFailedError if the log was altered
 * @throws StoreUnavailableError
 * @throws what the file system throws
 */
export async function verifyCopy(
  backup: string,
  sealFiles: SealFiles,
  { secrets, signal, onVerified, onNotice, advice }: CopyCheck,
): Promise<VerifiedLog> {
  const seals = readSeals(backup, sealFiles, onNotice);
  const log = openSqliteEventReader({ file: path.join(backup, logName), pollMs: 0, isFrozen: true });
  const altered = (why: string): CommandFailedError =>
    new CommandFailedError(`The log in ${backup} was altered: ${why}. ${advice}`, {
      type: 'backup_altered',
      exitCode: 1,
    });
  try {
    const secret = await knownSecretOf(log, secrets);
    const restoredKey = secret === undefined ? undefined : deriveRestoredKey(secret);
    const total = await log.tree.count();
    const onProgress = (done: number): void => onVerified(done, total);
    const logId = await readLogId(log);
    const sealsOfLog = seals.filter((seal) => ofAnotherLog(seal, logId) === undefined);
    const result = await verifyLog({ source: log, seals: sealsOfLog, restoredKey, signal, onProgress });
    const { log_id, count, root, position } = result;
    if (result.difference !== null) throw altered(result.difference.message);
    if (log_id === null || root === null) throw altered('its first event does not name the log');
    const numberOf = (state: string): number => result.seals.filter((one) => one.state === state).length;
    const compared = { match: numberOf('holds'), excused: numberOf('excused') };
    return { log_id, restores: result.restores.length, count, root, position, seals: compared, secret };
  } finally {
    await log.close();
  }
}

/** Returns the seals of a backup that count. Names the others in a notice. @throws what the file system throws */
function readSeals(backup: string, { files, keys }: SealFiles, onNotice: LogCheck['onNotice']): readonly KnownSeal[] {
  const names = files.map(({ name }) => name).filter((name) => name.startsWith(`${sealsName}/`));
  return names.flatMap((name) => {
    const file = path.join(backup, name);
    try {
      const seal = readSignedSeal(readFileSync(file, 'utf8'));
      if (!keys.has(seal.public_key)) throw new SealError('it is signed with a key that does not count');
      return [seal];
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      onNotice(`Ignored the seal ${file}: ${error.message}.`);
      return [];
    }
  });
}

/** Returns the secret of the log, or undefined if it is not known or the first event cannot be read, which verification reports. */
export async function knownSecretOf(
  log: Pick<EventReader, 'readStream'>,
  secrets: readonly SecretAtHand[],
): Promise<string | undefined> {
  try {
    return await secretOf(
      log,
      secrets.map(({ secret }) => secret),
    );
  } catch {
    return undefined;
  }
}

export interface BackupCheck extends LogCheck {
  /** Whether to accept a manifest without a valid MAC although a secret is known. */
  readonly acceptsUnsigned: boolean;
}

export interface VerifiedBackup extends FoundBackup {
  /** `accepted`: the MAC is missing or not valid, and that was accepted. */
  readonly mac: 'valid' | 'not_checked' | 'accepted';
  readonly seals: ComparedSeals;
  readonly register: CheckedRegister;
}

interface CheckedRegister {
  /** Number of lines of this log that are valid, or whose MAC was not checked. */
  readonly entries: number;
  /** Number of lines that are damaged or have a wrong MAC. */
  readonly invalid: number;
  /** Whether the MACs of the lines were checked, which takes the secret. */
  readonly checked: boolean;
}

/** Verifies a backup. @param named a backup, or a folder of backups, of which the newest is verified @throws CommandFailedError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function verifyBackup(named: string, check: BackupCheck): Promise<VerifiedBackup> {
  const { folder, manifest } = findBackup(named, check.onNotice);
  const mac = demandMac({ folder, manifest }, check);
  await demandFiles(folder, manifest, check.signal);
  const sealFiles = { files: manifest.files, keys: new Set(manifest.seal_keys) };
  const found = await verifyCopy(folder, sealFiles, { ...check, advice: doNotRestore });
  for (const name of ['log_id', 'restores', 'count', 'root', 'position'] as const)
    if (found[name] !== manifest[name])
      throw new CommandFailedError(
        `The log in ${folder} does not match its manifest: ${name} differs. ${doNotRestore}`,
        { type: 'backup_altered', exitCode: 1 },
      );
  return { folder, manifest, mac, seals: found.seals, register: checkRegister(folder, found, check.onNotice) };
}

function checkRegister(
  backup: string,
  { log_id: logId, secret }: VerifiedLog,
  onNotice: (notice: string) => void,
): CheckedRegister {
  const key = secret === undefined ? undefined : deriveRegisterKey(secret);
  const content = readRegister(path.join(backup, registerName), { logId, key });
  noticeOfInvalid(content, onNotice);
  return { entries: content.lines.length, invalid: content.invalid.length, checked: key !== undefined };
}

/** Checks the MAC of a manifest. @throws CommandFailedError if a secret is known, the MAC is missing or not valid, and that is not accepted */
function demandMac({ folder, manifest }: FoundBackup, check: BackupCheck): VerifiedBackup['mac'] {
  const { secrets, acceptsUnsigned, onNotice } = check;
  const file = path.join(folder, manifestName);
  const state = macState(manifest, secrets);
  switch (state) {
    case 'valid':
      return 'valid';
    case 'not_checked':
      onNotice(
        `Nothing was checked with the secret, because it is not known here. Anyone who can write to ${folder} may have altered this backup. To check it, set SECRET to the secret of the log.`,
      );
      return 'not_checked';
    default: {
      const sources = [...new Set(secrets.map(({ source }) => source))].join(', ');
      const what =
        state === 'missing'
          ? `${file} has no MAC: the backup was made without the secret, or the MAC was removed`
          : `The MAC of ${file} is not valid under the secret at hand (${sources}): the manifest was altered, or that is the secret of another log than ${manifest.log_id}`;
      if (!acceptsUnsigned)
        throw new CommandFailedError(
          state === 'missing'
            ? `${what}. Name another backup, or add --accept-unsigned if you are sure where this one comes from.`
            : `${what}. Name another backup, or set SECRET to the secret of that log. If you are sure where this backup comes from, add --accept-unsigned.`,
          { type: state === 'missing' ? 'backup_unsigned' : 'backup_altered', exitCode: 1 },
        );
      onNotice(`${what}. Accepted because of --accept-unsigned.`);
      return 'accepted';
    }
  }
}
