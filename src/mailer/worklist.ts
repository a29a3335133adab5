/** What the mailer finds to do: e-mails that are due, claims that another run left behind, and e-mails that have waited for too long. */
import { backOff } from '../flow/backoff.js';
import { contextOf, iso, type AttemptOptions, type DueEmail } from './job.js';
import type { Runs } from './runs.js';
import type { EmailCommand } from '../commands/email.js';
import { isUnreadable } from '../events/codec.js';
import { loadEmail } from './load.js';
import type { EndingReason } from './reasons.js';
import { latestAttempt, type PauseTimings } from './timings.js';

interface WorklistOptions {
  /** Open e-mails with something to do not after `now` (ISO 8601, milliseconds), longest due first. */
  readonly due: (now: string, limit: number) => Promise<readonly DueEmail[]>;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly timings: { readonly poll: number; readonly stale: number };
  /** Milliseconds for which an e-mail is not to be looked at, Infinity while it is worked on. */
  readonly pauseOf: (stream: string) => number;
  /** How many have a pause, at most: they may still stand at the head, and must not hide what is behind them. */
  readonly paused: () => number;
}

/** E-mails that are read at a time, at least. */
const portion = 200;

/** The head of the worklist, read in portions: reading it at the end of each attempt would cost more than the attempt. */
export function createWorklist({ due, clock, monotonic, timings, pauseOf, paused }: WorklistOptions) {
  let entries: readonly DueEmail[] = [];
  let staleAt = -Infinity;
  let pauseEnds = Infinity;

  async function read(free: number): Promise<void> {
    const limit = Math.max(free + 1, portion) + paused();
    const listed = await due(iso(clock() + timings.poll), limit);
    staleAt = monotonic() + timings.stale;
    const pauses = listed.map(({ stream }) => pauseOf(stream));
    entries = listed.filter((_, index) => pauses[index] === 0);
    pauseEnds = monotonic() + pauses.reduce((least, pause) => (pause > 0 ? Math.min(least, pause) : least), Infinity);
  }

  return {
    /** More than `free` where more are due. Some may be due a little later; none has a pause. */
    async head(free: number): Promise<readonly DueEmail[]> {
      if (entries.length <= free || monotonic() >= staleAt) await read(free);
      return entries;
    },
    /** They are worked on now. */
    remove(taken: ReadonlySet<unknown>): void {
      entries = entries.filter((entry) => !taken.has(entry));
    },
    /** Milliseconds until the first pause of one that was left out is over. */
    rest: (): number => Math.max(0, pauseEnds - monotonic()),
  };
}

const longest = 60_000;

/** Streams that are not looked at for a while, because the worklist may still show e-mails that are done. */
export function createCooldowns(shortest: number, monotonic: () => number) {
  /** Kept a while after the end, so that the next one can grow. */
  const cooldowns = new Map<string, { readonly until: number; readonly length: number; readonly round: number }>();
  let lookAt = 0;

  /** Seldom, because thousands may be on the list. */
  function forgetOld(): void {
    const now = monotonic();
    if (now < lookAt) return;
    lookAt = now + shortest;
    for (const [stream, { until, length }] of cooldowns) if (now > until + 2 * length) cooldowns.delete(stream);
  }

  return {
    /** Starts a cooldown; `growing`: twice as long as the last one, if that was lately. */
    add(stream: string, { growing }: { readonly growing: boolean }): void {
      forgetOld();
      const last = cooldowns.get(stream);
      const round = growing && last !== undefined ? last.round + 1 : 0;
      const length = backOff(round, { first: shortest, most: longest });
      cooldowns.set(stream, { until: monotonic() + length, length, round });
    },
    /** As long as this process runs. */
    addForGood: (stream: string): void => void cooldowns.set(stream, { until: Infinity, length: shortest, round: 0 }),
    /** Milliseconds left, 0 when there is none. */
    remaining: (stream: string): number => Math.max(0, (cooldowns.get(stream)?.until ?? 0) - monotonic()),
    size(): number {
      forgetOld();
      return cooldowns.size;
    },
  };
}

/** Attempts that are looked for at a time. */
const sendingAtOnce = 10_000;

interface OrphansOptions {
  /** E-mails that are being sent. */
  readonly sending: (limit: number) => Promise<readonly DueEmail[]>;
  readonly runs: Pick<Runs, 'isOwn' | 'endOf'>;
  readonly monotonic: () => number;
  /** Milliseconds between two looks. */
  readonly pause: number;
  /** Monotonic; none are looked for after this time. */
  readonly until: number;
}

export function createOrphans({ sending, runs, monotonic, pause, until }: OrphansOptions) {
  const orphans = new Map<string, DueEmail>();
  let next = -Infinity;

  return {
    /** Looks for more, if it is time. Rejects where views, leases or log cannot be read. */
    async find(): Promise<void> {
      const now = monotonic();
      if (now > until || now < next) return;
      next = now + pause;
      const found = (await sending(sendingAtOnce)).filter(({ run_id }) => run_id !== null && !runs.isOwn(run_id));
      const ended = new Map<string, boolean>();
      for (const runId of new Set(found.map(({ run_id }) => run_id ?? '')))
        ended.set(runId, (await runs.endOf(runId)) !== undefined);
      for (const entry of found) if (ended.get(entry.run_id ?? '') === true) orphans.set(entry.stream, entry);
    },
    all: (): readonly DueEmail[] => [...orphans.values()],
    has: (stream: string): boolean => orphans.has(stream),
    add: (entry: DueEmail): void => void orphans.set(entry.stream, entry),
    /** False: it was none. */
    remove: (stream: string): boolean => orphans.delete(stream),
  };
}

interface MisdatedOptions {
  /** Yields pages of the open emails whose `next_attempt_at` is later than this time (ISO 8601, milliseconds). */
  readonly dueAfter: (time: string) => AsyncIterable<readonly DueEmail[]>;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly timings: PauseTimings & { readonly poll: number };
}

/**
 * Milliseconds after each look for misdated emails. The first looks after a start, or after the clock was set, follow each
 * other soon, because views may lag.
 */
const misdatedPauses = [2_000, 10_000, 60_000, 3_600_000];
/** Milliseconds. If the clock was set by less than this, no look is needed. */
const clockToleranceMs = 1_000;

/**
 * Creates a finder of misdated emails. Those were requested, deferred or put in doubt while the clock was ahead, so that their
 * next attempt is further ahead than their longest pause. Each is due one longest pause after it is found.
 */
export function createMisdated({ dueAfter, clock, monotonic, timings }: MisdatedOptions) {
  const found = new Map<string, { readonly email: DueEmail; readonly dueAt: number }>();
  /** The streams that are not due yet. The one that is due first is at the end. */
  let waiting: string[] = [];
  const ready = new Set<string>();
  let looks = 0;
  let next = -Infinity;
  let offset = 0;

  const dueAtOf = (stream: string | undefined): number => found.get(stream ?? '')?.dueAt ?? Infinity;

  async function look(): Promise<void> {
    for await (const page of dueAfter(iso(clock() + timings.poll)))
      for (const email of page) {
        const { state, stream, next_attempt_at } = email;
        if (state === 'sending' || next_attempt_at === null || found.has(stream)) continue;
        const wait = latestAttempt({ ...email, next_attempt_at }, timings, clock()) - clock();
        if (wait < Date.parse(next_attempt_at) - clock()) found.set(stream, { email, dueAt: monotonic() + wait });
      }
    waiting = [...found.keys()].filter((stream) => !ready.has(stream));
    waiting.sort((one, other) => dueAtOf(other) - dueAtOf(one));
  }

  function takeReady(): void {
    for (let first = waiting.at(-1); first !== undefined; first = waiting.at(-1)) {
      if (found.has(first) && dueAtOf(first) > monotonic()) return;
      waiting.pop();
      if (found.has(first)) ready.add(first);
    }
  }

  return {
    /** Looks for misdated emails if a look is due or the clock was set. Rejects if the views cannot be read. */
    async find(): Promise<void> {
      const difference = clock() - monotonic();
      const wasSet = Math.abs(difference - offset) >= clockToleranceMs;
      if (wasSet || monotonic() >= next) {
        await look();
        offset = difference;
        looks = wasSet ? 0 : Math.min(looks + 1, misdatedPauses.length - 1);
        next = monotonic() + (misdatedPauses[looks] ?? 0);
      }
      takeReady();
    },
    due: (): readonly DueEmail[] => [...ready].flatMap((stream) => found.get(stream)?.email ?? []),
    isDue: (stream: string): boolean => ready.has(stream),
    /** Returns the milliseconds until the next misdated email is due, or Infinity. */
    rest: (): number => dueAtOf(waiting.at(-1)) - monotonic(),
    /** Returns the wrong `next_attempt_at` of a misdated email, or undefined if the email is not misdated. */
    timeOf: (stream: string): string | undefined => found.get(stream)?.email.next_attempt_at ?? undefined,
    /** Forgets an email. Called once an attempt has looked at it. */
    remove(stream: string): void {
      found.delete(stream);
      ready.delete(stream);
    },
  };
}

export interface HoldOverdueOptions extends Pick<
  AttemptOptions,
  'reader' | 'handler' | 'trustedNow' | 'timings' | 'report'
> {
  /** Streams of open e-mails that wait since before this time, the longest first. Only a hint: the e-mail's stream decides. */
  readonly overdue: (before: string, limit: number) => Promise<readonly { readonly stream: string }[]>;
}

const overduePortion = 500;
/** The most streams that are read at once. Each is read whole, with its content. */
const atOnce = 10;

/** Holds one portion of overdue emails, and resolves with their number. If it is not 0, more may be overdue. Holds none while the clock is not trusted. @throws what the view and the log throw */
export async function holdOverdue(
  options: HoldOverdueOptions,
  reason: EndingReason,
  signal: AbortSignal,
): Promise<number> {
  const { overdue, trustedNow, timings, report } = options;
  const now = trustedNow();
  if (now === undefined) return 0;
  const before = iso(now - timings.giveUp);
  const streams = (await overdue(before, overduePortion)).values();
  let held = 0;
  const work = async (): Promise<void> => {
    for (const { stream } of streams) {
      if (signal.aborted) return;
      if (await holdOne(options, stream, { type: 'HoldEmail', reason, waiting_before: before })) held += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (held > 0) report({ type: 'held_overdue', emails: held, reason });
  return held;
}

async function holdOne(
  { reader, handler }: HoldOverdueOptions,
  stream: string,
  command: Extract<EmailCommand, { type: 'HoldEmail' }>,
): Promise<boolean> {
  try {
    const email = await loadEmail(reader, stream);
    if (email === undefined) return false;
    const { events } = await handler.execute({ stream, command, context: contextOf({ email }, email.lastEventId) });
    return events.length > 0;
  } catch (error) {
    // It is reported when it is due. Others must not wait for it.
    if (isUnreadable(error)) return false;
    throw error;
  }
}
