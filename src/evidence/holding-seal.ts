/** Whether a log is still the one that was sealed, by its tree: cheap, and no verification of the events. */
import type { ReportSeal } from '../audit/report.js';
import type { TreeSource } from '../eventstore/tree.js';
import { createTree } from './proofs.js';
import { fingerprintOf, type Seal } from './seal.js';

/** What a report tells of the seal; undefined: the log is another one, or shorter. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function holdingSeal(seal: Seal, source: TreeSource): Promise<ReportSeal | undefined> {
  const { count, head, root, sealed_at, public_key } = seal;
  if ((await rootAt(count, source)) !== root) return undefined;
  return { count, head, sealed_at, key_fingerprint: fingerprintOf(public_key) };
}

async function rootAt(count: number, source: TreeSource): Promise<string | undefined> {
  try {
    return await createTree(source).rootAt(count);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
