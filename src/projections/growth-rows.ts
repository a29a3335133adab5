/** The growth of a list as rows: what the documents of `list_growth` say, by day, week or month. Pure, so that an export gets the same rows from the log alone. */
import { dayOf, earlier, type Range, type Span } from './calendar.js';
import type { ListDay, ListLife } from './list-growth.js';
import { runningTotals, type Change } from './sum-by-interval.js';

export interface ListGrowth {
  readonly life: ListLife;
  readonly days: readonly ListDay[];
}

export type GrowthRow = Span & {
  readonly joined: number;
  readonly unsubscribed: number;
  readonly resubscribed: number;
  /** Were subscribed when the person was erased. */
  readonly erased: number;
  /** Were subscribed when the list was deleted. */
  readonly left_with_list: number;
  readonly net: number;
  readonly total: number;
};

type Counts = Pick<GrowthRow, 'joined' | 'unsubscribed' | 'resubscribed' | 'erased' | 'left_with_list'>;

const zero: Counts = { joined: 0, unsubscribed: 0, resubscribed: 0, erased: 0, left_with_list: 0 };

const netOf = ({ joined, unsubscribed, resubscribed, erased, left_with_list }: Counts): number =>
  joined + resubscribed - unsubscribed - erased - left_with_list;

/** The day on which it counts: clocks differ, and nothing happens in a list after the day of its deletion. */
export const countsOn = (life: ListLife, day: string): string =>
  life.deleted === null ? day : earlier(day, dayOf(life.deleted.at));

/** Whether the record of the deletion is newer than the day that was read: then the days must be read again. */
export const isTornGrowth = (life: ListLife, { day }: ListDay, position: string): boolean =>
  (life.void[day]?.position ?? '') > position;

/**
 * One row for each interval, also where nothing happened. `late`: by day of joining, how many of the resubscribed came
 * into the list as Unsubscribed and joined only then.
 */
export function growthRows(growth: ListGrowth, late: ReadonlyMap<string, number>, range: Range): readonly GrowthRow[] {
  return runningTotals(changesOf(growth, late), range, { zero, netOf });
}

function changesOf({ life, days }: ListGrowth, late: ReadonlyMap<string, number>): readonly Change<keyof Counts>[] {
  const changes = days.map((day) => ({ day: countsOn(life, day.day), counts: countsOf(life, day, late) }));
  if (life.deleted === null) return changes;
  const left = changes.reduce((sum, { counts }) => sum + netOf(counts), 0);
  return [...changes, { day: dayOf(life.deleted.at), counts: { ...zero, left_with_list: left } }];
}

function countsOf(life: ListLife, day: ListDay, late: ReadonlyMap<string, number>): Counts {
  const voided = life.void[day.day];
  const resubscribed = day.resubscribed - (voided?.resubscribed ?? 0);
  const joinedLate = Math.min(late.get(day.day) ?? 0, resubscribed);
  return {
    joined: day.joined - (voided?.joined ?? 0) + joinedLate,
    unsubscribed: day.unsubscribed - (voided?.unsubscribed ?? 0),
    resubscribed: resubscribed - joinedLate,
    erased: day.erased - (voided?.erased ?? 0),
    left_with_list: 0,
  };
}
