/** Makes seals: every SEAL_EVERY if events were added, at the stop, and on demand for a proof. Covers only what was read back. */
import type { KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventReader } from '../eventstore/event-store.js';
import { toHex } from '../eventstore/leaf.js';
import { rootOf, type Frontier, type TreeSource } from '../eventstore/tree.js';
import { createSingleFlight } from '../flow/single-flight.js';
import {
  compareSeals,
  createSeal,
  fingerprintOf,
  isOfPresentFormat,
  publicKeyOf,
  type KnownSeal,
  type Seal,
} from './seal.js';
import { restoreOrdinals } from './restores.js';
import { copySeals, keepSeal, reportIgnored, type ListedSeal, type SealPlaces } from './seal-store.js';
import type { StartCheck } from './start-check.js';

type KnownSeals = Pick<StartCheck, 'newest' | 'nextSeq' | 'listed'>;

interface SealerOptions {
  readonly places: SealPlaces;
  /** Milliseconds between two seals; 0: no periodic seals. */
  readonly every: number;
  readonly key: KeyObject;
  readonly logId: string;
  readonly log: Pick<EventReader, 'readStream'>;
  readonly tree: TreeSource;
  readonly known: KnownSeals;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

/** Signatures that are checked in one turn of the event loop. */
const signaturesAtOnce = 50;

export type Sealer = ReturnType<typeof createSealer>;

export function createSealer(options: SealerOptions) {
  const { places, every, key, logId, log, tree, logger, clock, monotonic } = options;
  const publicKey = publicKeyOf(key);
  let newest = presentSeal(options.known.newest);
  let { nextSeq, listed } = options.known;
  // The wall clock is used only here, so that setting the clock delays no later seal.
  const age = newest === undefined ? 0 : Math.max(0, clock() - Date.parse(newest.sealed_at));
  let dueAt = monotonic() + every - Math.min(every, age);
  let isCopyFailing = false;
  /** Results of comparing seals since the folders were read. The keys are the texts of the seals. */
  const noted = new Map<string, Pick<ListedSeal, 'state' | 'reason'>>();
  const list = (seals: readonly ListedSeal[]): void => {
    listed = seals.map((one) => ({ ...one, ...noted.get(JSON.stringify(one.seal)) }));
  };

  /** Seals these events, which were read back, unless the newest seal says the same or covers more. Returns undefined if there are no events. */
  async function seal(read: Frontier, { final = false } = {}): Promise<Seal | undefined> {
    const hash = rootOf(read);
    if (hash === undefined) return undefined;
    const { count } = read;
    const root = toHex(hash);
    const restores = (await restoreOrdinals(log, tree)).filter((ordinal) => ordinal <= count).length;
    // Nothing is awaited from here on, so that no two seals have the same number, and none is older than the one before.
    if (newest !== undefined && saysAsMuch(newest, { count, root, final })) return newest;
    const made = createSeal({ log_id: logId, seq: nextSeq, restores, count, root, final }, key, clock());
    const files = [keepSeal(places.dataDir, made)];
    noted.set(JSON.stringify(made), { state: 'holds', reason: null });
    listed = [{ files, seal: made, state: 'holds', reason: null, fault: () => undefined }, ...listed];
    newest = made;
    nextSeq += 1;
    dueAt = monotonic() + every;
    const { format: _, public_key, signature: __, ...facts } = made;
    logger.info({ ...facts, key_fingerprint: fingerprintOf(public_key) }, 'the log was sealed');
    copying = copy();
    return made;
  }

  /** Returns whether a seal is of more events, or says the same with the key of this service. */
  function saysAsMuch(known: Seal, state: Pick<Seal, 'count' | 'root' | 'final'>): boolean {
    const { count, root, final } = state;
    if (known.count !== count) return known.count > count;
    return known.root === root && known.public_key === publicKey && known.final === final;
  }

  /** Copies missing seals to SEAL_DIR. Only a stop waits for the copies, because a network share may not answer for long. */
  const copy = createSingleFlight(async () => {
    if (places.copies === undefined) return;
    try {
      await copySeals(places, places.copies);
      isCopyFailing = false;
    } catch (error) {
      if (!isCopyFailing) logger.warn({ err: error }, 'seals cannot be copied to SEAL_DIR; the next seal tries again');
      isCopyFailing = true;
    }
  });

  let copying = copy();
  return {
    /** Returns the newest seal of the present format that counts and holds, or undefined if no such seal exists. */
    newest: (): Seal | undefined => newest,
    /** Returns whether a periodic seal is due. */
    isDue: (): boolean => every > 0 && monotonic() >= dueAt,
    seal,
    /** Returns all seals that are known, the newest first. */
    listed: (): readonly ListedSeal[] => listed,
    /** Returns the seals that count, after it has checked the signatures that were not checked before. */
    async counted(): Promise<readonly KnownSeal[]> {
      const altered: ListedSeal[] = [];
      for (const [index, one] of listed.entries()) {
        const reason = one.state === 'not_checked' ? one.fault() : undefined;
        if (reason !== undefined) altered.push({ ...one, state: 'ignored', reason });
        if (index % signaturesAtOnce === 0) await nextTurn();
      }
      reportIgnored(altered, logger);
      for (const { seal: known, state, reason } of altered) noted.set(JSON.stringify(known), { state, reason });
      list(listed);
      return listed.flatMap(({ seal: known, state }) => (known !== null && state !== 'ignored' ? [known] : []));
    },
    /** Notes what a verification said of seals. */
    note(compared: readonly Pick<ListedSeal, 'seal' | 'state' | 'reason'>[]): void {
      for (const { seal: known, state, reason } of compared) noted.set(JSON.stringify(known), { state, reason });
      list(listed);
    },
    /** Learns of seals that other processes have made. */
    learn(seals: KnownSeals): void {
      const other = presentSeal(seals.newest);
      if (other !== undefined && (newest === undefined || compareSeals(other, newest) < 0)) newest = other;
      nextSeq = Math.max(nextSeq, seals.nextSeq);
      list(seals.listed);
    },
    /** Waits for the copies in SEAL_DIR. */
    close: async (): Promise<void> => await copying,
  };
}

const presentSeal = (seal: KnownSeal | undefined): Seal | undefined =>
  seal !== undefined && isOfPresentFormat(seal) ? seal : undefined;
