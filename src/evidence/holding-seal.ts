/** Whether a log is still the one that was sealed, by what is stored of its chain and tree, which is cheap; and whether the events behind a page are. */
import { readLogId } from '../eventstore/log-id.js';
import type { ChainHead } from '../eventstore/chain.js';
import type { EventReader, Position, StoredEvent } from '../eventstore/event-store.js';
import { AlteredEventError } from '../eventstore/link-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { AlteredBlockError, pathOf } from './prove.js';
import { createTree } from './proofs.js';
import { missingSealed, restoresOf } from './restores.js';
import { checkSeal, fingerprintOf, ofAnotherLog, type Seal } from './seal.js';

export type SealedLogReader = Pick<EventReader, 'readStream' | 'readAt'> & {
  headAt?(count: number): ChainHead | undefined;
};

export interface SealFault {
  readonly reason: string;
  /** It is of more events than this log has, and nothing else is known against it. */
  readonly isNewer?: true;
}

/** Why a seal does not hold; undefined: it holds. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function sealFaults(
  log: SealedLogReader,
  source: TreeSource,
): Promise<(seal: Seal) => Promise<SealFault | undefined>> {
  const logId = await readLogId(log);
  const count = await source.count();
  const tree = createTree(source);
  const restores = await restoresOf(log);
  return async (seal) => {
    if (!checkSeal(seal).isSigned) return { reason: 'its signature is not right' };
    const foreign = ofAnotherLog(seal, logId);
    if (foreign !== undefined) return { reason: foreign };
    const isNewer = seal.count > count;
    const fault = isNewer ? `the log has ${count} events` : await differenceFrom(seal);
    if (fault === undefined) return undefined;
    const missing = missingSealed(seal, restores);
    if (missing !== undefined) return { reason: missing };
    return isNewer ? { reason: fault, isNewer } : { reason: fault };
  };

  async function differenceFrom(seal: Seal): Promise<string | undefined> {
    const stored = log.headAt?.(seal.count);
    if (stored !== undefined && stored.head !== seal.head) return 'another link is stored at its last event';
    const root = await tree.rootAt(seal.count).catch((error: unknown) => {
      if (error instanceof AlteredEventError) return error;
      throw error;
    });
    if (root instanceof AlteredEventError) return root.message;
    return root === seal.root ? undefined : 'the tree has another root there';
  }
}

/** The number of seals in the data folder, the newest ones, that are compared with the log. */
export const comparedSeals = 30;

export interface SealComparison {
  /** The newest that holds for this log. Undefined: there is none. */
  readonly seal:
    (Pick<Seal, 'count' | 'head' | 'root' | 'sealed_at'> & { readonly key_fingerprint: string }) | undefined;
  /** The newest that does not. */
  readonly failing: (Pick<Seal, 'count' | 'sealed_at'> & { readonly reason: string }) | undefined;
  /** A page that names a seal is made of nothing but what was written. Throws where something is not. */
  readonly demandWritten?: (shown: ShownEvents) => Promise<void>;
}

/** The events that a page shows. */
interface ShownEvents {
  readonly stream: string;
  /** Of all events that it shows or takes names from. */
  readonly positions: ReadonlySet<string>;
}

/** Compares the log with these seals, the newest first. @throws as `sealFaults` */
export async function compareSeals(
  seals: readonly Seal[],
  log: SealedLogReader,
  source: TreeSource,
): Promise<SealComparison> {
  const faultOf = await sealFaults(log, source);
  let holding: Seal | undefined;
  let failing: SealComparison['failing'];
  for (const seal of seals) {
    const fault = await faultOf(seal);
    if (fault === undefined) holding ??= seal;
    else failing ??= { count: seal.count, sealed_at: seal.sealed_at, reason: fault.reason };
  }
  if (holding === undefined) return { seal: undefined, failing };
  const { count, head, root, sealed_at, public_key } = holding;
  return {
    seal: { count, head, root, sealed_at, key_fingerprint: fingerprintOf(public_key) },
    failing,
    demandWritten: demandWritten({ log, source, seal: holding }),
  };
}

interface Sealed {
  readonly log: SealedLogReader;
  readonly source: TreeSource;
  /** One that holds. */
  readonly seal: Seal;
}

/** Computes the leaf of each event; of those after the seal it is compared with what is kept of the tree. @throws AlteredBlockError @throws AlteredEventError */
function demandWritten({ log, source, seal }: Sealed) {
  return async ({ stream, positions }: ShownEvents): Promise<void> => {
    const tree = createTree(source);
    const count = await source.count();
    const now = { count, root: await tree.rootAt(count) };
    const demand = async (event: StoredEvent | undefined, at: Position): Promise<void> => {
      const [ordinal] = await source.ordinalsAt([at]);
      if (event === undefined) throw new AlteredBlockError(`the event at position ${at} is gone`);
      // The event joined the tree after its size was read.
      if (ordinal === undefined || ordinal > count) return;
      await pathOf({ ordinal, event }, { tree, seal: ordinal <= seal.count ? seal : now });
    };
    const own = new Set<Position>();
    for await (const page of log.readStream(stream))
      for (const event of page) {
        if (event.revision !== BigInt(own.size)) throw new AlteredBlockError(`the stream ${stream} has a hole`);
        own.add(event.position);
        await demand(event, event.position);
      }
    for (const at of positions) if (!own.has(at)) await demand(await log.readAt(at), at);
  };
}
