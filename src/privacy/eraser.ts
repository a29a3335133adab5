/** Carries through what is unfinished, again and again until it is done, and says what waits and why. */
import type { ErasuresState } from '../commands/erasures.js';
import { ServiceError } from '../errors.js';
import { isUnreadable } from '../events/codec.js';
import { erasuresStream } from '../events/streams.js';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import type { Lease } from '../projector/lease.js';
import { ReadModelsUnavailableError, ViewMissingError } from '../readmodels/read-models.js';
import { createAwaitedEmails } from './awaited-emails.js';
import { complete, erase, type Erased, type EraseOptions } from './erase.js';

/** How often unfinished erasures are looked for, in milliseconds. */
const lookMs = 500;
/** After a failure. */
const restMs = 2_000;
/** A start waits for an erasure that fails until it was tried this often. */
const triesOfStart = 3;

export interface WaitingErasure {
  readonly erasure_id: string;
  readonly reason: 'email_being_sent' | 'view_being_built' | 'unreadable_event' | 'unavailable' | 'failed';
}

interface EraserOptions {
  readonly steps: EraseOptions;
  /** Keeps the register. */
  readonly keep: (state: ErasuresState) => Promise<void>;
  /** Undefined: there is but one process. */
  readonly lease: Lease | undefined;
  /** Storages of views that hold who was erased, beside those that are read. */
  readonly hasOtherStorages: () => Promise<boolean>;
  /** Of this process, where it has one. */
  readonly mailer: { cutOff(stream: string): boolean } | undefined;
  readonly logger: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** Asks for nothing itself: what is unfinished stands in the log. */
export function startEraser({ steps, keep, lease, hasOtherStorages, mailer, logger, now }: EraserOptions) {
  const closing = new AbortController();
  const { signal } = closing;
  let looking: Promise<void> | undefined;
  let completing: Promise<void> | undefined;
  let again = false;
  /** What was logged since everything went well. */
  const failures = new Set<string>();
  let isCaughtUp = false;
  let restUntil = 0;
  /** By id: what is left of them is their completion. */
  const erased = new Map<string, Erased>();
  const awaited = createAwaitedEmails({ mailer, logger, now });
  /** By id, with how often it failed. */
  const waiting = new Map<string, Pick<WaitingErasure, 'reason'> & { readonly failed: number }>();

  function fail(error: unknown, what = 'an erasure cannot go on'): void {
    if (error instanceof ViewMissingError) return;
    restUntil = now() + restMs;
    const reason = String(error);
    if (!failures.has(reason) && !signal.aborted) logger.error({ err: error }, `${what}: tried again`);
    failures.add(reason);
  }

  /** One that fails does not keep the others from going on. */
  async function attempt(id: string): Promise<void> {
    try {
      const one = await erase(steps, id);
      if ('counts' in one) {
        waiting.delete(id);
        erased.set(id, one);
      } else {
        waiting.set(id, { reason: 'email_being_sent', failed: 0 });
        awaited.waitFor(id, one);
      }
    } catch (error) {
      const reason = reasonOf(error);
      // A start waits for as long as the view is built: nobody could be asked for before, either.
      const before = reason === 'view_being_built' ? 0 : (waiting.get(id)?.failed ?? 0);
      waiting.set(id, { reason, failed: before + 1 });
      fail(error);
    }
  }

  /** Asked for only while it is not held: it renews itself. */
  const holdsLease = async (): Promise<boolean> =>
    lease === undefined || lease.isHeld() || (await lease.hold(signal)) !== null;

  async function turn(): Promise<void> {
    if (!(await holdsLease())) return;
    const { state } = await steps.erasures.fresh(erasuresStream);
    await keep(state);
    if (state.unfinished.size === 0) awaited.forget();
    for (const id of waiting.keys()) if (!state.unfinished.has(id)) waiting.delete(id);
    for (const id of [...state.unfinished.keys()].filter((one) => !erased.has(one))) {
      if (signal.aborted || lease?.isHeld() === false) return;
      await attempt(id);
    }
    completeAll();
    settle();
  }

  function settle(): void {
    const failing = [...waiting.values()].filter(({ failed }) => failed > 0);
    isCaughtUp ||= failing.every(({ failed }) => failed >= triesOfStart);
    if (failing.length === 0 && erased.size === 0) failures.clear();
  }

  /** Takes seconds with many contacts: turns go on meanwhile, and who is erased in them is completed next. */
  function completeAll(): void {
    completing ??= completeSome()
      .catch((error: unknown) => {
        for (const id of erased.keys()) waiting.set(id, { reason: reasonOf(error), failed: 0 });
        fail(error);
      })
      .finally(() => {
        completing = undefined;
      });
  }

  /** Not while other storages of a view hold who was erased. */
  async function completeSome(): Promise<void> {
    const some = [...erased];
    if (some.length === 0) return;
    const isBuilding = await hasOtherStorages();
    for (const [id] of isBuilding ? some : []) waiting.set(id, { reason: 'view_being_built', failed: 0 });
    if (isBuilding) return;
    await complete(
      steps,
      some.map(([, one]) => one),
    );
    for (const [id, { counts }] of some) {
      logger.info(counts, 'an erasure is completed');
      waiting.delete(id);
      erased.delete(id);
    }
  }

  function look(): void {
    again = looking !== undefined;
    if (again || signal.aborted) return;
    looking = turn()
      .catch((error: unknown) => fail(error, 'open erasures cannot be looked for'))
      .finally(() => {
        looking = undefined;
        if (again) look();
      });
  }

  const timer = setInterval(() => now() >= restUntil && look(), lookMs);
  look();
  return {
    look,
    // Where another process has the lease, it is that one's work.
    isCaughtUp: () => isCaughtUp || lease?.isHeld() === false,
    waiting: () =>
      lease?.isHeld() === false ? undefined : [...waiting].map(([erasure_id, { reason }]) => ({ erasure_id, reason })),
    async close() {
      clearInterval(timer);
      closing.abort();
      await looking;
      await lease?.close();
    },
  };
}

function reasonOf(error: unknown): WaitingErasure['reason'] {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (isUnreadable(cause)) return 'unreadable_event';
  if (cause instanceof ViewMissingError) return 'view_being_built';
  const isOutage = error instanceof ServiceError || cause instanceof StoreUnavailableError;
  return isOutage || cause instanceof ReadModelsUnavailableError ? 'unavailable' : 'failed';
}
