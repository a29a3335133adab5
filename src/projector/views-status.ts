/** How the views of a process are: from its projector while that folds, else from the views themselves. */
import type { Follower, FollowerStatus } from './follower.js';
import { initialStatus, type ProjectorStatus } from './status.js';

export interface ViewsStatus extends FollowerStatus, Pick<ProjectorStatus, 'unknown' | 'led'> {
  /** Whether this process folds the views, waits to take over, or leaves it to others. */
  readonly projector: 'leading' | 'standby' | 'elsewhere';
}

/** The projector knows best while it folds; what others fold is known from the views themselves. */
export function viewsStatus(projector: ProjectorStatus | undefined, follower: Follower | undefined): ViewsStatus {
  const { standby, live, ...known } = projector ?? { ...initialStatus, standby: true };
  const { parked, rebuilding, missing, fault, unknown, led } = known;
  const own = { parked, rebuilding, missing, live: live ?? {}, unknown, led, projector: 'leading' } as const;
  if (follower === undefined) return { ...own, fault };
  const seen = follower.status();
  if (!standby) return { ...own, fault: fault ?? seen.fault };
  return {
    ...seen,
    fault: seen.fault ?? fault,
    unknown,
    led,
    projector: projector === undefined ? 'elsewhere' : 'standby',
  };
}
