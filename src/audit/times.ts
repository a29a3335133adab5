/** Reads the times that people give: ISO 8601 with a zone, or a day in UTC. */

export type Edge = 'start' | 'end';

/** A `+` that was not encoded in a query has become a space. */
const timePattern =
  /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,12}))?)?(Z|[+ -](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * A point in time as UTC with milliseconds, or undefined. A date alone is its first or last millisecond in UTC. A finer
 * fraction is rounded outwards, to the last millisecond not after or the first not before it, so that no event is on
 * the wrong side.
 */
export function parseTime(text: string, edge: Edge): string | undefined {
  const day = text.trim().slice(0, 10);
  if (!isCalendarDay(day)) return undefined;
  if (text.trim() === day) return edge === 'start' ? `${day}T00:00:00.000Z` : `${day}T23:59:59.999Z`;
  const parts = timePattern.exec(text.trim());
  return parts === null ? undefined : parseParts(parts, edge);
}

function parseParts([, day = '', clock = '', second, fraction = '', zone = '']: RegExpExecArray, edge: Edge) {
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const floor = Date.parse(`${day}T${clock}:${second ?? '00'}.${milliseconds}${zone.replace(' ', '+').toUpperCase()}`);
  const isBetween = /[1-9]/.test(fraction.slice(3));
  const time = new Date(edge === 'start' && isBetween ? floor + 1 : floor).toISOString();
  // Before the year 0 and after 9999 the text is longer, and times no longer sort as text.
  return time.length === 24 ? time : undefined;
}

/** `YYYY-MM-DD`, and a day that there was or will be. */
export function isCalendarDay(day: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return false;
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
