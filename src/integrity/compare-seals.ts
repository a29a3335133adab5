/** Decides whether a seal holds for a log, and compares seals with the stored tree of a log. `verifyLog` compares them with all events. */
import type { EventReader } from '../eventstore/event-store.js';
import { readLogId } from '../eventstore/log-id.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { excuseOf, restoreOrdinals, restoresBeforeMacs, type CheckedRestore } from './restores.js';
import { ofAnotherLog, type KnownSeal } from './seal.js';
import { createTree, type Tree } from './tree-proofs.js';

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

export interface SealedTree extends Pick<SealedLog, 'restores'> {
  readonly log: Pick<EventReader, 'readStream'>;
  readonly tree: TreeSource;
}

/**
 * Compares seals with the stored tree in one pass over its block roots, and reads at most one block of events for each seal.
 * Returns them in the given order. An attacker who changes the block roots can deceive this comparison. The signatures have
 * been checked.
 * @throws StoreUnavailableError @throws ReadModelsUnavailableError
 */
export async function compareWithTree<SomeSeal extends KnownSeal>(
  seals: readonly SomeSeal[],
  { log, tree, restores }: SealedTree,
): Promise<readonly ComparedSeal<SomeSeal>[]> {
  const logId = await readLogId(log);
  const count = await tree.count();
  const reader = createTree(tree);
  let restoring: readonly number[] | undefined;

  async function partUpTo(seal: KnownSeal): Promise<SealedPart | undefined> {
    if (seal.log_id !== logId || seal.count > count) return undefined;
    const root = await rootAt(reader, seal.count);
    // Restores need not be counted if the root differs.
    if (root === seal.root) restoring ??= await restoreOrdinals(log, tree);
    return { root, restores: restoring?.filter((ordinal) => ordinal <= seal.count).length ?? 0 };
  }

  const results: ComparedSeal<SomeSeal>[] = [];
  for (const seal of seals) {
    const judgement = judgeSeal(seal, { logId, count, restores }, await partUpTo(seal));
    const isOfLog = judgement.state !== 'fails' || judgement.kind !== 'log';
    const isBehind = judgement.state !== 'holds' && isOfLog && (await tree.isBehind?.(seal.count)) === true;
    results.push({ seal, ...(isBehind ? treeIsBehind : inWordsOfTree(judgement)) });
  }
  return results;
}

/** The tree cannot tell an altered event from an altered block root. */
function inWordsOfTree(judgement: Judgement): Pick<ComparedSeal, 'state' | 'reason'> {
  const { state, reason } = judgement;
  const isAltered = state === 'fails' && judgement.kind === 'sealed';
  return { state, reason: isAltered ? `${reason}: an event or a block root was altered` : reason };
}

const treeIsBehind = {
  state: 'not_checked',
  reason:
    'the block roots of the sealed events are not stored yet: start the service, which computes them, and wait until it has read the log',
} as const;

/** Returns the first of the seals that holds, or undefined. Compares no seal after it. @throws as `compareWithTree` */
export async function firstHolding(seals: readonly KnownSeal[], log: SealedTree): Promise<KnownSeal | undefined> {
  for (const seal of seals) {
    const [compared] = await compareWithTree([seal], log);
    if (compared?.state === 'holds') return seal;
  }
  return undefined;
}

/** Returns undefined if a part of the tree is missing or altered. */
async function rootAt(tree: Tree, count: number): Promise<string | undefined> {
  try {
    return (await tree.hasRoots(count)) ? await tree.rootAt(count) : undefined;
  } catch (error) {
    if (error instanceof RangeError || error instanceof AlteredLogError) return undefined;
    throw error;
  }
}
