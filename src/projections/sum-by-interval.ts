/** Sums what happened by day into the rows of a range of intervals; what happened before the range is summed up, too. */
import { dayOf, earlier, intervalsOf, startOf, type Range } from './calendar.js';

type Counts<Name extends string> = Readonly<Record<Name, number>>;

export interface Change<Name extends string> {
  readonly day: string;
  readonly counts: Counts<Name>;
}

/** A name that one of them lacks counts as 0 there. */
export function addCounts<Name extends string>(one: Counts<Name>, other: Counts<Name>): Counts<Name> {
  const sum: Record<Name, number> = { ...one };
  for (const name in other) sum[name] = (sum[name] ?? 0) + other[name];
  return sum;
}

/** The changes may come in any order, and several of one day. One row for each interval of the range, in order, also where nothing happened. */
export function sumByInterval<Name extends string>(changes: Iterable<Change<Name>>, range: Range, zero: Counts<Name>) {
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

interface Running<Name extends string> {
  readonly zero: Counts<Name>;
  readonly netOf: (counts: Counts<Name>) => number;
}

/** The same with the net change of each interval, and the total at its end. */
export function runningTotals<Name extends string>(
  changes: Iterable<Change<Name>>,
  range: Range,
  { zero, netOf }: Running<Name>,
) {
  const { before, rows } = sumByInterval(changes, range, zero);
  let total = netOf(before);
  return rows.map(({ span, counts }) => {
    const net = netOf(counts);
    total += net;
    return { ...span, ...counts, net, total };
  });
}

/** The first day with data. */
export const firstDayOf = ({ life, days }: Lived): string =>
  days.reduce((first, { day }) => earlier(first, day), dayOf(life.created_at));

interface Lived {
  readonly life: { readonly created_at: string };
  readonly days: readonly { readonly day: string }[];
}
