/** Shows readers the progress of this process's projector: the storages to read, and the position of the views. */
import type { LiveReader } from './live-reader.js';
import type { OwnWrites } from './read-your-writes.js';
import type { ProjectorStatus } from './status.js';
import { sameStorages, type Storages } from './storage.js';

interface ShowProgressOptions {
  readonly views: Pick<LiveReader, 'use'>;
  readonly ownWrites: Pick<OwnWrites, 'advance' | 'visiblePosition'>;
  /** Called when the views have moved on from this position, or have caught up for the first time. */
  readonly onMoved: (from: string) => void;
}

type Progress = Pick<ProjectorStatus, 'position' | 'caughtUp' | 'standby' | 'live'>;

export function createShowProgress({ views, ownWrites, onMoved }: ShowProgressOptions): (progress: Progress) => void {
  let hasCaughtUp = false;
  let folded: Storages = {};

  /** Uses the storages only if they have changed, because a follower may know of a later switch by another process. */
  function use(live: Storages | null): void {
    if (live === null || sameStorages(live, folded)) return;
    folded = live;
    views.use(live);
  }

  return ({ position, caughtUp, standby, live }) => {
    // If there are no storages, the views show nothing.
    if (standby || (live !== null && Object.keys(live).length === 0)) return;
    // Use the storages first. Documents that only new storages hold must not be treated as visible before they are read.
    use(live);
    const before = ownWrites.visiblePosition();
    ownWrites.advance(position);
    if (ownWrites.visiblePosition() !== before || (caughtUp && !hasCaughtUp)) onMoved(before);
    hasCaughtUp ||= caughtUp;
  };
}
