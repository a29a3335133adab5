/**
 * The rule for an address whose mail server keeps refusing: enough refusals of different emails, on enough different days,
 * stop mail to the address. A delivered email in between changes nothing.
 */
import type { SuppressionEvent } from '../events/suppressions.js';

type Counted = Extract<SuppressionEvent, { type: 'BounceCounted' }>['data'];

/** A refusal that was counted. */
export interface CountedBounce extends Readonly<Counted> {
  /** UTC, ISO 8601: `at` of its event. */
  readonly at: string;
  /** Whether a release or an erasure came after it. It then no longer counts, but its email is not counted again. */
  readonly isReset: boolean;
}

/** The days for which a refusal counts. */
const countedForDays = 30;
const dayMs = 24 * 60 * 60 * 1_000;

/** Refusals that stop mail to an address: at least `bounces`, on at least `days` different days in UTC. */
interface Threshold {
  readonly bounces: number;
  readonly days: number;
}

const softThreshold: Threshold = { bounces: 10, days: 5 };

/** The most refusals of a kind that are counted on one day. More would not bring an address closer to a threshold. */
const mostADay = softThreshold.bounces;

/** Permanent failures on different days that stop mail to an address: the default of BOUNCE_THRESHOLD. */
export const defaultUnclearDays = 3;
/** The highest BOUNCE_THRESHOLD, because refusals on more days are never counted together. */
export const mostUnclearDays = 30;

const dayOf = (at: string): string => at.slice(0, 'YYYY-MM-DD'.length);

const since = (counted: readonly CountedBounce[], at: string): readonly CountedBounce[] => {
  const oldest = Date.parse(at) - countedForDays * dayMs;
  return counted.filter((one) => Date.parse(one.at) >= oldest);
};

/** Returns the refusals that still matter after this one. */
export const countedWith = (
  counted: readonly CountedBounce[],
  bounce: Counted,
  at: string,
): readonly CountedBounce[] => [...since(counted, at), { ...bounce, at, isReset: false }];

export const reset = (counted: readonly CountedBounce[]): readonly CountedBounce[] =>
  counted.map((one) => ({ ...one, isReset: true }));

export const hasCounted = (counted: readonly CountedBounce[]): boolean => counted.some(({ isReset }) => !isReset);

/** Returns whether a refusal at this time is to be counted. Of one email each kind counts once. */
export function isCounted(counted: readonly CountedBounce[], { email_id, kind }: Counted, at: string): boolean {
  const recent = since(counted, at);
  if (recent.some((one) => one.email_id === email_id && (one.kind === kind || one.kind === 'unclear'))) return false;
  return recent.filter((one) => one.kind === kind && dayOf(one.at) === dayOf(at)).length < mostADay;
}

/** Returns whether the refusals of this kind reach their threshold. @param unclearDays BOUNCE_THRESHOLD */
export function isOverThreshold(
  counted: readonly CountedBounce[],
  kind: Counted['kind'],
  unclearDays: number,
): boolean {
  const { bounces, days } = kind === 'soft' ? softThreshold : { bounces: unclearDays, days: unclearDays };
  const ofKind = counted.filter((one) => one.kind === kind && !one.isReset);
  return ofKind.length >= bounces && new Set(ofKind.map(({ at }) => dayOf(at))).size >= days;
}
