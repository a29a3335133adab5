/** The proof that the log of a newer seal holds that of an older one unchanged. */
import type { TreeSource } from '../eventstore/tree.js';
import { createTree } from './proofs.js';
import { demandSealed, ProofError } from './prove.js';
import type { Seal } from './seal.js';

export interface ConsistencyProof {
  readonly format: 'audience-ledger-consistency/1';
  readonly older: Seal;
  readonly newer: Seal;
  /** RFC 9162, 2.1.4.1, hex. */
  readonly path: readonly string[];
}

interface Seals {
  readonly older: Seal;
  readonly newer: Seal;
}

/** @param seals their signatures have been checked. @throws ProofError the log is not that of both */
export async function proveConsistency(source: TreeSource, { older, newer }: Seals): Promise<ConsistencyProof> {
  if (older.log_id !== newer.log_id) throw new ProofError('the seals are of two logs');
  if (older.count > newer.count)
    throw new ProofError(
      `the older seal is of ${older.count} events and the newer one of ${newer.count}: the older one comes first`,
    );
  const tree = createTree(source);
  await demandSealed(tree, newer);
  await demandSealed(tree, older);
  const path = await tree.consistency(older.count, newer.count);
  return { format: 'audience-ledger-consistency/1', older, newer, path };
}
