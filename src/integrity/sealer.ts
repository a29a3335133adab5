/** Makes seals: every SEAL_EVERY if events were added, at the stop, and on demand for a proof. Covers only what was read back. */
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventReader } from '../eventstore/event-store.js';
import { toHex } from '../eventstore/leaf.js';
import { rootOf, type Frontier, type TreeSource } from '../eventstore/tree.js';
import {
  compareSeals,
  createSeal,
  fingerprintOf,
  isOfPresentFormat,
  publicKeyOf,
  type KnownSeal,
  type Seal,
} from './seal.js';
import { restoresAmong } from './restores.js';
import { copySeals, keepSeal, reportIgnored, wrongSignature, type SealPlaces } from './seal-store.js';
import type { ListedSeal, StartCheck } from './start-check.js';

export interface Sealer {
  /** The newest seal of the present format that counts and holds. Undefined if no such seal exists. */
  newest(): Seal | undefined;
  /** All seals that are known, the newest first. */
  listed(): readonly ListedSeal[];
  /** Returns the seals that count, after it has checked the signatures that were not checked before. */
  counted(): Promise<readonly KnownSeal[]>;
  /** Notes what a verification said of seals from `counted`. */
  note(seals: readonly KnownSeal[], states: readonly Pick<ListedSeal, 'state' | 'reason'>[]): void;
  /** Whether a periodic seal is due. */
  isDue(): boolean;
  /** Seals these events, which were read back, unless the newest seal says the same or covers more. Undefined if there are no events. */
  seal(read: Frontier, options?: { readonly final?: boolean }): Promise<Seal | undefined>;
  /** Learns of seals that other processes have made. */
  learn(seals: KnownSeals): void;
  /** Waits for the copies in SEAL_DIR. */
  close(): Promise<void>;
}

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

export function createSealer(options: SealerOptions): Sealer {
  const { places, every, key, logId, log, tree, logger, clock, monotonic } = options;
  const publicKey = publicKeyOf(key);
  let newest = presentSeal(options.known.newest);
  let { nextSeq, listed } = options.known;
  // The wall clock is used only here, so that setting the clock delays no later seal.
  const age = newest === undefined ? 0 : Math.max(0, clock() - Date.parse(newest.sealed_at));
  let dueAt = monotonic() + every - Math.min(every, age);
  let copying: Promise<void> | undefined;
  let isCopyFailing = false;

  let sealing: Promise<unknown> = Promise.resolve();

  /** Makes one seal at a time, so that no two have the same number, and none is older than the one before. */
  async function seal(read: Frontier, options: { readonly final?: boolean } = {}): Promise<Seal | undefined> {
    const made = sealing.then(() => sealOnce(read, options));
    sealing = made.catch(() => undefined);
    return await made;
  }

  async function sealOnce({ count, nodes }: Frontier, { final = false }): Promise<Seal | undefined> {
    const hash = rootOf({ count, nodes });
    if (hash === undefined) return undefined;
    const root = toHex(hash);
    if (newest !== undefined && saysAsMuch(newest, { count, root, final })) return newest;
    const restores = await restoresAmong(log, tree, count);
    const made = createSeal({ log_id: logId, seq: nextSeq, restores, count, root, final }, key, clock());
    const file = path.basename(keepSeal(places.dataDir, made));
    listed = [{ file, seal: made, state: 'holds', reason: null, isSigned: () => true }, ...listed];
    newest = made;
    nextSeq += 1;
    dueAt = monotonic() + every;
    report(made);
    copy();
    return made;
  }

  /** Returns whether a seal is of more events, or says the same with the key of this service. */
  function saysAsMuch(known: Seal, state: Pick<Seal, 'count' | 'root' | 'final'>): boolean {
    const { count, root, final } = state;
    if (known.count !== count) return known.count > count;
    return known.root === root && known.public_key === publicKey && known.final === final;
  }

  function report({ log_id, seq, restores, count, root, final, sealed_at, public_key }: Seal): void {
    const facts = { log_id, seq, restores, count, root, final, sealed_at };
    logger.info({ ...facts, key_fingerprint: fingerprintOf(public_key) }, 'the log was sealed');
  }

  /** Copies missing seals to SEAL_DIR. Only a stop waits for the copies, because a network share may not answer for long. */
  function copy(): void {
    const { copies } = places;
    if (copies === undefined) return;
    copying = (copying ?? Promise.resolve())
      .then(() => copySeals(places, copies))
      .then(
        () => void (isCopyFailing = false),
        (error: unknown) => {
          if (!isCopyFailing)
            logger.warn({ err: error }, 'seals cannot be copied to SEAL_DIR; the next seal tries again');
          isCopyFailing = true;
        },
      );
  }

  copy();
  return {
    newest: () => newest,
    isDue: () => every > 0 && monotonic() >= dueAt,
    seal,
    listed: () => listed,
    async counted() {
      const altered = new Set<ListedSeal>();
      for (const [index, one] of listed.entries()) {
        if (one.state === 'not_checked' && !one.isSigned()) altered.add(one);
        if (index % signaturesAtOnce === 0) await nextTurn();
      }
      reportIgnored(
        [...altered].map(({ file }) => ({ files: [file], reason: wrongSignature })),
        logger,
      );
      listed = listed.map((one) => (altered.has(one) ? { ...one, state: 'ignored', reason: wrongSignature } : one));
      return listed.flatMap(({ seal: known, state }) => (known !== null && state !== 'ignored' ? [known] : []));
    },
    note(seals, states) {
      const found = new Map(seals.map((one, index) => [one, states[index]]));
      listed = listed.map((one) => ({ ...one, ...(one.seal === null ? undefined : found.get(one.seal)) }));
    },
    learn(seals) {
      const other = presentSeal(seals.newest);
      if (other !== undefined && (newest === undefined || compareSeals(other, newest) < 0)) newest = other;
      nextSeq = Math.max(nextSeq, seals.nextSeq);
      listed = seals.listed;
    },
    close: async () => await copying,
  };
}

const presentSeal = (seal: KnownSeal | undefined): Seal | undefined =>
  seal !== undefined && isOfPresentFormat(seal) ? seal : undefined;
