/** How long servers of the stores take to answer. The main thread listens; in other threads and programs nobody does, and nothing is measured. */

export interface RoundTrip {
  readonly store: 'eventstoredb' | 'mongodb';
  readonly operation: 'append' | 'read' | 'write';
  readonly milliseconds: number;
}

let listener: ((trip: RoundTrip) => void) | undefined;

/** One listener of the whole thread. */
export function onRoundTrip(listen: (trip: RoundTrip) => void): void {
  listener = listen;
}

/** Also of one that fails. */
export async function measured<Answer>(
  trip: Omit<RoundTrip, 'milliseconds'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  if (listener === undefined) return await ask();
  const start = performance.now();
  try {
    return await ask();
  } finally {
    listener({ ...trip, milliseconds: performance.now() - start });
  }
}
