/** Compares a log with its newest seal when the service starts, and says what the first seal of this run must be. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { logStart, type EventReader } from '../eventstore/event-store.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';
import { createSealComparison, type ComparedSeal } from './compare-seals.js';
import { recordedRestores, restoresOf, restoresToRecord, type CheckedRestore } from './restores.js';
import type { KnownSeal } from './seal.js';
import {
  chooseSeals,
  findSeals,
  type CountedSeal,
  type FoundSeal,
  type IgnoredSeal,
  type SealKeys,
} from './seal-store.js';

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

/** A file with a seal, or a file that should be one, and whether the log fits it. */
export interface ListedSeal {
  /** Name of the file, without its folder. */
  readonly file: string;
  /** Null if the file cannot be read as a seal. */
  readonly seal: KnownSeal | null;
  readonly state: 'holds' | 'not_checked' | 'excused' | 'fails' | 'ignored';
  /** Null if the seal holds. */
  readonly reason: string | null;
  /** Checks the signature, which a start does only where the result depends on it. */
  readonly isSigned: () => boolean;
}

interface ExcusedSeal {
  readonly seal: KnownSeal;
  readonly reason: string;
}

export interface StartCheck {
  /** The newest seal that counts and holds. Undefined if no such seal exists. */
  readonly newest: KnownSeal | undefined;
  /** Whether the newest seal is final and covers the whole log, so that the service was stopped in order. */
  readonly isClean: boolean;
  /** The newest seal that counts, also if a restore excuses it. */
  readonly superseded: KnownSeal | undefined;
  readonly nextSeq: number;
  /** How many `LogRestored` events the pending restore needs, so that `restores` becomes higher than in every known seal. */
  readonly restoresToRecord: number;
  readonly ignored: readonly IgnoredSeal[];
  readonly excused: readonly ExcusedSeal[];
  /** All seals, the newest first. */
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
  const [seal] = own.filter(({ parsed }) => parsed !== undefined);
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
  // 1. Which seals count, and which restores excuse them
  const chosen = chooseSeals(found, keys);
  const superseded = chosen.counted().next().value?.seal;
  const { restores, added } = await restoresAfterStart(options, superseded);
  // 2. Compare, the newest first
  const compare = await createSealComparison({ log, tree, restores });
  const excused: ExcusedSeal[] = [];
  let newest: KnownSeal | undefined;
  for (const { seal, files } of chosen.counted()) {
    if (seal.log_id !== logId) throw strangeSeal({ seal, files }, logId);
    const { state, reason } = await compare(seal);
    refuseUnlessExplained(state, reason ?? '');
    if (state === 'holds') {
      newest = seal;
      break;
    }
    excused.push({ seal, reason: reason ?? '' });
  }
  const nextSeq = chosen.highestSeq() + 1;
  const ignored = chosen.ignored();
  return {
    newest,
    isClean: wasStoppedInOrder(newest, { count: await tree.count(), restores, isShared }),
    superseded,
    nextSeq,
    restoresToRecord: added,
    ignored,
    excused,
    listed: listed(found, { newest, ignored, excused }),
  };
}

/** @throws AlteredLogError if the log differs from the seal. @throws ReadModelsUnavailableError if that cannot be said yet */
function refuseUnlessExplained(state: ComparedSeal['state'], reason: string): void {
  if (state === 'fails') throw new AlteredLogError(reason);
  if (state === 'not_checked') throw new ReadModelsUnavailableError(reason);
}

/** Returns whether the newest seal is final and covers the whole log. @throws AlteredLogError if it is final, and events follow */
function wasStoppedInOrder(
  newest: KnownSeal | undefined,
  {
    count,
    restores,
    isShared = false,
  }: Pick<StartCheckOptions, 'isShared'> & { count: number; restores: readonly CheckedRestore[] },
): boolean {
  if (newest?.final !== true || isShared) return false;
  if (newest.count === count) return true;
  // A backup that was made during a restart may have the final seal and events of the next run.
  if (restores[newest.restores ?? 0]?.isValid === true) return false;
  throw new AlteredLogError(
    `the service was stopped after event ${newest.count}, and the log has ${count} events: another program appended to it while it was stopped`,
  );
}

const strangeSeal = ({ seal, files: [file] }: CountedSeal, logId: string): AlteredLogError =>
  new AlteredLogError(
    `the seal ${file} is signed with a key of this service and is of the log ${seal.log_id}, but this log is ${logId}: the log was exchanged, or two logs share a key and a folder of seals`,
  );

function listed(
  found: readonly FoundSeal[],
  check: Pick<StartCheck, 'newest' | 'ignored' | 'excused'>,
): readonly ListedSeal[] {
  const reasons = new Map(check.ignored.map(({ files: [file = ''], reason }) => [file, reason]));
  return found.map(({ files: [file = ''], parsed }): ListedSeal => {
    const isSigned = (): boolean => parsed?.isSigned() === true;
    const named = { file: path.basename(file), seal: parsed?.seal ?? null, isSigned };
    const ignored = reasons.get(file);
    if (ignored !== undefined) return { ...named, state: 'ignored', reason: ignored };
    const excuse = check.excused.find(({ seal }) => seal === parsed?.seal);
    if (excuse !== undefined) return { ...named, state: 'excused', reason: excuse.reason };
    if (parsed?.seal === check.newest) return { ...named, state: 'holds', reason: null };
    return { ...named, state: 'not_checked', reason: 'the log has not been compared with this seal yet' };
  });
}

/**
 * Returns the restores that the log records and those that this start will record, and the number of the latter.
 * @param newest the newest seal that counts
 */
async function restoresAfterStart({ log, restoredKey, pending }: StartCheckOptions, newest: KnownSeal | undefined) {
  const recorded = await recordedRestores(log, restoredKey);
  const forged = recorded.find(({ mac, isValid }) => mac !== null && isValid === false);
  if (forged !== undefined)
    throw new AlteredLogError(
      `the event that records restore ${forged.number} of the log was not recorded with the secret of this log: it was forged or altered`,
    );
  const last = recorded.at(-1);
  const isRecorded = pending === undefined || (last?.root === pending.root && last.count === pending.count);
  if (isRecorded) return { restores: recorded, added: 0 };
  const added = restoresToRecord(recorded.length, newest?.restores);
  const restores: CheckedRestore[] = [...recorded];
  for (let number = recorded.length + 1; number <= recorded.length + added; number += 1)
    restores.push({ ...pending, number, superseded: null, mac: '', at: 'this start', isValid: true });
  return { restores, added };
}
