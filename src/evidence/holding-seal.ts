/** Whether a log is still the one that was sealed, by what is stored of its chain and tree: cheap, and no verification of the events. */
import type { ReportSources } from '../audit/report/report.js';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader } from '../eventstore/event-store.js';
import { AlteredEventError } from '../eventstore/link-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { readLogId } from '../projector/start.js';
import { createTree } from './proofs.js';
import { checkSeal, fingerprintOf, type Seal } from './seal.js';

export type SealedLog = Pick<EventReader, 'readStream'> & { headAt?(count: number): ChainHead | undefined };

/** Why a seal does not hold; undefined: it holds. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function sealFaults(
  log: SealedLog,
  source: TreeSource,
): Promise<(seal: Seal) => Promise<string | undefined>> {
  const logId = await readLogId(log);
  const count = await source.count();
  const tree = createTree(source);
  return async (seal) => {
    if (!checkSeal(seal).isSigned) return 'its signature is not right';
    if (seal.log_id !== logId) return 'it is of another log';
    if (seal.count > count) return `the log has ${count} events`;
    const stored = log.headAt?.(seal.count);
    if (stored !== undefined && stored.head !== seal.head) return 'another link is stored at its last event';
    const root = await tree.rootAt(seal.count).catch((error: unknown) => {
      if (error instanceof AlteredEventError) return error;
      throw error;
    });
    if (root instanceof AlteredEventError) return root.message;
    return root === seal.root ? undefined : 'the tree has another root there';
  };
}

/** What a report tells of these seals, the newest first. @throws as `sealFaults` */
export async function reportedSeals(
  seals: readonly Seal[],
  log: SealedLog,
  source: TreeSource,
): Promise<Pick<ReportSources, 'seal' | 'failing'>> {
  const faultOf = await sealFaults(log, source);
  const found: { seal: ReportSources['seal']; failing: ReportSources['failing'] } = {
    seal: undefined,
    failing: undefined,
  };
  for (const { count, head, sealed_at, public_key, ...rest } of seals) {
    const reason = await faultOf({ count, head, sealed_at, public_key, ...rest });
    if (reason === undefined) found.seal ??= { count, head, sealed_at, key_fingerprint: fingerprintOf(public_key) };
    else found.failing ??= { count, sealed_at, reason };
  }
  return found;
}
