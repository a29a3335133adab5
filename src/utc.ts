/** Times as text. */

let lastTime = Number.NaN;
let lastText = '';

/** Milliseconds since the epoch as UTC, ISO 8601 with milliseconds. Within one millisecond nearly everybody asks for the same text. */
export function utcText(time: number): string {
  if (time !== lastTime) {
    lastText = new Date(time).toISOString();
    lastTime = time;
  }
  return lastText;
}
