/** Verifies a backup: its files by their sums, its log by its chain, its mark at the end and SQLite's own check. */
import path from 'node:path';
import { deriveHeadKey } from '../events/streams.js';
import type { ChainHead } from '../eventstore/chain.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import type { LogPlace } from '../evidence/open-links.js';
import { verifyLog, type Verification } from '../evidence/verify.js';
import { CommandFailedError } from '../failures.js';
import { dataFolderAt } from '../stores/data-folder.js';
import { secretOf } from '../stores/secret-of-log.js';
import { findBackup } from './folder.js';
import { demandSums, logName, type Manifest } from './manifest.js';

export interface LogCheck {
  readonly headKey: LogPlace['headKey'];
  readonly signal: AbortSignal;
  /** With the number of events so far, and how many there are; undefined: that is not known. */
  readonly onVerified: (done: number, total: number | undefined) => void;
}

/** @throws CommandFailedError the copy is not a log as it was written @throws StoreUnavailableError */
export async function verifyCopy(backup: string, { headKey, signal, onVerified }: LogCheck): Promise<Verification> {
  const log = openSqliteEventReader({ file: path.join(backup, logName), pollMs: 0 });
  try {
    const own = dataFolderAt(backup).secret();
    const secret = own === undefined ? undefined : await secretOf(log, [own]);
    const key = secret === undefined ? await headKey(log) : deriveHeadKey(secret);
    const total = log.chainHead().count;
    const onProgress = (done: number): void => onVerified(done, total);
    const result = await verifyLog({ source: log, depth: 'chain', sealedHead: { key }, signal, onProgress });
    if (result.intact && result.log_id !== null) return result;
    const why = result.intact ? 'it does not say which log it is' : result.difference.message;
    throw new CommandFailedError(`The log in ${backup} is not as it was written: ${why}.`, {
      type: 'backup_altered',
      exitCode: 1,
    });
  } finally {
    await log.close();
  }
}

interface VerifiedBackup {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly head: ChainHead;
}

/** @param named a backup, or a folder of backups, of which the newest counts @throws CommandFailedError @throws StoreUnavailableError */
export async function verifyBackup(named: string, check: LogCheck): Promise<VerifiedBackup> {
  const { folder, manifest } = findBackup(named);
  await demandSums(folder, manifest, check.signal);
  const { log_id, count, head, position } = await verifyCopy(folder, check);
  if (log_id !== manifest.log_id || count !== manifest.count || head !== manifest.head)
    throw new CommandFailedError(`The log in ${folder} is not the one of its manifest.`, {
      type: 'backup_altered',
      exitCode: 1,
    });
  return { folder, manifest, head: { count, head, position } };
}
