/** The mailer: a subscriber that finds e-mails on the worklist, has each attempted once at a time, and asks the relay before it takes more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import type { Due, Subscriber } from '../flow/subscriber.js';
import { attemptEmail } from './attempt.js';
import type { BreakerTimings } from './breaker.js';
import {
  createCooldowns,
  createOrphans,
  createMisdated,
  createWorklist,
  holdOverdue,
  type HoldOverdueOptions,
} from './worklist.js';
import type { AttemptOptions, AttemptResult, DueEmail } from './job.js';
import { createRelay, type Relay } from './relay.js';

export interface MailerOptions extends AttemptOptions, HoldOverdueOptions {
  /** Open e-mails with something to do not after `now` (ISO 8601, milliseconds), longest due first. */
  readonly due: (now: string, limit: number) => Promise<readonly DueEmail[]>;
  /** E-mails that are being sent. */
  readonly sending: (limit: number) => Promise<readonly DueEmail[]>;
  /** Yields pages of the open emails whose `next_attempt_at` is later than this time (ISO 8601, milliseconds). */
  readonly dueAfter: (time: string) => AsyncIterable<readonly DueEmail[]>;
  /** To the relay, at most. */
  readonly connections: number;
  /** E-mails at a time, those among them that wait for a connection or for the log. */
  readonly concurrency: number;
  readonly breakerTimings: BreakerTimings;
}

/** A connection without an e-mail, e-mails that have waited for too long while the relay refuses, or an e-mail. */
type MailWork = 'probe' | 'hold' | DueEmail;

export interface MailSubscriber extends Subscriber<MailWork> {
  /** `hasRun`: attempts may be claimed, as far as this process's lease goes. */
  status(): { readonly hasRun: boolean; readonly relay: ReturnType<Relay['status']> };
  /** Destroys the connection of an attempt of this process; what is known of it is recorded. False: none runs. */
  cutOff(stream: string): boolean;
}

/** Polls between two looks for e-mails that have waited for too long. */
const pollsOfHold = 12;
/** Milliseconds between two looks for orphaned attempts, at the start of a sole writer. */
const sweepPause = 250;

export function createMailer(options: MailerOptions): MailSubscriber {
  const { timings, monotonic, clock, report, concurrency, runs, soleWriter } = options;
  const running = new Map<string, AbortController>();
  const cooldowns = createCooldowns(timings.stale, monotonic);
  const relay = createRelay(options);
  let nextHold = 0;
  let hasLeftSome = false;
  const orphans = createOrphans({
    ...options,
    pause: soleWriter ? Math.min(timings.poll, sweepPause) : timings.poll,
    until: soleWriter ? monotonic() + timings.sweep : Infinity,
  });

  const misdated = createMisdated(options);
  const worklist = createWorklist({
    ...options,
    pauseOf: (stream) => (running.has(stream) ? Infinity : cooldowns.remaining(stream)),
    paused: () => running.size + cooldowns.size(),
  });

  async function due(free: number): Promise<Due<MailWork>> {
    if (runs.current() === undefined) return { work: [], rest: timings.poll };
    await orphans.find();
    await misdated.find();
    const listed = await worklist.head(free);
    if (relay.isProbeDue()) return { work: ['probe'], rest: timings.poll };
    if (relay.status().refuses !== undefined && monotonic() >= nextHold) return { work: ['hold'], rest: timings.poll };
    const found = choose([...orphans.all(), ...misdated.due(), ...listed], free);
    worklist.remove(new Set(found.work));
    return { ...found, rest: Math.min(found.rest, worklist.rest(), misdated.rest()) };
  }

  /** While the relay refuses, only what an earlier attempt left behind. */
  function choose(entries: readonly DueEmail[], free: number): Due<MailWork> {
    const chosen = new Map<string, DueEmail>();
    let rest = Math.min(timings.poll, relay.rest());
    let claims = relay.room(running.size);
    for (const entry of entries) {
      if (running.has(entry.stream) || chosen.has(entry.stream)) continue;
      if (chosen.size >= free) break;
      const wait = waitOf(entry);
      if (wait > 0) rest = Math.min(rest, wait);
      if (wait > 0 || (isClaim(entry) && claims <= 0)) continue;
      if (isClaim(entry)) claims -= 1;
      chosen.set(entry.stream, entry);
    }
    return { work: [...chosen.values()], rest };
  }

  const isClaim = ({ state, stream }: DueEmail): boolean => state !== 'sending' && !orphans.has(stream);

  /** Milliseconds. */
  function waitOf({ stream, next_attempt_at }: DueEmail): number {
    const isDue = orphans.has(stream) || misdated.isDue(stream);
    const wait = isDue ? 0 : Date.parse(next_attempt_at ?? '') - clock();
    return Math.max(wait, cooldowns.remaining(stream));
  }

  /** For as long as there are any: they come in portions. */
  async function hold(signal: AbortSignal): Promise<void> {
    nextHold = monotonic() + pollsOfHold * timings.poll;
    let reason = relay.status().refuses?.reason;
    while (reason !== undefined && !signal.aborted && (await holdOverdue(options, reason, signal)) > 0)
      reason = relay.status().refuses?.reason;
  }

  async function handle(work: MailWork, signal: AbortSignal, closing: AbortSignal): Promise<void> {
    if (work === 'probe') return await relay.probe(closing);
    if (work === 'hold') return await hold(closing);
    await attempt(work, signal);
  }

  async function attempt(work: DueEmail, signal: AbortSignal): Promise<void> {
    const { stream, email_id } = work;
    const isOrphan = orphans.remove(stream);
    const cut = new AbortController();
    running.set(stream, cut);
    const trial = relay.begin();
    const recording = later(signal, timings.recordGrace);
    try {
      const sending = AbortSignal.any([signal, cut.signal]);
      const result = await attemptEmail(options, stream, {
        sending,
        recording: recording.signal,
        trial,
        misdated: misdated.timeOf(stream),
      });
      looked(work, result);
      if (result === 'claim_unknown' || (result === 'waits' && isOrphan)) orphans.add(work);
    } catch (error) {
      cooldowns.add(stream, { growing: true });
      // No attempt has looked at it yet.
      if (isOrphan) orphans.add(work);
      // Without the log nothing can be done for any e-mail: the runner rests.
      if (error instanceof StoreUnavailableError) throw error;
      report({ type: 'fault', email_id, error });
    } finally {
      recording.forget();
      trial.close();
      running.delete(stream);
    }
  }

  function looked(work: DueEmail, result: AttemptResult): void {
    const { stream } = work;
    if (result === 'waits') return;
    if (result !== 'claim_unknown') misdated.remove(stream);
    // Cool down after a success, too, because the view may show the email as due until it has caught up.
    if (result === 'no_link') leave(work);
    else cooldowns.add(stream, { growing: result !== 'recorded' });
  }

  /** There may be thousands, all before those that can be sent: they are looked at once, and reported once. */
  function leave({ stream, email_id }: DueEmail): void {
    cooldowns.addForGood(stream);
    if (!hasLeftSome)
      report({ type: 'fault', email_id, error: new Error('PUBLIC_URL is not set: e-mails to lists wait until it is') });
    hasLeftSome = true;
  }

  return {
    name: 'mailer',
    concurrency,
    grace: timings.closeGrace,
    due,
    handle,
    status: () => ({ hasRun: runs.current() !== undefined, relay: relay.status() }),
    cutOff(stream) {
      const attempt = running.get(stream);
      attempt?.abort();
      return attempt !== undefined;
    },
  };
}

/** Aborts some milliseconds after the other, which holds on to it until it is forgotten. */
function later(signal: AbortSignal, milliseconds: number) {
  const controller = new AbortController();
  const abort = (): void => void sleep(milliseconds, undefined, { ref: false }).then(() => controller.abort());
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { signal: controller.signal, forget: (): void => signal.removeEventListener('abort', abort) };
}
