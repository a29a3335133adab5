/**
 * How far each stream runs within a stretch of the log, by the store's numbers of streams: plain arrays, so that stretches
 * that were looked at side by side, in threads, are joined without copying.
 */

export interface StreamEnds {
  /** Of the first and of the last event of each stream in this stretch; -1 = none. */
  readonly firstRevision: Int32Array;
  readonly lastRevision: Int32Array;
  /** When these happened, as `sortableTime`. */
  readonly firstTime: Float64Array;
  readonly lastTime: Float64Array;
}

/** For streams with numbers up to `largest`. Without times they take a third of the memory, and are told in any order. */
export function createStreamEnds(largest: number, withTimes: boolean): StreamEnds {
  const size = largest + 1;
  const times = withTimes ? size : 0;
  return {
    firstRevision: new Int32Array(size).fill(-1),
    lastRevision: new Int32Array(size).fill(-1),
    firstTime: new Float64Array(times),
    lastTime: new Float64Array(times),
  };
}

/** The event follows the one before it in its stream, as far as this stretch knows; it is taken down. */
export function follows(ends: StreamEnds, stream: number, { revision, time }: StreamEvent): boolean {
  const last = ends.lastRevision[stream];
  // A number beyond all streams that there are.
  if (last === undefined) return false;
  if (last < 0) {
    ends.firstRevision[stream] = revision;
    ends.firstTime[stream] = time;
  } else if (revision !== last + 1 || time < at(ends.lastTime, stream)) return false;
  ends.lastRevision[stream] = revision;
  ends.lastTime[stream] = time;
  return true;
}

export interface StreamEvent {
  /** From 0. */
  readonly revision: number;
  readonly time: number;
}

/** Joins the next stretch to `ends`; false when a stream does not run on from one to the other, or does not begin at 0. */
export function joins(ends: StreamEnds, next: StreamEnds): boolean {
  for (let stream = 0; stream < next.firstRevision.length; stream += 1) {
    const revision = at(next.firstRevision, stream);
    if (revision < 0) continue;
    if (revision !== at(ends.lastRevision, stream) + 1) return false;
    if (revision > 0 && at(next.firstTime, stream) < at(ends.lastTime, stream)) return false;
    ends.lastRevision[stream] = at(next.lastRevision, stream);
    ends.lastTime[stream] = at(next.lastTime, stream);
  }
  return true;
}

const at = (values: Int32Array | Float64Array, stream: number): number => values[stream] ?? -1;

const form = /^\d{4}-(?:0\d|1[0-2])-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Of a time as it is written, `2026-11-21T18:30:00.000Z`: a number that sorts as the text does. NaN for anything else. */
export function sortableTime(time: string): number {
  if (!form.test(time)) return NaN;
  // Each part in more room than it needs, all together below 2 ** 53.
  let value = twoDigits(time, 0) * 100 + twoDigits(time, 2);
  value = value * 16 + twoDigits(time, 5);
  value = value * 40 + twoDigits(time, 8);
  value = value * 32 + twoDigits(time, 11);
  value = value * 64 + twoDigits(time, 14);
  value = value * 64 + twoDigits(time, 17);
  return value * 1_000 + twoDigits(time, 20) * 10 + (time.charCodeAt(22) - zero);
}

const zero = 0x30;
const twoDigits = (text: string, from: number): number =>
  (text.charCodeAt(from) - zero) * 10 + text.charCodeAt(from + 1) - zero;
