/** Sums what happened by day into the rows of a range of intervals; what happened before the range is summed up, too. */
import { intervalsOf, startOf, type Range, type Span } from './calendar.js';

export type Counts<Name extends string> = Readonly<Record<Name, number>>;

export interface Change<Name extends string> {
  readonly day: string;
  readonly counts: Counts<Name>;
}

export interface IntervalSums<Name extends string> {
  readonly before: Counts<Name>;
  /** One for each interval of the range, in order, also where nothing happened. */
  readonly rows: readonly { readonly span: Span; readonly counts: Counts<Name> }[];
}

export function addCounts<Name extends string>(one: Counts<Name>, other: Counts<Name>): Counts<Name> {
  const sum: Record<Name, number> = { ...one };
  for (const name in other) sum[name] += other[name];
  return sum;
}

/** The changes may come in any order, and several of one day. */
export function sumByInterval<Name extends string>(
  changes: Iterable<Change<Name>>,
  range: Range,
  zero: Counts<Name>,
): IntervalSums<Name> {
  const first = startOf(range.from, range.interval);
  let before = zero;
  const sums = new Map<string, Counts<Name>>();
  for (const { day, counts } of changes) {
    const start = startOf(day, range.interval);
    if (start < first) before = addCounts(before, counts);
    else sums.set(start, addCounts(sums.get(start) ?? zero, counts));
  }
  return { before, rows: [...intervalsOf(range)].map((span) => ({ span, counts: sums.get(span.from) ?? zero })) };
}
