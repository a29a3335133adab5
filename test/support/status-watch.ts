/** Waits for what a running projector tells of itself: a position or a condition, never a time. */
import type { EventReader } from '../../src/eventstore/event-store.js';
import type { ProjectorStatus } from '../../src/projector/status.js';

export interface StatusWatch {
  /** For the projector's `onProgress`. */
  tell(next: ProjectorStatus): void;
  /** The last one. */
  status(): ProjectorStatus;
  until(condition: (status: ProjectorStatus) => boolean): Promise<ProjectorStatus>;
  /** Resolves when everything that is in the log now is folded. */
  caughtUp(): Promise<ProjectorStatus>;
}

export function createStatusWatch(log: Pick<EventReader, 'head'>): StatusWatch {
  const waiting = new Set<() => void>();
  let status: ProjectorStatus | undefined;
  const until: StatusWatch['until'] = (condition) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (status === undefined || !condition(status)) return;
        waiting.delete(look);
        resolve(status);
      };
      waiting.add(look);
      look();
    });
  return {
    until,
    tell(next) {
      status = next;
      for (const look of [...waiting]) look();
    },
    status() {
      if (status === undefined) throw new Error('not started');
      return status;
    },
    async caughtUp() {
      const head = await log.head();
      return until((now) => now.caughtUp && now.position >= head);
    },
  };
}
