/** Seals as a subscriber: of the verified part of the log, every so often and at the stop, by one process at a time. */
import { readLogId } from '../eventstore/log-id.js';
import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import type { Logger } from 'pino';
import type { ChainHead } from '../eventstore/chain.js';
import { sealFaults } from './holding-seal.js';
import { copySeals, keepSeal, newestCopy, newestSeal, sealsName } from './seal-folder.js';
import { openSealKey, sealKeyName } from './seal-key.js';
import { AlteredEventError } from '../eventstore/link-source.js';
import type { TreeSource } from '../eventstore/tree.js';
import { sealNow } from './seal-now.js';
import { checkSeal, fingerprintOf, publicKeyOf, SealError } from './seal.js';
import { deriveHeadKey } from '../events/streams.js';
import { takeTurns, type Clocks, type Subscriber, type WorkLease } from '../flow/subscriber.js';
import { ConfigurationError, type Config } from '../stores/config.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { EvidenceGuard } from './guard.js';
import { createVerifyPace } from './verify-pace.js';
import { seldomLeaseMs, type OpenLease } from '../stores/own-lease.js';

/** Verification goes on this often while little is written, so that little is left to be read when a seal is due. */
const mostPauseMs = 60_000;

interface Seals extends Subscriber<'turn'> {
  /** In the data folder. */
  newest(): { readonly sealed_at: string; readonly count: number } | undefined;
}

/** Beside the views of a log on a server, or in the log. */
export interface KeptEvidence {
  /** The chain that some process keeps beside the views. */
  keptChain(): Promise<ChainHead | undefined>;
  readonly tree: TreeSource;
}

interface SealsOptions extends Clocks {
  readonly config: Pick<Config, 'dataDir' | 'roles' | 'seals'>;
  readonly openLease: OpenLease;
  readonly store: OpenEventStore;
  /** Undefined where other processes write to the log. */
  readonly guard: EvidenceGuard | undefined;
  readonly views: KeptEvidence;
  readonly sealKey: () => KeyObject;
  readonly secret: string;
  readonly logger: Logger;
}

/** The key of `SEAL_KEY`, or of the data folder, made there when it is first needed. @throws ConfigurationError */
export function sealKeyFor({ dataDir, seals }: Pick<Config, 'dataDir' | 'seals'>, logger: Logger): () => KeyObject {
  const open = () =>
    openSealKey({ file: seals.key, dataDir }, () =>
      logger.info({ file: sealKeyName }, 'a key for seals was made in the data folder: keep a copy of it'),
    );
  try {
    const own = seals.key && open();
    return own ? () => own : open;
  } catch (error) {
    if (error instanceof SealError) throw new ConfigurationError(`SEAL_KEY: ${error.message}`);
    throw error;
  }
}

/** Undefined where they are off, or left to the processes that fold the views. @throws ReadModelsUnavailableError */
export async function openSeals(options: SealsOptions): Promise<Seals | undefined> {
  const { config } = options;
  void sayNewer(options).catch(() => undefined);
  if (config.seals.every === 0 || !config.roles.has('projector')) return undefined;
  return createSeals(options, await options.openLease('seals', seldomLeaseMs));
}

/** An older copy of the whole folder is right by itself: only what was kept elsewhere tells. A share may not answer for long, so nothing waits for it. */
async function sayNewer({ config, store, logger }: SealsOptions): Promise<void> {
  const events = store.chainHead?.().count;
  const seal = config.seals.copies === undefined ? undefined : await newestCopy(config.seals.copies);
  if (events === undefined || seal === undefined || !checkSeal(seal).isSigned) return;
  const { log_id, sealed_at, count } = seal;
  if (count > events && log_id === (await readLogId(store)))
    logger.warn(
      { sealed_at, count, events },
      'SEAL_DIR has a seal of more events than the log: the log was shortened, or is an older copy',
    );
}

interface SealPaceOptions {
  /** Milliseconds between two seals. */
  readonly every: number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** Age of the newest seal at the start by the wall clock, in milliseconds; undefined if there is no seal. */
  readonly age: number | undefined;
}

/** Decides when a seal is due. The wall clock is used only at the start, so that setting the clock delays no seal by more than one pause. */
export function createSealPace({ every, monotonic, age = 0 }: SealPaceOptions) {
  let dueAt = monotonic() + every - Math.min(every, Math.max(0, age));
  return {
    isDue: (): boolean => monotonic() >= dueAt,
    sealed: (): void => void (dueAt = monotonic() + every),
  };
}

function createSeals(options: SealsOptions, lease: WorkLease | undefined): Seals {
  const { config, store, guard, views, sealKey, secret, logger, clock, monotonic } = options;
  const { every, copies } = config.seals;
  const folder = path.join(config.dataDir, sealsName);
  const headKey = deriveHeadKey(secret);
  let newest = newestSeal(folder);
  const pace = createSealPace({ every, monotonic, age: newest && clock() - Date.parse(newest.sealed_at) });
  let copying: Promise<void> | undefined;
  let isCopyFailing = false;
  let unchecked = newest;
  const isVerificationDue = createVerifyPace(monotonic);

  /** A log that was rewritten with its secret is right by itself, and no longer the sealed one. */
  async function checkNewest({ count }: ChainHead): Promise<void> {
    // Links beside the views may still be on their way there.
    if (unchecked === undefined || (guard === undefined && count < unchecked.count)) return;
    const { sealed_at } = unchecked;
    const { reason } = (await (await sealFaults(store, views.tree))(unchecked)) ?? {};
    unchecked = undefined;
    if (reason !== undefined) logger.warn({ sealed_at, reason }, 'the newest seal in the data folder does not hold');
  }

  /** Events in the file after the end that this process knows may be of another program. */
  function own(read: ChainHead): ChainHead {
    const known = store.chainHead?.();
    return known !== undefined && known.count < read.count ? known : read;
  }

  async function verified(signal: AbortSignal): Promise<ChainHead | undefined> {
    const read = await (guard === undefined ? views.keptChain() : guard.verifyOn(headKey, signal));
    const head = read && store.altered?.() === undefined ? own(read) : undefined;
    if (head !== undefined) await checkNewest(head);
    return head;
  }

  async function seal(head: ChainHead): Promise<void> {
    const key = sealKey();
    if (head.count === 0 || (newest?.head === head.head && newest.public_key === publicKeyOf(key))) return;
    const made = await sealNow({ log: store, source: views.tree, verified: head, key, now: clock() });
    keepSeal(folder, made);
    newest = made;
    pace.sealed();
    const { log_id, count, root, sealed_at, public_key } = made;
    logger.info(
      { log_id, count, head: made.head, root, sealed_at, key_fingerprint: fingerprintOf(public_key) },
      'the log was sealed',
    );
  }

  /** Nothing waits for it but a stop: a share may not answer for long. */
  async function copy(to: string): Promise<void> {
    try {
      await copySeals(folder, to);
      isCopyFailing = false;
    } catch (error) {
      if (!isCopyFailing) logger.warn({ err: error }, 'seals cannot be copied to SEAL_DIR: tried again with the next');
      isCopyFailing = true;
    }
  }

  async function turn(signal: AbortSignal): Promise<void> {
    if (!isVerificationDue(store.chainHead?.().count ?? 0) && !pace.isDue()) return;
    const head = await verified(signal);
    if (head === undefined || signal.aborted || !pace.isDue()) return;
    await seal(head);
    if (copies !== undefined) copying ??= copy(copies).finally(() => (copying = undefined));
  }

  /** A last one, where this process may still make it. */
  async function close(signal: AbortSignal): Promise<void> {
    const head = lease?.isHeld() === false ? undefined : await verified(signal);
    if (head !== undefined && !signal.aborted) await seal(head);
    await copying;
    if (copies !== undefined) await copy(copies);
  }

  function report(error: unknown): never {
    if (error instanceof AlteredEventError) guard?.report(`the event log was altered: ${error.message}`);
    throw error;
  }

  const turns = takeTurns({
    name: 'seals',
    lease,
    pause: Math.min(every, mostPauseMs),
    monotonic,
    turn: (signal) => turn(signal).catch(report),
    close: (signal) => close(signal).catch(report),
  });
  return { ...turns, newest: () => newest };
}
