/** What a command seals or proves with: a log that it has verified, its tree, and the key. */
import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader } from '../eventstore/event-store.js';
import { AlteredEventError } from '../eventstore/link-source.js';
import { readLogId } from '../eventstore/log-id.js';
import type { TreeSource } from '../eventstore/tree.js';
import { CommandFailedError } from '../failures.js';
import { openLinks, type KnownLinks, type LogPlace } from './open-links.js';
import { ProofError } from './prove.js';
import { readSealKey, sealKeyName } from './seal-key.js';
import { sealNow } from './seal-now.js';
import { createSeal, ofAnotherLog, SealError, type Seal } from './seal.js';
import { readVerifiedHead } from './verified-head.js';
import { verifyOn } from './verify-on.js';
import { verifyOpen, type VerifyOpenOptions } from './verify-open.js';

/** The log was altered: no seal is made of it. */
export class AlteredRecordError extends SealError {}

const refuseAltered = (message: string): never => {
  throw new AlteredRecordError(`the record is not as it was written: ${message}`);
};

export interface SealingOptions extends Pick<VerifyOpenOptions, 'place' | 'onProgress'> {
  readonly clock: () => number;
  /** Made, where there is none, only after the log was verified. */
  readonly key: () => KeyObject;
}

/** Verifies the whole log. @throws AlteredRecordError */
export async function verifiedSeal(log: EventReader, options: SealingOptions): Promise<Seal> {
  const { place, onProgress, clock, key } = options;
  const { result } = await verifyOpen(log, { place, onProgress, depth: 'streams' });
  if (!result.intact) return refuseAltered(result.difference.message);
  return createSeal({ verification: result, key: key(), now: clock() });
}

type Log = EventReader & { headAt?(count: number): ChainHead | undefined };

/** Where the service has verified the log before, only what came since is read. @throws AlteredRecordError */
export async function quickSeal(log: Log, options: SealingOptions): Promise<Seal> {
  const { place, clock } = options;
  const key = options.key();
  const links = await openLinks(log, place);
  try {
    const { source, views } = links;
    const before = await verifiedBefore(log, views);
    if (before === undefined || source.tree === undefined)
      return await verifiedSeal(log, { ...options, key: () => key });
    const since = { verified: before, headKey: await place.headKey(log) };
    const { difference, verified } = await verifyOn({ log, source, since, signal: place.signal });
    if (difference !== undefined) return refuseAltered(difference.message);
    return await sealNow({ log, source: source.tree, verified, key, now: clock() });
  } finally {
    await links.close();
  }
}

/** As the service noted it. Undefined: it did not, or the log has another event there now. */
async function verifiedBefore(log: Log, views: KnownLinks['views']): Promise<ChainHead | undefined> {
  const logId = await readLogId(log);
  const verified = views && logId !== undefined ? await readVerifiedHead(views, logId) : undefined;
  return verified !== undefined && log.headAt?.(verified.count)?.head === verified.head ? verified : undefined;
}

/** The key that has signed a seal. None is made: a new one would not be that one. @throws ProofError */
export function keyAtHand(named: string | undefined, dataDir: string): KeyObject {
  const file = named ?? path.join(dataDir, sealKeyName);
  if (!existsSync(file))
    throw new ProofError(`there is no key ${file}: the one that signed the seal is needed (--key)`);
  return readSealKey(file);
}

/** @throws ProofError the seal is of another log */
export async function demandOfLog(log: EventReader, seal: Seal): Promise<void> {
  const foreign = ofAnotherLog(seal, await readLogId(log));
  if (foreign !== undefined) throw new ProofError(foreign);
}

/** @throws ProofError nothing keeps the tree of this log */
export async function withTree<Result>(
  log: EventReader,
  place: LogPlace,
  action: (tree: TreeSource) => Promise<Result>,
): Promise<Result> {
  const links = await openLinks(log, place);
  try {
    const { tree } = links.source;
    if (tree === undefined) throw new ProofError('there are no views that keep the evidence of this log');
    return await action(tree);
  } finally {
    await links.close();
  }
}

/** @throws CommandFailedError where there is a reason why nothing can be proven, else the error itself */
export function refuseProof(error: unknown): never {
  const isWhy = error instanceof ProofError || error instanceof SealError || error instanceof AlteredEventError;
  if (!isWhy) throw error;
  throw new CommandFailedError(`Nothing was proven: ${error.message}.`, { type: 'proof', cause: error });
}
