/** Numbers and durations in words. */

/** `1,234,567` */
export const formatCount = (number: number): string => number.toLocaleString('en-US');

/** Of things, in words. */
export const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** `60 ms`, `4 s`, `3:05 min`, `2:07:30 h` */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  const whole = Math.ceil(seconds);
  const two = (number: number): string => String(number).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  if (minutes === 0) return `${whole} s`;
  if (minutes < 60) return `${minutes}:${two(whole % 60)} min`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)} h`;
}
