/** How fast a rebuild is: what its progress says beside how far it is. */
import type { RebuildProgress } from './answers.js';

type Measured = Pick<RebuildProgress, 'stage' | 'position' | 'until'> &
  Partial<Pick<RebuildProgress, 'events' | 'documents_compared'>>;

/** Adds how fast the bulk build is, and how long it will take. `now`: milliseconds, monotonic. */
export function createMeter(now: () => number): (measured: Measured) => RebuildProgress {
  let first: { readonly at: number; readonly share: number; readonly events: number } | undefined;
  let events_per_second = 0;
  return ({ events = 0, documents_compared = 0, ...measured }) => {
    // Positions are decimal texts of equal length: as numbers they tell the share, near enough.
    const [done, all] = [Number(measured.position), Number(measured.until)];
    const share = all > 0 ? Math.min(1, done / all) : 1;
    first ??= { at: now(), share, events };
    const seconds = (now() - first.at) / 1_000;
    const gained = share - first.share;
    const isFilling = measured.stage === 'filling' && seconds > 0;
    if (isFilling) events_per_second = Math.round((events - first.events) / seconds);
    const seconds_left = isFilling && gained > 0 ? Math.ceil(((1 - share) / gained) * seconds) : null;
    return { ...measured, share, events, events_per_second, seconds_left, documents_compared };
  };
}
