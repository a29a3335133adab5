/** Values that held from one position of the log to another, and the question whether one held within a window. */

export function createSpans() {
  const byKey = new Map();
  return {
    open(key, value, from) {
      const spans = byKey.get(key) ?? [];
      spans.push({ value, from, until: Infinity });
      byKey.set(key, spans);
    },
    close(key, at) {
      const last = byKey.get(key)?.at(-1);
      if (last !== undefined && last.until === Infinity) last.until = at;
    },
    now: (key) => {
      const last = byKey.get(key)?.at(-1);
      return last?.until === Infinity ? last.value : undefined;
    },
    everHeld: (key) => byKey.has(key),
    /** Values that held after some event from `from` (which counts as of after it) to `to`. */
    during: (key, from, to = Infinity) =>
      (byKey.get(key) ?? []).filter((span) => span.from <= to && span.until > from).map(({ value }) => value),
    /** The value that held all the time, if one did. */
    throughout: (key, from, to = Infinity) =>
      (byKey.get(key) ?? []).find((span) => span.from <= from && (span.until > to || span.until === Infinity))?.value,
    /** Whether nothing held at some time within the window. */
    hadGap(key, from, to = Infinity) {
      let covered = from;
      for (const span of byKey.get(key) ?? []) {
        if (span.from > covered) return covered <= to;
        if (span.until > covered) covered = span.until;
      }
      return covered <= to && covered !== Infinity;
    },
    keys: () => byKey.keys(),
  };
}
