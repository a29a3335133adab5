/** Which streams are not to be looked at again for a while, because the worklist may still show what is over. */

export interface Pauses {
  /** Pauses the stream; `growing`: twice as long as the last time, where that was lately. */
  add(stream: string, options: { readonly growing: boolean }): void;
  /** Milliseconds left, 0 when there is no pause. */
  remaining(stream: string): number;
  size(): number;
}

const longest = 60_000;

export function createPauses(shortest: number, monotonic: () => number): Pauses {
  /** In the order of adding; kept a while after the pause, so that the next one can grow. */
  const pauses = new Map<string, { readonly until: number; readonly length: number }>();

  function forgetOld(): void {
    const now = monotonic();
    for (const [stream, { until, length }] of pauses) if (now > until + 2 * length) pauses.delete(stream);
  }

  return {
    add(stream, { growing }) {
      forgetOld();
      const last = pauses.get(stream);
      const length = growing && last !== undefined ? Math.min(longest, last.length * 2) : shortest;
      pauses.set(stream, { until: monotonic() + length, length });
    },
    remaining: (stream) => Math.max(0, (pauses.get(stream)?.until ?? 0) - monotonic()),
    size() {
      forgetOld();
      return pauses.size;
    },
  };
}
