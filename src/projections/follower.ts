/** Follows how far shared views have come, whoever folds them: asks for their checkpoint now and then, and often while somebody waits. */
import type { Checkpoint, ReadModelReader, View } from '../readmodels/read-models.js';
import type { OwnWrites } from './own-writes.js';
import { readParked, type ParkedStream } from './parked.js';
import { checkpointName, liveVersions } from './start.js';

export interface FollowerStatus {
  /** Why the views cannot be asked just now; it keeps trying. */
  readonly fault: string | null;
  readonly parked: readonly ParkedStream[];
  /** The views have been begun anew and nothing is in them yet. */
  readonly rebuilding: boolean;
}

export interface Follower {
  /** Somebody waits, or something has moved: ask at once. */
  hurry(): void;
  status(): FollowerStatus;
  /** Resolves when it asks no more. */
  close(): Promise<void>;
}

export interface FollowerOptions {
  readonly readModels: ReadModelReader;
  /** Those that this process reads. */
  readonly views: readonly View[];
  readonly ownWrites: Pick<OwnWrites, 'advance' | 'retreat' | 'shown' | 'isAwaited'>;
  /** After the views have moved on from this position. */
  readonly onMoved: (from: string) => void;
  /** Once when the views become unreachable, not at every try. The message holds no personal data. */
  readonly onFault: (message: string) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** Milliseconds between two questions. */
const idleMs = 200;
const awaitedMs = 5;
/** How old the list of parked streams may be. */
const parkedMs = 1_000;

export function createFollower(options: FollowerOptions): Follower {
  const { readModels, ownWrites, onMoved, onFault, now } = options;
  const live = Object.entries(liveVersions(options.views));
  const isOtherVersion = (checkpoint: Checkpoint): boolean =>
    live.some(([name, version]) => checkpoint.live[name] !== version);
  let closed = false;
  let status: FollowerStatus = { fault: null, parked: [], rebuilding: false };
  let parkedAt = -Infinity;
  /** Ends the pause, if it is a long one. */
  let wake = (): void => undefined;

  async function ask(): Promise<void> {
    const before = ownWrites.shown();
    const checkpoint = await readModels.checkpoint(checkpointName);
    if (checkpoint !== null && isOtherVersion(checkpoint)) {
      // Their collections are others than ours, which may be gone.
      ownWrites.retreat('');
      throw new Error('the views are those of another version of this service');
    }
    move(before, checkpoint?.position ?? '');
    status = { fault: null, parked: await parkedNow(checkpoint), rebuilding: checkpoint === null };
  }

  function move(before: string, position: string): void {
    const after = ownWrites.shown();
    if (position > after) ownWrites.advance(position);
    // What a projector in this process reported meanwhile is newer than the answer.
    else if (position < after && before === after) ownWrites.retreat(position);
    if (ownWrites.shown() !== after) onMoved(after);
  }

  async function parkedNow(checkpoint: Checkpoint | null): Promise<readonly ParkedStream[]> {
    if (checkpoint === null || now() - parkedAt <= parkedMs) return status.parked;
    const parked = await readParked(readModels);
    parkedAt = now();
    return [...parked.values()];
  }

  async function follow(): Promise<void> {
    while (!closed) {
      try {
        await ask();
      } catch (error) {
        const fault = error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected failure';
        if (status.fault === null) onFault(fault);
        status = { ...status, fault };
      }
      if (ownWrites.isAwaited() && status.fault === null) await pause(awaitedMs);
      else await pause(idleMs, { interruptible: true });
    }
  }

  function pause(milliseconds: number, { interruptible = false } = {}): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      if (interruptible) wake = end;
    });
  }

  const running = follow();
  return {
    hurry: () => wake(),
    status: () => status,
    async close() {
      closed = true;
      wake();
      await running;
    },
  };
}
