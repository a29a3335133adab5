/** How fast a rebuild's fill is, and how long it will take. */
import type { RebuildProgress } from './messages.js';
import type { ShownProgress } from '../projector/rebuild-record.js';

export interface Meter {
  show(progress: RebuildProgress): ShownProgress;
}

/** Positions are decimal texts of equal length: how they compare as numbers is how far it is, near enough. */
const shareOf = ({ position, until }: RebuildProgress): number => {
  const [done, all] = [Number(position), Number(until)];
  return all > 0 ? Math.min(1, done / all) : 1;
};

/** `now`: milliseconds, monotonic. */
export function createMeter(now: () => number): Meter {
  let begun: { readonly at: number; readonly share: number; readonly events: number } | undefined;
  let perSecond = 0;
  let left: number | null = null;

  return {
    show(progress) {
      const { stage, position, until, events, documents } = progress;
      const share = shareOf(progress);
      begun ??= { at: now(), share, events };
      const seconds = (now() - begun.at) / 1_000;
      if (stage === 'filling' && seconds > 0) {
        perSecond = Math.round((events - begun.events) / seconds);
        const gained = share - begun.share;
        left = gained > 0 ? Math.ceil(((1 - share) / gained) * seconds) : null;
      } else left = null;
      return {
        stage,
        position,
        until,
        share,
        events,
        events_per_second: perSecond,
        seconds_left: left,
        documents_compared: documents,
      };
    },
  };
}
