/** Days, ISO weeks and months in UTC, as the analytics views count by them. A day is text, `YYYY-MM-DD`, and sorts. */

/** Weeks begin on Monday. */
export const intervals = ['day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

/** Whole intervals: those in which the two days lie are the first and the last. */
export interface Range {
  readonly from: string;
  readonly to: string;
  readonly interval: Interval;
}

/** First and last day of an interval. */
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

/** Days since 1970. */
const numberOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`) / msPerDay;

/** A week at either end of the calendar is cut off there: beyond it days are longer texts and no longer sort. */
function dayAt(number: number): string {
  if (number <= numberOf(first)) return first;
  return number >= numberOf(last) ? last : dayOf(new Date(number * msPerDay).toISOString());
}

/** Monday = 0; the first day of 1970 was a Thursday. */
const weekday = (number: number): number => (((number + 3) % 7) + 7) % 7;

/** The first day of the interval in which the day lies. */
export function startOf(day: string, interval: Interval): string {
  switch (interval) {
    case 'day':
      return day;
    case 'week':
      return dayAt(numberOf(day) - weekday(numberOf(day)));
    case 'month':
      return `${day.slice(0, 7)}-01`;
    default:
      return interval satisfies never;
  }
}

/** The last day of the interval in which the day lies. */
export function endOf(day: string, interval: Interval): string {
  switch (interval) {
    case 'day':
      return day;
    case 'week':
      return dayAt(numberOf(day) - weekday(numberOf(day)) + 6);
    case 'month':
      return endOfMonth(day.slice(0, 5), Number(day.slice(5, 7)));
    default:
      return interval satisfies never;
  }
}

/** `year` with its hyphen. */
const endOfMonth = (year: string, month: number): string =>
  month === 12 ? `${year}12-31` : dayAt(numberOf(`${year}${String(month + 1).padStart(2, '0')}-01`) - 1);

/** How many intervals there are, without counting them one by one. */
export function countIntervals({ from, to, interval }: Range): number {
  const [begin, end] = [startOf(from, interval), startOf(to, interval)];
  switch (interval) {
    case 'day':
      return numberOf(end) - numberOf(begin) + 1;
    case 'week':
      return Math.ceil((numberOf(end) - numberOf(begin)) / 7) + 1;
    case 'month':
      return monthOf(end) - monthOf(begin) + 1;
    default:
      return interval satisfies never;
  }
}

const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));

/** In order. */
export function* intervalsOf({ from, to, interval }: Range): Generator<Span> {
  for (let day = startOf(from, interval); day <= to;) {
    const end = endOf(day, interval);
    yield { from: day, to: end };
    if (end === last) return;
    day = dayAt(numberOf(end) + 1);
  }
}
