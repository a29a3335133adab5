/** Decides whether a seal holds for a log, and compares seals with the stored tree of a log. `verifyLog` compares them with all events. */
import type { KeyObject } from 'node:crypto';
import type { EventReader } from '../eventstore/event-store.js';
import { toHex } from '../eventstore/leaf.js';
import { readLogId } from '../eventstore/log-id.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import { frontierAt, rootOf, type TreeSource } from '../eventstore/tree.js';
import { excuseOf, recordedRestores, restoresAmong, restoresBeforeMacs, type CheckedRestore } from './restores.js';
import { ofAnotherLog, type KnownSeal } from './seal.js';

export interface ComparedSeal<SomeSeal extends KnownSeal = KnownSeal> {
  readonly seal: SomeSeal;
  /** `excused`: the seal covers events that a recorded restore removed. `not_checked`: the tree does not have the sealed events yet. */
  readonly state: 'holds' | 'excused' | 'fails' | 'not_checked';
  /** Why the seal does not hold; null if it does. */
  readonly reason: string | null;
}

export type Judgement =
  | { readonly state: 'holds'; readonly reason: null }
  | { readonly state: 'excused'; readonly reason: string }
  | { readonly state: 'fails'; readonly kind: 'log' | 'shortened' | 'sealed'; readonly reason: string };

interface SealedLog {
  /** Undefined if the log does not name itself. */
  readonly logId: string | undefined;
  /** Number of events in the log. */
  readonly count: number;
  /** The restores that the log records. */
  readonly restores: readonly CheckedRestore[];
}

/** The log up to the last event of a seal. */
interface SealedPart {
  /** Hex. */
  readonly root: string | undefined;
  /** Number of restores among these events. */
  readonly restores: number;
}

/** Decides whether a seal holds. Its signature has been checked. @param part undefined if the log has fewer events than the seal */
export function judgeSeal(seal: KnownSeal, log: SealedLog, part: SealedPart | undefined): Judgement {
  const { logId, count, restores } = log;
  const foreign = ofAnotherLog(seal, logId);
  if (foreign !== undefined) return { state: 'fails', kind: 'log', reason: foreign };
  if (part?.root === seal.root && (seal.restores === null || seal.restores === part.restores))
    return { state: 'holds', reason: null };
  const made = seal.restores ?? restoresBeforeMacs(restores);
  const excuse = excuseOf({ count: seal.count, restores: made }, restores);
  if (excuse !== undefined) return { state: 'excused', reason: excuseInWords(seal, excuse) };
  if (part === undefined) {
    const reason = `the log ends after event ${count}, but the seal of ${seal.sealed_at} covers ${seal.count} events: the log was shortened, or is an older copy`;
    return { state: 'fails', kind: 'shortened', reason };
  }
  const reason = `the first ${seal.count} events are not those that were sealed at ${seal.sealed_at}`;
  return { state: 'fails', kind: 'sealed', reason };
}

function excuseInWords({ count }: Pick<KnownSeal, 'count'>, restore: CheckedRestore): string {
  const lost = count - restore.count;
  const sealed = lost === 1 ? '1 sealed event' : `${lost} sealed events`;
  const what = lost > 0 ? sealed : 'the events of this seal, which are not in the backup';
  const unchecked =
    restore.isValid === null ? '. The MAC of that record was not checked, because the secret is not at hand' : '';
  return `a restore removed ${what}: it was recorded at ${restore.at}, from a backup of ${restore.count} events${unchecked}`;
}

interface SealedTree extends Pick<SealedLog, 'restores'> {
  readonly log: Pick<EventReader, 'readStream'>;
  readonly tree: TreeSource;
}

/**
 * Returns a function that compares one seal with the stored tree, which reads at most one block of events. An attacker who
 * changes the block roots can deceive it. The signature of the seal has been checked.
 * @throws StoreUnavailableError @throws ReadModelsUnavailableError
 */
export async function createSealComparison<SomeSeal extends KnownSeal>({ log, tree, restores }: SealedTree) {
  const logId = await readLogId(log);
  const count = await tree.count();

  async function sealedPart(seal: KnownSeal): Promise<SealedPart | undefined> {
    if (seal.count > count) return undefined;
    const root = await rootAt(tree, seal.count);
    // The restores need not be counted if the root differs.
    return { root, restores: root === seal.root ? await restoresAmong(log, tree, seal.count) : 0 };
  }

  return async (seal: SomeSeal): Promise<ComparedSeal<SomeSeal>> => {
    const part = seal.log_id === logId ? await sealedPart(seal) : undefined;
    const judgement = judgeSeal(seal, { logId, count, restores }, part);
    const { state, reason } = judgement;
    const isOfLog = state !== 'fails' || judgement.kind !== 'log';
    if (state !== 'holds' && isOfLog && (await tree.isBehind?.(seal.count)) === true)
      return { seal, state: 'not_checked', reason: treeIsBehind };
    const isAltered = state === 'fails' && judgement.kind === 'sealed';
    return { seal, state, reason: isAltered ? `${reason}: an event or a block root was altered` : reason };
  };
}

const treeIsBehind =
  'the block roots of the sealed events are not stored yet: start the service, which computes them, and wait until it has read the log';

interface LogToCompare extends Pick<SealedTree, 'log' | 'tree'> {
  /** Key of the MAC of restores; undefined if the secret is not at hand. */
  readonly restoredKey: KeyObject | undefined;
}

/** Compares seals with the stored tree, in their order. @throws as `createSealComparison` */
export async function compareAll<SomeSeal extends KnownSeal>(
  seals: readonly SomeSeal[],
  { log, tree, restoredKey }: LogToCompare,
): Promise<readonly ComparedSeal<SomeSeal>[]> {
  const compare = await createSealComparison<SomeSeal>({
    log,
    tree,
    restores: await recordedRestores(log, restoredKey),
  });
  const compared: ComparedSeal<SomeSeal>[] = [];
  for (const seal of seals) compared.push(await compare(seal));
  return compared;
}

/** Returns the first of the seals that holds, or undefined. @throws as `createSealComparison` */
export async function firstHolding(
  seals: readonly KnownSeal[],
  { log, tree, restoredKey }: LogToCompare,
): Promise<KnownSeal | undefined> {
  const compare = await createSealComparison({ log, tree, restores: await recordedRestores(log, restoredKey) });
  for (const seal of seals) if ((await compare(seal)).state === 'holds') return seal;
  return undefined;
}

async function rootAt(tree: TreeSource, count: number): Promise<string | undefined> {
  try {
    const root = rootOf(await frontierAt(tree, count));
    return root === undefined ? undefined : toHex(root);
  } catch (error) {
    if (error instanceof RangeError || error instanceof AlteredLogError) return undefined;
    throw error;
  }
}
