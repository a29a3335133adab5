/** Compares a log with its newest seal when the service starts, and says what the first seal of this run must be. */
import type { KeyObject } from 'node:crypto';
import { logStart, type EventReader } from '../eventstore/event-store.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';
import { compareWithTree, type ComparedSeal, type SealedTree } from './compare-seals.js';
import { recordedRestores, restoresOf, restoresToRecord, type CheckedRestore } from './restores.js';
import type { KnownSeal } from './seal.js';
import { findSeals, whyIgnored, type FoundSeal, type ListedSeal, type SealKeys } from './seal-store.js';

interface StartCheckOptions {
  readonly log: Pick<EventReader, 'readStream'>;
  readonly tree: TreeSource;
  readonly logId: string;
  /** All seals of both folders, the newest first. */
  readonly found: readonly FoundSeal[];
  readonly keys: SealKeys;
  readonly restoredKey: KeyObject;
  /** The log was restored, and no event records that yet. */
  readonly pending: { readonly count: number; readonly root: string } | undefined;
  /** Other processes append to the log as well. A final seal, which an embedded log made before it was moved, then forbids no events. */
  readonly isShared?: boolean | undefined;
}

export interface StartCheck {
  /** The newest seal that counts and holds. Undefined if no such seal exists. */
  readonly newest: KnownSeal | undefined;
  /** Whether the newest seal is final and covers the whole log, so that the service was stopped in order. */
  readonly isClean: boolean;
  /** The newest seal that counts, also if a restore excuses it. */
  readonly superseded: KnownSeal | undefined;
  readonly nextSeq: number;
  /** All seals, the newest first, and files that are not seals last. */
  readonly listed: readonly ListedSeal[];
}

/**
 * Refuses an empty log if its data folder has seals or the mark of a restore, because a start would give the log a new name.
 * @throws AlteredLogError
 */
export async function refuseLostLog(
  log: Pick<EventReader, 'head'>,
  { dataDir, restored }: { readonly dataDir: string; readonly restored: { readonly count: number } | undefined },
): Promise<void> {
  if ((await log.head()) !== logStart) return;
  const own = await findSeals({ dataDir, copies: undefined });
  const seal = own.find((one) => one.seal !== null);
  const proof =
    seal === undefined
      ? restored && `restored.json says that a log of ${restored.count} events was restored`
      : `${seal.files[0]} is a seal of a log`;
  if (proof !== undefined)
    throw new AlteredLogError(
      `the event log is empty, but ${proof}: the log was removed. Put it back from the last good backup. If a new log is meant, use a new data folder. Nothing was changed`,
    );
}

/** Refuses a record of a restore that cannot be read, because nothing can be appended to its stream. @throws AlteredLogError */
export async function refuseUnreadableRestore(log: Pick<EventReader, 'readStream'>): Promise<void> {
  const unreadable = (await restoresOf(log)).find(({ at }) => at === '');
  if (unreadable !== undefined)
    throw new AlteredLogError(
      `the event log was altered: the event that records restore ${unreadable.number} of the log cannot be read. Nothing was changed`,
    );
}

/** @throws AlteredLogError if the log is not the sealed one. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function checkStart(options: StartCheckOptions): Promise<StartCheck> {
  const { log, tree, logId, found, keys, isShared } = options;
  const states = new Map<FoundSeal, Pick<ListedSeal, 'state' | 'reason'>>();
  const isCounted = (one: FoundSeal): boolean => {
    const reason = whyIgnored(one, keys);
    if (reason !== undefined) states.set(one, { state: 'ignored', reason });
    return reason === undefined;
  };
  // 1. Which seals count, and which restores excuse them. Signatures are checked only where the result depends on them.
  const isByKnownKey = ({ seal }: FoundSeal): boolean => seal !== null && keys.has(seal.public_key);
  const known = found.filter(isByKnownKey);
  for (const one of found) if (!isByKnownKey(one)) isCounted(one);
  const superseded = known.find(isCounted)?.seal ?? undefined;
  const restores = await restoresAfterStart(options, superseded);
  // 2. Compare, the newest first, until one holds
  let newest: KnownSeal | undefined;
  for (const one of known) {
    if (newest !== undefined || !isCounted(one)) continue;
    const compared = await compareOrRefuse(one, logId, { log, tree, restores });
    states.set(one, compared);
    if (compared.state === 'holds') newest = compared.seal;
  }
  // 3. The number of the next seal
  const highest = known.toSorted((one, other) => seqOf(other) - seqOf(one)).find(isCounted);
  return {
    newest,
    isClean: isShared !== true && wasStoppedInOrder(newest, await tree.count(), restores),
    superseded,
    nextSeq: seqOf(highest) + 1,
    listed: found.map((one) => ({ ...one, ...(states.get(one) ?? notChecked) })),
  };
}

const seqOf = (one: FoundSeal | undefined): number => one?.seal?.seq ?? 0;

const notChecked = { state: 'not_checked', reason: 'the log has not been compared with this seal yet' } as const;

/** @throws AlteredLogError if the log differs from the seal. @throws ReadModelsUnavailableError if that cannot be said yet */
async function compareOrRefuse({ seal, files }: FoundSeal, logId: string, log: SealedTree): Promise<ComparedSeal> {
  if (seal !== null && seal.log_id !== logId)
    throw new AlteredLogError(
      `the seal ${files[0]} is signed with a key of this service and is of the log ${seal.log_id}, but this log is ${logId}: the log was exchanged, or two logs share a key and a folder of seals`,
    );
  const [compared] = await compareWithTree(seal === null ? [] : [seal], log);
  const reason = compared?.reason ?? '';
  if (compared === undefined || compared.state === 'fails') throw new AlteredLogError(reason);
  if (compared.state === 'not_checked') throw new ReadModelsUnavailableError(reason);
  return compared;
}

/** Returns whether the newest seal is final and covers the whole log. @throws AlteredLogError if it is final, and events follow */
function wasStoppedInOrder(newest: KnownSeal | undefined, count: number, restores: readonly CheckedRestore[]): boolean {
  if (newest?.final !== true) return false;
  if (newest.count === count) return true;
  // A backup that was made during a restart may have the final seal and events of the next run.
  if (restores[newest.restores ?? 0]?.isValid === true) return false;
  throw new AlteredLogError(
    `the service was stopped after event ${newest.count}, and the log has ${count} events: another program appended to it while it was stopped`,
  );
}

/**
 * Returns the restores that the log records and those that this start will record.
 * @param newest the newest seal that counts
 */
async function restoresAfterStart(
  { log, restoredKey, pending }: StartCheckOptions,
  newest: KnownSeal | undefined,
): Promise<readonly CheckedRestore[]> {
  const recorded = await recordedRestores(log, restoredKey);
  const forged = recorded.find(({ mac, isValid }) => mac !== null && isValid === false);
  if (forged !== undefined)
    throw new AlteredLogError(
      `the event that records restore ${forged.number} of the log was not recorded with the secret of this log: it was forged or altered`,
    );
  const last = recorded.at(-1);
  if (pending === undefined || (last?.root === pending.root && last.count === pending.count)) return recorded;
  const length = restoresToRecord(recorded.length, newest?.restores);
  const added = Array.from({ length }, (_, index): CheckedRestore => {
    const number = recorded.length + 1 + index;
    return { ...pending, number, superseded: null, mac: '', at: 'this start', isValid: true };
  });
  return [...recorded, ...added];
}
