/** When which part of a log was found to be intact: a mark for each verification that came further than the one before. */

/** A week of verifications each minute. */
const mostMarks = 10_000;

interface Mark {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export function createVerifiedMarks(clock: () => number) {
  const marks: Mark[] = [];
  return {
    note(count: number): void {
      if (count <= (marks.at(-1)?.count ?? 0)) return;
      marks.push({ count, at: clock() });
      // The first is of all that there was at the start. The second one goes: the one after it was later, and says it, too.
      if (marks.length > mostMarks) marks.splice(1, 1);
    },
    /** By when the first events, as many as this, had all been read and found intact. Undefined: not yet. */
    at: (count: number): number | undefined => marks.find((mark) => mark.count >= count)?.at,
  };
}
