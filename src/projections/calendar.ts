/** Days, ISO weeks and months in UTC, as the analytics views count by them. A day is text, `YYYY-MM-DD`, and sorts. */

export const intervals = ['day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

/** Whole intervals: those in which the two days lie are the first and the last. */
export interface Range extends Span {
  readonly interval: Interval;
}

export interface Span {
  readonly from: string;
  readonly to: string;
}

/** Of a time in UTC, ISO 8601. */
export const dayOf = (at: string): string => at.slice(0, 10);

export const earlier = (one: string, other: string): string => (one < other ? one : other);
export const later = (one: string, other: string): string => (one > other ? one : other);

const msPerDay = 86_400_000;
const first = '0000-01-01';
const last = '9999-12-31';

const numberOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`) / msPerDay;

/** A week at either end of the calendar is cut off there: beyond it days are longer texts and no longer sort. */
function dayAt(number: number): string {
  if (number <= numberOf(first)) return first;
  return number >= numberOf(last) ? last : dayOf(new Date(number * msPerDay).toISOString());
}

/** Monday = 0; the first day of 1970 was a Thursday. */
const weekday = (day: string): number => (((numberOf(day) + 3) % 7) + 7) % 7;
const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));

const endOfMonth = (day: string): string =>
  day.slice(5, 7) === '12' ? `${day.slice(0, 4)}-12-31` : dayAt(numberOf(startOfNextMonth(day)) - 1);
const startOfNextMonth = (day: string): string =>
  `${day.slice(0, 5)}${String(Number(day.slice(5, 7)) + 1).padStart(2, '0')}-01`;

interface Calendar {
  readonly start: (day: string) => string;
  readonly end: (day: string) => string;
  readonly number: (day: string) => number;
}

const calendars: Readonly<Record<Interval, Calendar>> = {
  day: { start: (day) => day, end: (day) => day, number: numberOf },
  week: {
    start: (day) => dayAt(numberOf(day) - weekday(day)),
    end: (day) => dayAt(numberOf(day) - weekday(day) + 6),
    number: (day) => (numberOf(day) - weekday(day)) / 7,
  },
  month: { start: (day) => `${day.slice(0, 7)}-01`, end: endOfMonth, number: monthOf },
};

export const startOf = (day: string, interval: Interval): string => calendars[interval].start(day);
export const endOf = (day: string, interval: Interval): string => calendars[interval].end(day);

/** How many intervals there are, without counting them one by one. */
export function countIntervals({ from, to, interval }: Range): number {
  const { number } = calendars[interval];
  return number(to) - number(from) + 1;
}

export function* intervalsOf({ from, to, interval }: Range): Generator<Span> {
  for (let day = startOf(from, interval); day <= to;) {
    const end = endOf(day, interval);
    yield { from: day, to: end };
    if (end === last) return;
    day = dayAt(numberOf(end) + 1);
  }
}
