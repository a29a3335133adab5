/** Reads and writes `restored.json`, which marks a data folder whose log was restored from a backup. The first start records the restore, holds open emails, applies the register and removes the mark. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { field } from '../eventstore/leaf.js';
import { syncFolderOf, writeDurably } from '../flow/durable-file.js';
import { ConfigurationError } from '../stores/config.js';
import type { LogStore } from '../stores/stores.js';

const restoredName = 'restored.json';

const restoredMark = z.object({
  /** Id of the event that records the restore. */
  event_id: z.uuid(),
  log_id: z.string(),
  /** Number of events in the backup, and the root of the tree over these events. */
  count: z.int().min(1),
  root: z.string().regex(/^[0-9a-f]{64}$/),
  /** HMAC-SHA-256 of the members above in hex, so that nobody without the secret can pass a shortened log off as a restore. */
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});
export type RestoredMark = Readonly<z.output<typeof restoredMark>>;
type UnsignedMark = Omit<RestoredMark, 'mac'>;

const fileIn = (dataDir: string): string => path.join(dataDir, restoredName);

function macOf({ event_id, log_id, count, root }: UnsignedMark, key: KeyObject): string {
  const fields = ['audience/restored-mark/1', event_id, log_id, String(count), root];
  return createHmac('sha256', key).update(fields.map(field).join(''), 'utf8').digest('hex');
}

/**
 * Writes the mark with its MAC, before anything else is put into the folder.
 * @param key `deriveRestoredKey` of the secret of the log
 * @throws what the file system throws
 */
export function markRestored(dataDir: string, { event_id, log_id, count, root }: UnsignedMark, key: KeyObject): void {
  const mark = { event_id, log_id, count, root };
  writeDurably(fileIn(dataDir), `${JSON.stringify({ ...mark, mac: macOf(mark, key) })}\n`);
}

/** Removes the mark. @throws what the file system throws */
export function forgetRestored(dataDir: string): void {
  const file = fileIn(dataDir);
  if (!isMarkedRestored(dataDir)) return;
  rmSync(file);
  syncFolderOf(file);
}

export const isMarkedRestored = (dataDir: string): boolean => existsSync(fileIn(dataDir));

/**
 * Returns the mark, or undefined if the log was not restored or its first start is over.
 * @throws ConfigurationError if the mark cannot be read, or the restore was interrupted and its log is missing
 */
export function restoredIn(dataDir: string, log: Pick<LogStore, 'exists'>): RestoredMark | undefined {
  const file = fileIn(dataDir);
  if (!isMarkedRestored(dataDir)) return undefined;
  if (!log.exists())
    throw new ConfigurationError(
      `a restore into ${dataDir} was interrupted. Empty that folder, and run audience restore again. Nothing was changed`,
    );
  try {
    return restoredMark.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new ConfigurationError(
      `${file} cannot be read, and without it emails could be sent twice. Restore from the backup again. Nothing was changed`,
    );
  }
}

interface MarkedLog {
  /** Undefined if the first event of the log does not name the log. */
  readonly logId: string | undefined;
  /** `deriveRestoredKey` of the secret of the log. */
  readonly key: KeyObject;
  /** Returns the root of the tree over the first events of the log, or undefined if the store keeps no tree. */
  readonly rootAt: (count: number) => Promise<string | undefined>;
}

/**
 * Checks that the mark belongs to the log and was written with its secret. Call this before the mark has any effect, because
 * a restore excuses seals.
 * @throws ConfigurationError if it does not
 */
export async function demandOwnMark(mark: RestoredMark, { logId, key, rootAt }: MarkedLog): Promise<void> {
  const { log_id, count, root, mac } = mark;
  const refuse = (what: string): ConfigurationError =>
    new ConfigurationError(`${restoredName} ${what}. Restore from the backup again. Nothing was changed`);
  if (log_id !== logId) throw refuse('is of another log than the log in this folder');
  if (!timingSafeEqual(Buffer.from(macOf(mark, key), 'hex'), Buffer.from(mac, 'hex')))
    throw refuse('was not written by audience restore with the secret of this log, but was altered or forged');
  const rootOfLog = await rootAt(count).catch((error: unknown) => {
    if (error instanceof RangeError) return '';
    throw error;
  });
  if ((rootOfLog ?? root) !== root) throw refuse('is of another log than the log in this folder');
}
