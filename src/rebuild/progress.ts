/** What a rebuild is asked for, how far it is, and what comes of it: plain objects, for they cross threads. */
import type { Poison } from '../projector/fold.js';
import type { RebuildProgress, RebuiltView } from './answers.js';

export interface RebuildRequest {
  readonly views: readonly string[];
  /** Everything but the switch. */
  readonly dryRun: boolean;
}

export interface RebuildRun extends RebuildRequest {
  /** For views that are missing at a start: poison events park their streams, as in the projector. */
  readonly isStart: boolean;
  /** Builds up to the live views and no further: the next start of this code goes on from there. */
  readonly isPreparation?: boolean;
}

export type RebuildResult =
  | { readonly outcome: 'switched' | 'checked' | 'prepared' | 'differs'; readonly views: readonly RebuiltView[] }
  | { readonly outcome: 'poison'; readonly poison: Poison };

export type Reached = Pick<RebuildProgress, 'stage' | 'position' | 'until'> &
  Partial<Pick<RebuildProgress, 'events' | 'documents_compared'>>;

/** Adds how fast the bulk build is, and how long it will take. `now`: milliseconds, monotonic. */
export function createMeter(now: () => number): (reached: Reached) => RebuildProgress {
  let begun: { readonly at: number; readonly share: number; readonly events: number } | undefined;
  let events_per_second = 0;
  return ({ events = 0, documents_compared = 0, ...reached }) => {
    // Positions are decimal texts of equal length: as numbers they tell the share, near enough.
    const [done, all] = [Number(reached.position), Number(reached.until)];
    const share = all > 0 ? Math.min(1, done / all) : 1;
    begun ??= { at: now(), share, events };
    const seconds = (now() - begun.at) / 1_000;
    const gained = share - begun.share;
    const isFilling = reached.stage === 'filling' && seconds > 0;
    if (isFilling) events_per_second = Math.round((events - begun.events) / seconds);
    const seconds_left = isFilling && gained > 0 ? Math.ceil(((1 - share) / gained) * seconds) : null;
    return { ...reached, share, events, events_per_second, seconds_left, documents_compared };
  };
}
