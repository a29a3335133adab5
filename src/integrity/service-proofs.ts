/** The proofs that the running service answers, and the state of its seals. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import type { HiddenMembers } from '../audit/redaction.js';
import type { StoredEvents } from '../audit/stored-events.js';
import { ServiceError } from '../errors.js';
import { count, object, text, time, type FrozenOutput } from '../events/values.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import { leafOf, toHex } from '../eventstore/leaf.js';
import { readLogId } from '../eventstore/log-id.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import {
  createTreeCheck,
  ProofError,
  proveEvent,
  provePerson,
  type EventProof,
  type PageSeals,
  type PersonProofRequest,
  type Proof,
} from './proofs.js';
import { fingerprintOf, isOfPresentFormat, publicKeyOf, sealSchema, type Seal } from './seal.js';
import type { ReadBack, ServiceSeals } from './log-watch.js';

export const sealStateSchema = object(
  'SealState',
  {
    file: text('Name of the file.', 'seal-00000004-2026-03-01T10-00-00.123Z.json'),
    seal: sealSchema.nullable().describe('The seal, which `verify.mjs` reads. Null if the file is not a seal.'),
    key_fingerprint: text('SHA-256 of the public key that signed, hex.', 'a3'.repeat(32)).nullable(),
    state: z
      .enum(['holds', 'not_checked', 'excused', 'fails', 'ignored'])
      .describe(
        '`holds`: the events that it covers are the sealed ones. `not_checked`: they have not been compared yet. `excused`: it covers events that a recorded restore removed. `fails`: the events are not the sealed ones. `ignored`: the file does not count, because it is not a seal or another key signed it.',
      ),
    reason: text('Why the seal does not hold. Null if it does.', 'another key signed it').nullable(),
  },
  'A seal that the service has kept, and whether it holds.',
);
type SealState = FrozenOutput<typeof sealStateSchema>;

/** The members beside a page of seals. */
export const sealedLog = {
  log_id: text('The name of the log for itself.', '0d7c2f0e-6f0e-4a55-9f2d-0a3b7c1d2e3f').nullable(),
  count: count.nullable().describe('Number of events in the log. Null if the newest events have not been counted yet.'),
  read_back_count: count
    .nullable()
    .describe(
      'Number of events, from the first one, that were read back from the store and found unaltered. Null on servers.',
    ),
  read_back_at: time.nullable().describe('When. Null if nothing was read back yet.'),
  fault: text('Why events cannot be read back. Null if nothing is wrong.', 'disk I/O error').nullable(),
};

interface SealsRequest {
  /** File name of the last seal of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

interface ProofsOptions {
  readonly log: EventReader;
  readonly tree: TreeSource;
  readonly seals: ServiceSeals;
  readonly readBack: (() => ReadBack) | undefined;
  /** Called if the events in the log are not the sealed ones. The message names no person. */
  readonly onAltered: (message: string) => void;
  readonly sealKey: () => KeyObject;
}

export type Proofs = ReturnType<typeof createProofs>;

export function createProofs({ log, tree, seals, readBack, onAltered, sealKey }: ProofsOptions) {
  const numbers: Pick<TreeSource, 'ordinalsAt'> = tree;

  /** @throws ServiceError `unavailable` if nothing can be proven */
  function refuse(cause: unknown): never {
    const isAltered = cause instanceof AlteredLogError;
    if (isAltered) onAltered(cause.message);
    throw isAltered || cause instanceof ProofError
      ? new ServiceError('unavailable', {}, { retryAfter: 10, cause })
      : cause;
  }

  /**
   * Returns the newest seal that covers this event, or makes one.
   * @param ordinal Infinity while the event has not been counted, as the newest events on servers
   * @param publicKey only seals by this key, as `publicKeyOf` returns it. Default: by any key that counts
   * @throws ServiceError `unavailable`
   */
  async function sealCovering(ordinal: number, publicKey?: string): Promise<Seal> {
    const fits = (one: Seal | undefined): one is Seal =>
      one !== undefined && one.count >= ordinal && (publicKey === undefined || one.public_key === publicKey);
    if (!Number.isFinite(ordinal)) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
    const known = seals.newest();
    if (fits(known)) return known;
    const made = await seals.sealNow().catch((cause: unknown) => {
      throw new ServiceError('unavailable', {}, { retryAfter: 10, cause });
    });
    if (fits(made)) return made;
    throw new ServiceError('unavailable', {}, { retryAfter: made === undefined ? 10 : 1 });
  }

  return {
    /** Knows the numbers of events. */
    tree: numbers,
    /** Returns the number and the leaf of an event; null while the event has not been counted. */
    async placeOf(event: StoredEvent) {
      const [ordinal] = await tree.ordinalsAt([event.position]);
      return ordinal === undefined ? { ordinal: null, leaf: null } : { ordinal, leaf: toHex(leafOf(ordinal, event)) };
    },
    /** Returns the seals that a page names, and the check of its events. */
    pageSeals(): PageSeals {
      const holding = seals.newest();
      const failing = seals.listed().find(({ state }) => state === 'fails');
      const demandInTree = createTreeCheck({ log, source: tree, holding });
      return {
        holding: holding === undefined ? [] : [holding],
        failing: failing?.seal ? { ...failing.seal, reason: failing.reason ?? '' } : undefined,
        demandInTree: (shown) => demandInTree(shown).catch(refuse),
      };
    },
    /**
     * Proves the events of a person against the newest seal that covers all of them, or against one made now.
     * @throws ServiceError `unavailable`; as `provePerson`
     */
    async prove(stored: StoredEvents, request: Omit<PersonProofRequest, 'seal'>): Promise<Proof> {
      const key = sealKey();
      // The key that signs the proof must be the key of the seal, which may have been changed since.
      const seal = (last: number): Promise<Seal> => sealCovering(last, publicKeyOf(key));
      return await provePerson({ stored, source: tree, key }, { ...request, seal }).catch(refuse);
    },
    /** Proves an event against the newest seal that covers it, or against one made now. @throws ServiceError `unavailable` */
    async proveEvent(event: StoredEvent, hidden: HiddenMembers): Promise<EventProof> {
      const [ordinal = Infinity] = await tree.ordinalsAt([event.position]);
      const seal = await sealCovering(ordinal);
      return await proveEvent(tree, { event, ordinal, seal, hidden }).catch(refuse);
    },
    /** Returns a page of the kept seals, newest first. Files that are not seals come last. */
    async sealStates({ after, limit }: SealsRequest) {
      const all = seals.listed().map((one) => ({ ...one, file: path.basename(one.files[0] ?? '') }));
      const from = after === undefined ? 0 : all.findIndex(({ file }) => file === after) + 1;
      // A cursor whose file was removed ends the list.
      const rest = after !== undefined && from === 0 ? [] : all.slice(from);
      const page = rest.slice(0, limit);
      const last = page.at(-1)?.file;
      const items = page.map(({ file, seal: known, state, reason }): SealState => {
        const seal = known !== null && isOfPresentFormat(known) ? known : null;
        const key_fingerprint = seal === null ? null : fingerprintOf(seal.public_key);
        return { file, seal, key_fingerprint, state, reason };
      });
      return { items, ...(rest.length > limit && last !== undefined && { next_cursor: last }), log: await logState() };
    },
  };

  async function logState(): Promise<FrozenOutput<z.ZodObject<typeof sealedLog>>> {
    const { count: read_back_count = null, at, fault = null } = readBack?.() ?? {};
    const [ordinal = null] = await tree.ordinalsAt([await log.head()]);
    return {
      log_id: (await readLogId(log)) ?? null,
      count: ordinal,
      read_back_count,
      read_back_at: at === undefined ? null : new Date(at).toISOString(),
      fault,
    };
  }
}
