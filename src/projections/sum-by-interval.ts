/** Sums what happened by day into the rows of a range of intervals; what happened before the range is summed up, too. */
import { intervalsOf, startOf, type Range, type Span } from './calendar.js';

/** What happened on a day. */
export interface Change<Counts> {
  readonly day: string;
  readonly counts: Counts;
}

export interface Sum<Counts> {
  readonly zero: Counts;
  add(one: Counts, other: Counts): Counts;
}

export interface IntervalSums<Counts> {
  /** All that happened before the first row. */
  readonly before: Counts;
  /** One for each interval of the range, in order, also where nothing happened. */
  readonly rows: readonly { readonly span: Span; readonly counts: Counts }[];
}

/** The changes may come in any order, and several of one day. */
export function sumByInterval<Counts>(
  changes: Iterable<Change<Counts>>,
  range: Range,
  sum: Sum<Counts>,
): IntervalSums<Counts> {
  const first = startOf(range.from, range.interval);
  let before = sum.zero;
  const sums = new Map<string, Counts>();
  for (const { day, counts } of changes) {
    const start = startOf(day, range.interval);
    if (start < first) before = sum.add(before, counts);
    else sums.set(start, sum.add(sums.get(start) ?? sum.zero, counts));
  }
  return { before, rows: [...intervalsOf(range)].map((span) => ({ span, counts: sums.get(span.from) ?? sum.zero })) };
}
