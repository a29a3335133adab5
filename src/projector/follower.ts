/** Follows how far shared views have come, whichever process folds them: asks for their checkpoint now and then, and often while a request waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Checkpoint, View } from '../readmodels/read-models.js';
import { pause } from '../flow/abort.js';
import type { LiveReader } from './live-reader.js';
import type { OwnWrites } from './read-your-writes.js';
import { readParked, type ParkedStream } from './parked.js';
import type { ProjectorStatus } from './status.js';
import { checkpointName, hasStorages, projectionVersionOf, sameStorages, type Storages } from './storage.js';

/** What the views themselves say; `fault`: why they cannot be read just now. */
export interface FollowerStatus extends Pick<ProjectorStatus, 'fault' | 'parked' | 'rebuilding' | 'missing'> {
  readonly live: Storages;
}

export type Follower = ReturnType<typeof createFollower>;

interface FollowerOptions {
  readonly readModels: LiveReader;
  readonly views: readonly View[];
  readonly ownWrites: Pick<OwnWrites, 'advance' | 'restartAt' | 'visiblePosition' | 'isAwaited'>;
  readonly onMoved: (from: string) => void;
  /** Once when the views become unreachable, not at every try. The message holds no personal data. */
  readonly onFault: (message: string) => void;
  readonly now: () => number;
}

/** Milliseconds between two questions: while the views move, and when they have not for a while. */
const movingMs = 200;
const idleMs = 1_000;
const awaitedMs = 5;
const parkedMs = 1_000;
/** After which views that do not move are idle. */
const calmMs = 5_000;

export function createFollower(options: FollowerOptions) {
  const { readModels, ownWrites, onMoved, onFault, now } = options;
  const newerThanOurs = ({ storages }: Checkpoint): readonly string[] =>
    options.views
      .filter(({ name, version }) => projectionVersionOf(storages[name] ?? 0) > version)
      .map(({ name }) => name);
  let closed = false;
  let status: FollowerStatus = { fault: null, parked: [], rebuilding: false, missing: [], live: {} };
  let parkedAt = -Infinity;
  let movedAt = now();
  /** Ends the pause, if it is a long one. */
  let waking = new AbortController();

  async function ask(): Promise<void> {
    const before = ownWrites.visiblePosition();
    const used = readModels.used();
    const askedAt = now();
    const checkpoint = await readModels.checkpoint(checkpointName);
    // First the storages, then the position: what only new storages hold must not count as shown before these are read.
    // A report of this process's projector meanwhile is newer than the answer.
    if (readModels.used() === used) {
      if (checkpoint !== null && !sameStorages(checkpoint.storages, used ?? {})) readModels.use(checkpoint.storages);
      readModels.confirm(askedAt);
    }
    // If there are no storages, the views show nothing.
    move(before, hasStorages(checkpoint) ? checkpoint.position : '');
    const parked = await parkedNow(checkpoint);
    const missing = readModels.missing();
    status = { fault: null, parked, rebuilding: !hasStorages(checkpoint), missing, live: readModels.used() ?? {} };
    const newer = checkpoint === null ? [] : newerThanOurs(checkpoint);
    if (newer.length > 0) throw new Error(`the views ${newer.join(', ')} are those of another version of this service`);
  }

  function move(before: string, position: string): void {
    const after = ownWrites.visiblePosition();
    if (position > after) ownWrites.advance(position);
    // A report of this process's projector meanwhile is newer than the answer.
    else if (position < after && before === after) ownWrites.restartAt(position);
    if (ownWrites.visiblePosition() === after) return;
    movedAt = now();
    onMoved(after);
  }

  async function parkedNow(checkpoint: Checkpoint | null): Promise<readonly ParkedStream[]> {
    const restMs = now() - movedAt < calmMs ? parkedMs : calmMs;
    if (checkpoint === null || now() - parkedAt <= restMs) return status.parked;
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
      waking = new AbortController();
      if (ownWrites.isAwaited() && status.fault === null) await sleep(awaitedMs);
      else await pause(now() - movedAt < calmMs ? movingMs : idleMs, waking.signal);
    }
  }

  const running = follow();
  return {
    /** A request waits, or something has changed: ask at once. */
    wake: (): void => waking.abort(),
    status: (): FollowerStatus => status,
    async close(): Promise<void> {
      closed = true;
      waking.abort();
      await running;
    },
  };
}
