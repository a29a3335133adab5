/** Lets one piece of work per key run at a time, such as a read that follows a stream. */

/**
 * Starts a run if nothing runs. A call during a run shares the next run, because the present one may already be past what
 * this caller must see.
 */
export function createSingleFlight<Result, Key = void>(
  run: (key: Key) => Promise<Result>,
): (key: Key) => Promise<Result> {
  const flights = new Map<Key, { readonly running: Promise<Result>; next?: Promise<Result> }>();

  function start(key: Key): Promise<Result> {
    const flight: { readonly running: Promise<Result>; next?: Promise<Result> } = { running: run(key) };
    flights.set(key, flight);
    const end = (): void => {
      if (flight.next === undefined) flights.delete(key);
    };
    flight.running.then(end, end);
    return flight.running;
  }

  return (key) => {
    const flight = flights.get(key);
    if (flight === undefined) return start(key);
    const following = (): Promise<Result> => start(key);
    return (flight.next ??= flight.running.then(following, following));
  };
}
