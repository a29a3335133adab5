/** How long the mailer waits for what, and the back-off between attempts. Milliseconds throughout. */
import { maxDoubts } from '../commands/email.js';
import { backOff, fullJitter } from '../flow/backoff.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export const mailerTimings = {
  /**
   * From the claim of an attempt to its deadline, after which others may judge it. Nearly 20 minutes of it lead up to
   * the final dot, the rest are for its reply: a server may take 5 minutes for a reply, but not for each.
   */
  attempt: 30 * minute,
  reply: 10 * minute,
  /** Room between what an attempt does last and what others may do first: clocks differ. */
  margin: 30 * second,
  /** When the answer that an e-mail may go out is this old at its final dot, it is asked for again. */
  askAgain: 3 * second,
  /** Older than this it allows no final dot: so long may an e-mail that was refused meanwhile still go out. */
  permission: 5 * second,
  poll: 5 * second,
  /** For how long after its start a sole writer looks for attempts that earlier runs left behind: the view may lag. */
  sweep: minute,
  /** Ceiling of the first back-off; each further one doubles, up to `backoffCap`. */
  backoff: 10 * second,
  backoffCap: 4 * hour,
  /** First pause after a lost reply; doubles. Postfix waits as long, and RFC 1047 says why: the server may still be at work. */
  inDoubt: 5 * minute,
  /** From the request, or the last release, to giving up: then an e-mail fails or is held. */
  giveUp: 48 * hour,
  /** How long a hint that led nowhere is not followed again; doubles while it leads nowhere. */
  stale: second,
  closeGrace: 10 * second,
  recordGrace: 2 * second,
};
export type MailerTimings = Readonly<typeof mailerTimings>;
export type PauseTimings = Pick<MailerTimings, 'backoff' | 'backoffCap' | 'inDoubt'>;

/** Full jitter under a doubling ceiling, with a floor so that an attempt is never repeated at once. `round` counts from 0. */
export function backoffDelay(round: number, { backoff, backoffCap }: PauseTimings, random: () => number): number {
  const ceiling = backOff(round, { first: backoff, most: backoffCap });
  return Math.round(backoff / 10 + fullJitter(ceiling, random));
}

/** Never shorter than the first pause, a little longer so that many do not come at once. `round` counts from 0. */
export const doubtDelay = (round: number, { inDoubt }: PauseTimings, random: () => number): number =>
  Math.round(backOff(round, { first: inDoubt, most: Infinity }) * (1 + random() / 10));

const longest = (): number => 1;

/** Returns the longest pause, in milliseconds, of an email in this state after this number of attempts. */
export function longestPause(
  { state, attempts }: { readonly state: string; readonly attempts: number },
  timings: PauseTimings,
): number {
  if (state === 'deferred') return backoffDelay(attempts, timings, longest);
  // The number of attempts in doubt is at most the number of attempts.
  if (state === 'in_doubt') return doubtDelay(Math.min(attempts, maxDoubts) - 1, timings, longest);
  return 0;
}

/**
 * Returns the latest time at which the next attempt is due, in milliseconds since 1970. An email whose time is further ahead
 * than its longest pause was deferred while the clock was ahead, so its pause is counted from now.
 */
export const latestAttempt = (
  email: { readonly state: string; readonly attempts: number; readonly next_attempt_at: string },
  timings: PauseTimings,
  now: number,
): number => Math.min(Date.parse(email.next_attempt_at), now + longestPause(email, timings));
