/**
 * Restores of a log from a backup, as its `LogRestored` events record them, and which seals they excuse. A restore removes
 * the events after its backup, so a seal of those events cannot match any more. Only a record with a valid MAC excuses a seal,
 * because anyone who can write to the log can append such an event, but only the service has the secret.
 */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { codec, isUnreadable } from '../events/codec.js';
import type { EventReader, Position, StoredEvent } from '../eventstore/event-store.js';
import { field } from '../eventstore/leaf.js';
import { readLogId, serviceStream } from '../eventstore/log-id.js';
import type { TreeSource } from '../eventstore/tree.js';
import { jsonIn } from '../flow/json.js';

export interface Restore {
  /** The number of this restore in the log, from 1. */
  readonly number: number;
  /** Number of events in the backup, and the root of the tree over these events. Null in a record of schema version 1. */
  readonly count: number;
  readonly root: string | null;
  /** The newest seal that was known at the restore; null if there was none. */
  readonly superseded: { readonly count: number; readonly root: string } | null;
  /** Null in a record of schema version 1 or of an unknown form. */
  readonly mac: string | null;
  /** When the restore was recorded; empty if the record cannot be read. */
  readonly at: string;
}

/** A restore whose MAC was checked. */
export interface CheckedRestore extends Restore {
  /** Null if the secret is not known. */
  readonly isValid: boolean | null;
}

/** Returns the MAC of a record in hex. The number is part of it, so that a copied event cannot stand for another restore. */
export function restoredMac(
  { logId, number, count, root, superseded }: Omit<Restore, 'mac' | 'at'> & { readonly logId: string },
  key: KeyObject,
): string {
  const { count: sealed = '', root: sealedRoot = '' } = superseded ?? {};
  const values = ['audience/restored/1', logId, number, count, root, sealed, sealedRoot];
  return createHmac('sha256', key)
    .update(values.map((value) => field(String(value))).join(''), 'utf8')
    .digest('hex');
}

/** The log whose restores are checked. */
interface MacOfLog {
  readonly logId: string;
  /** Undefined if the secret is not known. */
  readonly key: KeyObject | undefined;
}

/** Returns whether the service with this secret recorded the restore. Schema version 1 has no MAC, so it is never valid. */
export function isValidRestore({ mac, ...record }: Restore, { logId, key }: MacOfLog): boolean {
  if (key === undefined || mac === null || record.root === null || !/^[0-9a-f]{64}$/.test(mac)) return false;
  const expected = restoredMac({ ...record, logId }, key);
  return timingSafeEqual(Buffer.from(expected, 'hex'), Buffer.from(mac, 'hex'));
}

/** Checks the MAC of each restore. A record without a MAC is not valid, also if the secret is not known. */
export const checkedRestores = (restores: readonly Restore[], log: MacOfLog): readonly CheckedRestore[] =>
  restores.map((restore) => ({
    ...restore,
    isValid: log.key === undefined && restore.mac !== null ? null : isValidRestore(restore, log),
  }));

/** Returns whether the event records a restore, readable or not. The number of these events is `restores` of a seal. */
const isRestore = ({ stream, type }: Pick<StoredEvent, 'stream' | 'type'>): boolean =>
  type === 'LogRestored' && stream === serviceStream;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const sealedState = { count: z.int().min(1), root: hash };
/** A record of version 2. Any other record has no root and no MAC here, and excuses no seal. */
const record = z.object({ ...sealedState, superseded: z.object(sealedState).nullable(), mac: hash });

/**
 * Returns the restore that the event records, or undefined if it is another event. The form of `data` decides, as in every
 * verifier, because the metadata is not part of the MAC. A record that cannot be read keeps its number.
 * @param number the number of this restore in the log, from 1
 */
export function restoreIn(event: StoredEvent, number: number): Restore | undefined {
  if (!isRestore(event)) return undefined;
  const { count, at } = readRecord(event);
  const { data } = record.safeParse(jsonIn(event.data));
  return { number, count, root: null, superseded: null, mac: null, ...data, at };
}

function readRecord(event: StoredEvent): Pick<Restore, 'count' | 'at'> {
  try {
    const { event: decoded, metadata } = codec.decode(event);
    return { count: decoded.type === 'LogRestored' ? decoded.data.count : 0, at: metadata.at };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { count: 0, at: '' };
  }
}

/** Returns all restores of the log, in order. @throws StoreUnavailableError */
export async function restoresOf(log: Pick<EventReader, 'readStream'>): Promise<readonly Restore[]> {
  const restores: Restore[] = [];
  for await (const events of log.readStream(serviceStream))
    for (const event of events) {
      const restore = restoreIn(event, restores.length + 1);
      if (restore !== undefined) restores.push(restore);
    }
  return restores;
}

/** Returns all restores of the log, with the check of their MAC. @param key undefined if the secret is not at hand @throws StoreUnavailableError */
export async function recordedRestores(
  log: Pick<EventReader, 'readStream'>,
  key: KeyObject | undefined,
): Promise<readonly CheckedRestore[]> {
  return checkedRestores(await restoresOf(log), { logId: (await readLogId(log)) ?? '', key });
}

/** Returns the numbers of the events in the tree that record a restore. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function restoreOrdinals(
  log: Pick<EventReader, 'readStream'>,
  tree: Pick<TreeSource, 'ordinalsAt'>,
): Promise<readonly number[]> {
  const positions: Position[] = [];
  for await (const events of log.readStream(serviceStream))
    positions.push(...events.filter(isRestore).map(({ position }) => position));
  return (await tree.ordinalsAt(positions)).filter((ordinal) => ordinal !== undefined);
}

/**
 * Returns the restore that removed the events of a seal which does not match the log, or undefined if the seal is a
 * difference. It is the first restore after the seal was made, and its MAC is valid. It excuses the seal in two cases:
 *
 * - The backup has fewer events than the seal.
 * - The backup has fewer restores than the seal, so the seal is of events that are not in this log at all. Such a restore
 *   was recorded with several events in one append, all with the same count and root.
 *
 * If the secret is not known (`isValid` is null), the restore is returned as well, and the caller has to say that its MAC
 * was not checked. Times are not compared.
 * @param restores all restores of the log, in order
 */
export function excuseOf(
  seal: { readonly restores: number; readonly count: number },
  restores: readonly CheckedRestore[],
): CheckedRestore | undefined {
  const next = restores[seal.restores];
  if (next === undefined || next.isValid === false) return undefined;
  const last = restores[seal.restores - 1];
  const isSameRestore = last?.isValid !== false && last?.count === next.count && last.root === next.root;
  return seal.count > next.count || isSameRestore ? next : undefined;
}

/**
 * Returns how many `LogRestored` events a restore needs, so that the log has more restores than its newest seal counts.
 * @param recorded restores that the log records
 * @param sealed restores that the newest seal counts; null or undefined if it counts none
 */
export const restoresToRecord = (recorded: number, sealed: number | null | undefined): number =>
  Math.max(1, (sealed ?? 0) + 1 - recorded);

/** Returns how many restores were recorded before the first record with a MAC: as many as a seal of format 1, which does not count restores, can know of. */
export function restoresBeforeMacs(restores: readonly Pick<Restore, 'mac'>[]): number {
  const first = restores.findIndex(({ mac }) => mac !== null);
  return first < 0 ? restores.length : first;
}
