/** A seal of what is verified, made now. */
import { readLogId } from '../eventstore/log-id.js';
import type { KeyObject } from 'node:crypto';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { TreeSource } from '../eventstore/tree.js';
import { createTree } from './proofs.js';
import { createSeal, type Seal } from './seal.js';

interface VerifiedLog {
  readonly log: EventReader;
  readonly source: TreeSource;
  /** How far the log is known to be intact. */
  readonly verified: ChainHead;
  readonly key: KeyObject;
  readonly now: number;
}

/** @throws SealError nothing is verified. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function sealNow({ log, source, verified, key, now }: VerifiedLog): Promise<Seal> {
  const { count, position } = verified;
  const last = count === 0 ? undefined : await log.readAt(position);
  const root = last === undefined ? null : await createTree(source).rootAt(count);
  const named = { log_id: (await readLogId(log)) ?? null, event_id: last?.id ?? null };
  return createSeal({ verification: { intact: true, ...verified, ...named, root }, key, now });
}
