/** Erasures as a subscriber: one after the other is carried through until it is done, and what waits is named with its reason. */
import { ServiceError } from '../errors.js';
import { isUnreadable } from '../events/codec.js';
import { erasuresStream } from '../events/streams.js';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import type { Due, Subscriber, WorkLease } from '../flow/subscriber.js';
import { ReadModelsUnavailableError, ViewMissingError } from '../readmodels/read-models.js';
import { complete, erase, type ErasureCompletion, type EraseOptions, type RunningEmail } from './erase.js';

/** How often unfinished erasures are looked for, in milliseconds. */
const lookMs = 500;
/** One that failed is tried again after this time, in milliseconds. */
const restMs = 2_000;
/** A start waits for an erasure that fails until it was tried this often. */
const triesOfStart = 3;

interface WaitingErasure {
  readonly erasure_id: string;
  readonly reason: 'email_being_sent' | 'view_being_built' | 'unreadable_event' | 'unavailable' | 'failed';
}

interface EraserOptions {
  readonly steps: EraseOptions;
  /** Resolves when each requested erasure has its line in the register. */
  readonly keep: () => Promise<void>;
  /** Undefined: there is but one process. */
  readonly lease: WorkLease | undefined;
  /** Whether storages that are not read, beside the live ones, may still hold an erased person. */
  readonly hasOtherStorages: () => Promise<boolean>;
  /** Reports damage by which an email is not found by its recipient. @throws ReadModelsUnavailableError */
  readonly checkRecipients: () => Promise<void>;
  /** How often damage of the views was found since the start. */
  readonly damageFound: () => number;
  /** Whether the views have come to where the log stood at the start. */
  readonly areViewsReached: () => boolean;
  /** Of this process, where it has one. */
  readonly mailer: { cutOff(stream: string): boolean } | undefined;
  readonly logger: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** What waits, for how long it is left alone, and how often it failed. */
interface FailedErasure extends Pick<WaitingErasure, 'reason'> {
  readonly failed: number;
  readonly until: number;
}

/** One that is erased, or the completion of all that are. */
interface EraserWork {
  readonly type: 'erase' | 'complete';
  readonly ids: readonly string[];
}

export interface Eraser extends Subscriber<EraserWork> {
  /** What was unfinished at the start is erased or waits for an e-mail, or failed several times; or it is another process's work. */
  isCaughtUp(): boolean;
  /** Undefined where another process carries erasures through. */
  waiting(): readonly WaitingErasure[] | undefined;
  /** When the unfinished one that was requested first was requested, as of the last look. Undefined: there is none, or another process carries them through. */
  oldest(): string | undefined;
}

export function createEraser(options: EraserOptions): Eraser {
  const { steps, keep, lease, hasOtherStorages, checkRecipients, damageFound, areViewsReached, mailer, logger, now } =
    options;
  const running = new Set<EraserWork['type']>();
  /** What was logged since everything went well. */
  const failures = new Set<string>();
  let isCaughtUp = false;
  let oldest: string | undefined;
  /** By id: what is left of them is their completion. */
  const erased = new Map<string, ErasureCompletion & { readonly damageBefore: number }>();
  const awaited = createAwaitedEmails({ mailer, logger, now });
  /** By id. */
  const waiting = new Map<string, FailedErasure>();
  const wait = (id: string, reason: WaitingErasure['reason'], failed = 0): void =>
    void waiting.set(id, { reason, failed, until: now() + (isFault(reason) ? restMs : lookMs) });
  const isDue = (id: string): boolean => now() >= (waiting.get(id)?.until ?? 0);
  const pieceOf = (type: EraserWork['type'], ids: readonly string[]): EraserWork[] =>
    running.has(type) || ids.length === 0 ? [] : [{ type, ids }];

  async function due(): Promise<Due<EraserWork>> {
    const { state } = await steps.erasures.fresh(erasuresStream);
    if (state.unfinished.size > 0) await keep();
    if (state.unfinished.size === 0) awaited.forget();
    for (const id of waiting.keys()) if (!state.unfinished.has(id)) waiting.delete(id);
    oldest = [...state.unfinished.keys()].flatMap((id) => state.all.get(id)?.requested_at ?? []).sort()[0];
    const open = [...state.unfinished.keys()].filter((id) => !erased.has(id));
    settle(open);
    const next = pieceOf('erase', open.filter(isDue).slice(0, 1));
    return { work: [...next, ...pieceOf('complete', [...erased.keys()].filter(isDue))], rest: lookMs };
  }

  function settle(open: readonly string[]): void {
    const tries = open.map((id) => waiting.get(id)?.failed);
    // One that waits for an e-mail has not failed.
    isCaughtUp ||= tries.every((failed) => failed === 0 || (failed ?? 0) >= triesOfStart);
    if (tries.every((failed) => failed === 0) && erased.size === 0) failures.clear();
  }

  function fail(error: unknown): void {
    const reason = String(error);
    if (!failures.has(reason)) logger.error({ err: error }, 'an erasure cannot go on: tried again');
    failures.add(reason);
  }

  function waitAfter(error: unknown, ids: readonly string[], signal: AbortSignal): void {
    const reason = isLagging(error) && !areViewsReached() ? 'view_being_built' : reasonOf(error);
    // A start waits until the view is built: before that no person could be looked up anyway.
    for (const id of ids) wait(id, reason, isFault(reason) ? (waiting.get(id)?.failed ?? 0) + 1 : 1);
    if (isFault(reason) && !signal.aborted) fail(error);
  }

  async function eraseOne(id: string): Promise<void> {
    const damageBefore = damageFound();
    const one = await erase(steps, id);
    if ('counts' in one) {
      waiting.delete(id);
      erased.set(id, { ...one, damageBefore });
    } else {
      wait(id, 'email_being_sent');
      awaited.waitFor(id, one);
    }
  }

  /** Takes seconds with many contacts: others are erased meanwhile, and completed next. Waits while other storages of a view may still hold an erased person. */
  async function completeAll(ids: readonly string[]): Promise<void> {
    if (await hasOtherStorages()) return ids.forEach((id) => wait(id, 'view_being_built'));
    await checkRecipients();
    // A damaged view may have hidden emails from an erasure, so the erasure begins again when the view is rebuilt.
    for (const id of ids) if (erased.get(id)?.damageBefore !== damageFound()) erased.delete(id);
    const some = ids.flatMap((id) => erased.get(id) ?? []);
    await complete(steps, some);
    for (const { counts } of some) {
      logger.info(counts, 'an erasure is completed');
      waiting.delete(counts.erasure_id);
      erased.delete(counts.erasure_id);
    }
  }

  return {
    name: 'erasures',
    lease,
    // One erasure at a time, and beside it the completion of those before.
    concurrency: 2,
    grace: 0,
    due,
    /** One that fails does not keep the others from going on. */
    async handle({ type, ids }, signal) {
      running.add(type);
      try {
        if (type === 'complete') await completeAll(ids);
        else for (const id of ids) await eraseOne(id);
      } catch (error) {
        waitAfter(error, ids, signal);
      } finally {
        running.delete(type);
      }
    },
    // Where another process has the lease, it is that one's work.
    isCaughtUp: () => isCaughtUp || lease?.isHeld() === false,
    oldest: () => (lease?.isHeld() === false ? undefined : oldest),
    waiting: () =>
      lease?.isHeld() === false ? undefined : [...waiting].map(([erasure_id, { reason }]) => ({ erasure_id, reason })),
  };
}

const isFault = (reason: WaitingErasure['reason']): boolean =>
  reason !== 'email_being_sent' && reason !== 'view_being_built';

/** The views do not show in time what they are to show. */
const isLagging = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'unavailable' && error.cause === undefined;

function reasonOf(error: unknown): WaitingErasure['reason'] {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (isUnreadable(cause)) return 'unreadable_event';
  if (cause instanceof ViewMissingError) return 'view_being_built';
  const isOutage = error instanceof ServiceError || cause instanceof StoreUnavailableError;
  return isOutage || cause instanceof ReadModelsUnavailableError ? 'unavailable' : 'failed';
}

/** An e-mail that this process is sending is waited for as long as this, in milliseconds. Then its connection is destroyed. */
const sendingMs = 60_000;

interface AwaitedEmailsOptions {
  /** Of this process, where it has one. */
  readonly mailer: { cutOff(stream: string): boolean } | undefined;
  readonly logger: Record<'info' | 'warn', (about: object, message: string) => void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export function createAwaitedEmails({ mailer, logger, now }: AwaitedEmailsOptions) {
  /** By stream, since when. */
  const awaited = new Map<string, number>();
  return {
    /** Another process's attempt is waited for until its run has ended or its deadline has passed: then a mailer judges it. */
    waitFor(erasure_id: string, emails: readonly RunningEmail[]): void {
      for (const { stream, email_id, until } of emails) {
        const since = awaited.get(stream);
        if (since === undefined) {
          awaited.set(stream, now());
          logger.info({ erasure_id, email_id, until }, 'an erasure waits for an e-mail that is being sent');
        } else if (now() - since >= sendingMs && mailer?.cutOff(stream) === true) {
          awaited.set(stream, now());
          logger.warn({ erasure_id, email_id }, 'the connection of an e-mail was cut: an erasure waits for it');
        }
      }
    },
    /** No erasure waits any more. */
    forget: (): void => awaited.clear(),
  };
}
