/** When the verification of what came since goes on: not while much is written, which needs the processors, but never long after. */

/** More than this is much: verifying costs about a tenth of a create. */
const eventsPerSecond = 1_000;
const longestWaitMs = 10 * 60_000;

/**
 * @param monotonic milliseconds that never jump
 * @returns tells, by the number of events in the log, whether to verify now
 */
export function createVerifyPace(monotonic: () => number): (events: number) => boolean {
  let verifiedAt = monotonic();
  let last: { readonly at: number; readonly events: number } | undefined;
  return (events) => {
    const at = monotonic();
    const isBusy = last !== undefined && (events - last.events) * 1_000 > eventsPerSecond * (at - last.at);
    last = { at, events };
    if (isBusy && at - verifiedAt < longestWaitMs) return false;
    verifiedAt = at;
    return true;
  };
}
