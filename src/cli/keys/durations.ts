/** Times and durations of keys on the command line. */
import { parseTime } from '../../audit/times.js';
import { UsageError } from '../../transfer/failures.js';

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** In seconds: `90d`, `24h`, `30m`, `10s`, or `0`. */
export function durationOf(text: string): number | undefined {
  const [, number = '', unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd') return Number(number) * seconds[unit];
  return text === '0' ? 0 : undefined;
}

/** UTC with milliseconds. `now` is in milliseconds since the epoch. @throws UsageError */
export function expiryIn(text: string, now: number): string {
  const duration = durationOf(text);
  if (duration !== undefined) return new Date(now + duration * 1_000).toISOString();
  const time = text.includes('T') ? parseTime(text, 'end') : undefined;
  if (time !== undefined) return time;
  throw new UsageError(
    '--expires must be a duration such as 90d, 24h or 30m, or a date and time with its zone (2030-01-01T00:00Z)',
  );
}
