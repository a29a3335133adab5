/** Streams that are not looked at for a while, because the worklist may still show e-mails that are done. */

const longest = 60_000;

export function createCooldowns(shortest: number, monotonic: () => number) {
  /** Kept a while after the end, so that the next one can grow. */
  const cooldowns = new Map<string, { readonly until: number; readonly length: number }>();
  let lookAt = 0;

  /** Seldom, because thousands may be on the list. */
  function forgetOld(): void {
    const now = monotonic();
    if (now < lookAt) return;
    lookAt = now + shortest;
    for (const [stream, { until, length }] of cooldowns) if (now > until + 2 * length) cooldowns.delete(stream);
  }

  return {
    /** Starts a cooldown; `growing`: twice as long as the last one, if that was lately. */
    add(stream: string, { growing }: { readonly growing: boolean }): void {
      forgetOld();
      const last = cooldowns.get(stream);
      const length = growing && last !== undefined ? Math.min(longest, last.length * 2) : shortest;
      cooldowns.set(stream, { until: monotonic() + length, length });
    },
    /** Milliseconds left, 0 when there is none. */
    remaining: (stream: string): number => Math.max(0, (cooldowns.get(stream)?.until ?? 0) - monotonic()),
    size(): number {
      forgetOld();
      return cooldowns.size;
    },
  };
}
