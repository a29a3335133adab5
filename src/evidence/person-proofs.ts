/** Proofs of one person by the running service, against seals that it makes itself. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import type { StoredEvents } from '../audit/stored-events.js';
import { ServiceError } from '../errors.js';
import type { ChainHead } from '../eventstore/chain.js';
import { AlteredEventError } from '../eventstore/link-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import type { Proof } from './bundle.js';
import { AlteredBlockError, ProofError, provePerson, type ProofRequest } from './prove.js';
import { comparedSeals, compareSeals, type SealComparison } from './holding-seal.js';
import { newestSeals, sealsName } from './seal-folder.js';
import { sealNow } from './seal-now.js';
import type { KeptEvidence } from './seals.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { EvidenceGuard } from './guard.js';

export interface Proofs {
  /** Knows the numbers of events. */
  readonly tree: Pick<TreeSource, 'ordinalsAt'> | undefined;
  /** Of the data folder: the newest that the log still fits, and the newest that it does not. */
  seals(): Promise<SealComparison>;
  /** Against a seal made now. @throws ServiceError `unavailable` the log is not verified yet; as `provePerson` */
  prove(stored: StoredEvents, request: Omit<ProofRequest, 'seal'>): Promise<Proof>;
}

interface ProofsOptions {
  readonly store: OpenEventStore;
  /** Undefined where other processes write to the log. */
  readonly guard: EvidenceGuard | undefined;
  readonly views: KeptEvidence;
  readonly dataDir: string;
  readonly sealKey: () => KeyObject;
  readonly clock: () => number;
}

/** Seconds: verifying a log of a million events takes some ten. */
const retryAfter = 10;

export function createProofs({ store, guard, views, dataDir, sealKey, clock }: ProofsOptions): Proofs {
  const { tree: source } = views;
  /** How far the log is known to be intact; on a server, what is kept of it. */
  const verified = async (): Promise<ChainHead | undefined> => {
    if (guard === undefined) return await views.keptChain();
    return guard.isVerified() && store.altered?.() === undefined ? store.chainHead?.() : undefined;
  };

  /** An event that is not the one that was written ends the service. On a server the newest events are not sealed yet. */
  function refuse(cause: unknown): never {
    if (cause instanceof AlteredEventError || cause instanceof AlteredBlockError)
      guard?.report(`the event log was altered: ${cause.message}`);
    throw cause instanceof ProofError ? new ServiceError('unavailable', {}, { retryAfter, cause }) : cause;
  }

  return {
    tree: source,
    async seals() {
      const found = await compareSeals(newestSeals(path.join(dataDir, sealsName), comparedSeals), store, source);
      return { ...found, demandWritten: async (shown) => await found.demandWritten?.(shown).catch(refuse) };
    },
    async prove(stored, request) {
      const head = await verified();
      if (head === undefined || head.count === 0) throw new ServiceError('unavailable', {}, { retryAfter });
      const key = sealKey();
      try {
        const seal = await sealNow({ log: store, source, verified: head, key, now: clock() });
        return await provePerson({ stored, source, key }, { ...request, seal });
      } catch (cause) {
        return refuse(cause);
      }
    },
  };
}
