/** What the running service proves: a person against a seal that is made for it, an event against one that is kept; and the state of its seals. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import type { HiddenMembers } from '../audit/redaction.js';
import type { StoredEvents } from '../audit/stored-events.js';
import { ServiceError } from '../errors.js';
import { leafOf, toHex, type ChainHead } from '../eventstore/chain.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import { AlteredEventError } from '../eventstore/link-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import type { Proof } from './bundle.js';
import { AlteredBlockError, ProofError, provePerson, type ProofRequest } from './prove.js';
import { proveEvent, type EventProof } from './event-proof.js';
import { comparedSeals, compareSeals, sealFaults, type SealComparison } from './holding-seal.js';
import { newestSeals, sealsName } from './seal-folder.js';
import { sealNow } from './seal-now.js';
import { sealStates, type SealsRequest, type SealStates } from './seal-states.js';
import type { Seal } from './seal.js';
import type { KeptEvidence } from './seals.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { EvidenceGuard } from './guard.js';

export interface Proofs {
  /** Knows the numbers of events. */
  readonly tree: Pick<TreeSource, 'ordinalsAt'> | undefined;
  /** Where an event stands in the evidence; nulls while it has no link yet. */
  placeOf(event: StoredEvent): Promise<EvidencePlace>;
  /** Of the data folder: the newest that the log still fits, and the newest that it does not. */
  seals(): Promise<SealComparison>;
  /** Against a seal made now. @throws ServiceError `unavailable` the log is not verified yet; as `provePerson` */
  prove(stored: StoredEvents, request: Omit<ProofRequest, 'seal'>): Promise<Proof>;
  /** Against the newest seal of the data folder that is of this event and holds, else against one made now. @throws ServiceError `unavailable` as `prove`, or the event has no link yet */
  proveEvent(event: StoredEvent, hidden: HiddenMembers): Promise<EventProof>;
  /** Of the data folder. @throws as `sealStates` */
  sealStates(request: SealsRequest): Promise<SealStates>;
}

interface EvidencePlace {
  readonly ordinal: number | null;
  /** Of the event as it is given, hex. */
  readonly leaf: string | null;
  /** As it is kept, hex. */
  readonly link: string | null;
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
  const folder = path.join(dataDir, sealsName);
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

  async function demandVerified(): Promise<ChainHead> {
    const head = await verified();
    if (head === undefined || head.count === 0) throw new ServiceError('unavailable', {}, { retryAfter });
    return head;
  }

  const sealMade = async (head: ChainHead, key: KeyObject): Promise<Seal> =>
    await sealNow({ log: store, source, verified: head, key, now: clock() });

  /** Somebody else may have it already, which one that is made now nobody has. */
  async function sealKept(ordinal: number): Promise<Seal | undefined> {
    const faultOf = await sealFaults(store, source);
    for (const seal of newestSeals(folder, comparedSeals))
      if (seal.count >= ordinal && (await faultOf(seal)) === undefined) return seal;
    return undefined;
  }

  return {
    tree: source,
    async placeOf(event) {
      const [ordinal] = await source.ordinalsAt([event.position]);
      if (ordinal === undefined) return { ordinal: null, leaf: null, link: null };
      return { ordinal, leaf: toHex(leafOf(ordinal, event)), link: (await source.linkAt(ordinal)) ?? null };
    },
    async seals() {
      const found = await compareSeals(newestSeals(folder, comparedSeals), store, source);
      return { ...found, demandWritten: async (shown) => await found.demandWritten?.(shown).catch(refuse) };
    },
    async prove(stored, request) {
      const head = await demandVerified();
      const key = sealKey();
      try {
        return await provePerson({ stored, source, key }, { ...request, seal: await sealMade(head, key) });
      } catch (cause) {
        return refuse(cause);
      }
    },
    async proveEvent(event, hidden) {
      const head = await demandVerified();
      try {
        const [ordinal] = await source.ordinalsAt([event.position]);
        if (ordinal === undefined) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
        const seal = (await sealKept(ordinal)) ?? (await sealMade(head, sealKey()));
        // The event joined the tree after the head was read.
        if (ordinal > seal.count) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
        return await proveEvent(source, { event, ordinal, seal, hidden });
      } catch (cause) {
        return refuse(cause);
      }
    },
    sealStates: (request) => sealStates({ store, source, guard, folder }, request),
  };
}
