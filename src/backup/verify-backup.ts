/** Verifies a backup: the MAC of its manifest, the SHA-256 of its files, the chain of its log, the mark at the end of the log, and SQLite's own check. */
import path from 'node:path';
import { deriveHeadKey } from '../events/streams.js';
import type { ChainHead } from '../eventstore/chain.js';
import { openSqliteEventReader, type SqliteEventReader } from '../eventstore/sqlite/reader.js';
import { restoresOf } from '../evidence/restores.js';
import { verifyLog, type Verification } from '../evidence/verify.js';
import { CommandFailedError } from '../failures.js';
import { secretOf, type SecretAtHand } from '../stores/secret-of-log.js';
import { demandFiles } from './files.js';
import { findBackup, type FoundBackup } from './folder.js';
import { logName, macState, manifestName } from './manifest.js';

const doNotRestore = 'Do not restore from this backup.';

interface LogCheck {
  /** Secrets from anywhere but the backup itself, whatever log they belong to. */
  readonly secrets: readonly SecretAtHand[];
  readonly signal: AbortSignal;
  /** Called with the number of events so far and the number of all events. */
  readonly onVerified: (done: number, total: number | undefined) => void;
}

type VerifiedLog = Verification & {
  readonly log_id: string;
  readonly restores: number;
  /** The secret of this log; undefined if it is not known. */
  readonly secret: string | undefined;
};

/** Verifies the log in a folder. @param advice what to do if the log was altered @throws CommandFailedError if it was altered @throws StoreUnavailableError */
export async function verifyCopy(
  backup: string,
  advice: string,
  { secrets, signal, onVerified }: LogCheck,
): Promise<VerifiedLog> {
  const log = openSqliteEventReader({ file: path.join(backup, logName), pollMs: 0, isFrozen: true });
  const altered = (why: string): CommandFailedError =>
    new CommandFailedError(`The log in ${backup} was altered: ${why}. ${advice}`, {
      type: 'backup_altered',
      exitCode: 1,
    });
  try {
    const secret = await secretOfCopy(log, secrets);
    const key = secret === undefined ? undefined : deriveHeadKey(secret);
    const total = log.chainHead().count;
    const onProgress = (done: number): void => onVerified(done, total);
    const result = await verifyLog({ source: log, depth: 'chain', sealedHead: { key }, signal, onProgress });
    const { log_id } = result;
    if (!result.intact) throw altered(result.difference.message);
    if (log_id === null) throw altered('its first event does not name the log');
    return { ...result, log_id, restores: (await restoresOf(log)).length, secret };
  } finally {
    await log.close();
  }
}

/** Returns the secret of the log, or undefined if it is not known or the first event cannot be read, which verification reports. */
async function secretOfCopy(log: SqliteEventReader, secrets: readonly SecretAtHand[]): Promise<string | undefined> {
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
  readonly onNotice: (notice: string) => void;
}

export interface VerifiedBackup extends FoundBackup {
  /** `accepted`: the MAC is missing or not valid, and that was accepted. */
  readonly mac: 'valid' | 'not_checked' | 'accepted';
  readonly head: ChainHead;
}

/** Verifies a backup. @param named a backup, or a folder of backups, of which the newest is verified @throws CommandFailedError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function verifyBackup(named: string, check: BackupCheck): Promise<VerifiedBackup> {
  const { folder, manifest } = findBackup(named, check.onNotice);
  const mac = demandMac({ folder, manifest }, check);
  await demandFiles(folder, manifest, check.signal);
  const { log_id, restores, count, head, position } = await verifyCopy(folder, doNotRestore, check);
  const found = { log_id, restores, count, head, position };
  for (const name of ['log_id', 'restores', 'count', 'head', 'position'] as const)
    if (found[name] !== manifest[name])
      throw new CommandFailedError(
        `The log in ${folder} does not match its manifest: ${name} differs. ${doNotRestore}`,
        { type: 'backup_altered', exitCode: 1 },
      );
  return { folder, manifest, mac, head: { count, head, position } };
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
