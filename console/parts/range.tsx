/** A range of days and the interval of its figures, kept in the page's address. */
import { useLocation } from 'preact-iso';
import { Choice, Field } from './field.js';

export type Interval = 'day' | 'week' | 'month';

export interface Range {
  /** `YYYY-MM-DD`; undefined: from the first day of which there is something to tell. */
  readonly from: string | undefined;
  /** Undefined: until today. */
  readonly to: string | undefined;
  readonly interval: Interval;
}

const intervals: readonly (readonly [Interval, string])[] = [
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
];

export function useRange(): Range {
  const { from, to, interval } = useLocation().query;
  return { from, to, interval: intervals.find(([name]) => name === interval)?.[0] ?? 'week' };
}

/** As the API takes it: without what is not given. */
export const queryOf = ({ from, to, interval }: Range) => ({
  interval,
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

interface RangeFieldsProps {
  readonly range: Range;
  readonly onChange: (changes: Partial<Record<keyof Range, string>>) => void;
}

export const RangeFields = ({ range: { from = '', to = '', interval }, onChange }: RangeFieldsProps) => (
  <div class="filters">
    <Field label="From" type="date" value={from} onInput={(value) => onChange({ from: value })} />
    <Field label="To" type="date" value={to} onInput={(value) => onChange({ to: value })} />
    <Choice label="Interval" value={interval} options={intervals} onChange={(value) => onChange({ interval: value })} />
  </div>
);

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** The API's days are days in UTC, whatever the reader's zone. */
export const formatUtcDay = (day: string | number): string => days.format(new Date(day));
