/** What readers get to see of the progress of this process's projector: which storages they read, and how far the views have come. */
import type { LiveReader } from './live-reader.js';
import type { OwnWrites } from './read-your-writes.js';
import type { ProjectorStatus } from './status.js';
import { sameStorages, type Storages } from './storage.js';

interface ShowProgressOptions {
  readonly views: Pick<LiveReader, 'use'>;
  readonly ownWrites: Pick<OwnWrites, 'advance' | 'visiblePosition'>;
  /** The views have moved on from this position, or have caught up for the first time. */
  readonly onMoved: (from: string) => void;
}

type Progress = Pick<ProjectorStatus, 'position' | 'caughtUp' | 'standby' | 'live'>;

export function createShowProgress({ views, ownWrites, onMoved }: ShowProgressOptions): (progress: Progress) => void {
  let hasCaughtUp = false;
  let folded: Storages = {};

  /** Only when they have changed: a follower may know of a later switch by another process. */
  function use(live: Storages | null): void {
    if (live === null || sameStorages(live, folded)) return;
    folded = live;
    views.use(live);
  }

  return ({ position, caughtUp, standby, live }) => {
    // Without storages nothing is shown.
    if (standby || (live !== null && Object.keys(live).length === 0)) return;
    // First the storages: what only new ones hold must not count as visible before they are read.
    use(live);
    const before = ownWrites.visiblePosition();
    ownWrites.advance(position);
    if (ownWrites.visiblePosition() !== before || (caughtUp && !hasCaughtUp)) onMoved(before);
    hasCaughtUp ||= caughtUp;
  };
}
