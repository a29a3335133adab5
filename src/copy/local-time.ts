/** Reads times as other services export them: `2024-03-01 10:22:33`, with or without a zone. */
import { isCalendarDay } from '../audit/times.js';
import { UsageError } from '../failures.js';

/** Returns how many milliseconds the local time is ahead of UTC at an instant. */
type OffsetAt = (instant: number) => number;

export interface TimeZone {
  readonly name: string;
  readonly offsetAt: OffsetAt;
}

const [minuteMs, dayMs] = [60_000, 86_400_000];

/** @throws UsageError if there is no such zone */
export function openTimeZone(name: string): TimeZone {
  const text = name.trim();
  const offset = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(text);
  if (offset !== null) {
    const [, sign, hours, minutes = '0'] = offset;
    const ahead = (Number(hours) * 60 + Number(minutes)) * minuteMs * (sign === '-' ? -1 : 1);
    return { name: text, offsetAt: () => ahead };
  }
  try {
    return { name: text, offsetAt: offsetsOf(text.toUpperCase() === 'Z' ? 'UTC' : text) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(
      '--time-zone must be UTC, an offset such as +02:00, or a name of the IANA database such as Europe/Berlin',
    );
  }
}

/** @throws RangeError if there is no such zone */
function offsetsOf(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'iso8601', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  return (instant) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const day = `${part['year']?.padStart(4, '0')}-${part['month']}-${part['day']}`;
    const shown = Date.parse(`${day}T${part['hour']}:${part['minute']}:${part['second']}Z`);
    return shown - Math.floor(instant / 1_000) * 1_000;
  };
}

/** `local` has no zone: milliseconds of the local clock, as if it showed UTC. `zoned` is checked by the service. */
type ReadTime = { readonly zoned: string } | { readonly local: number };

const pattern =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:T| {1,9})(?<minute>(?:[01]\d|2[0-3]):[0-5]\d)(?::(?<second>[0-5]\d)(?:[.,](?<fraction>\d{1,12}))?)? {0,9}(?<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Reads ISO 8601, also with spaces in place of the T and before the zone. Text of another form is returned as it is. */
export function readTime(text: string): ReadTime {
  const { day, minute, second = '00', fraction = '', zone } = pattern.exec(text)?.groups ?? {};
  if (day === undefined || !isCalendarDay(day)) return { zoned: text };
  const time = `${day}T${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  return zone === undefined ? { local: Date.parse(`${time}Z`) } : { zoned: time + isoZone(zone) };
}

const isoZone = (zone: string): string =>
  /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '').padEnd(2, '0')}` : 'Z';

/**
 * Finds the instants at which the local clock showed this time: one, none if the clock was put forward over the time,
 * or two if the clock was put back.
 */
export function createInstants({ offsetAt }: TimeZone): (local: number) => readonly number[] {
  /** Offsets the day before and after, by day, because asking for one takes longer than reading a row. */
  const offsetsOfDay = new Map<number, readonly number[]>();

  return (local) => {
    const day = Math.floor(local / dayMs);
    let offsets = offsetsOfDay.get(day);
    if (offsets === undefined) {
      offsets = [...new Set([offsetAt((day - 1) * dayMs), offsetAt((day + 2) * dayMs)])];
      offsetsOfDay.set(day, offsets);
    }
    const instants = offsets.map((offset) => local - offset);
    return instants.length === 1 ? instants : instants.filter((instant) => offsetAt(instant) === local - instant);
  };
}
