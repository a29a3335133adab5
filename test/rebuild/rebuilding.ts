/** Projector and rebuilds in this process, on embedded stores of their own: for tests of what goes on between them. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { createLease } from '../../src/projector/lease.js';
import { createLiveReader, type LiveReader } from '../../src/projector/live-reader.js';
import { createSwitches, type Switches } from '../../src/rebuild/switch.js';
import type { Projection } from '../../src/projections/projection.js';
import type { ProjectorFault } from '../../src/projector/status.js';
import { runProjector, type LogBounds } from '../../src/projector/projector.js';
import type { RebuildProgress, RebuildResult, RebuildRun } from '../../src/rebuild/answers.js';
import { runRebuild } from '../../src/rebuild/rebuild.js';
import { liveProjections } from '../../src/projections/views.js';
import type { ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { createStatusWatch, type StatusWatch } from '../support/status-watch.js';

interface Views {
  readonly file: string;
  readonly models: ReadModels;
}

export function openViews(): Views {
  const folder = mkdtempSync(path.join(tmpdir(), 'rebuild-'));
  const file = path.join(folder, 'views.db');
  const models = openSqliteReadModels({ file });
  onTestFinished(async () => {
    await models.close();
    rmSync(folder, { recursive: true });
  });
  return { file, models };
}

interface RunningProjector extends Omit<StatusWatch, 'tell'> {
  readonly faults: ProjectorFault[];
  /** Told of each switch as the HTTP thread of a service is. */
  readonly reader: LiveReader;
  readonly requestSwitch: Switches['requestSwitch'];
  rebuild(run: Partial<RebuildRun>, options?: RebuildOptions): Promise<RebuildResult>;
  stop(): Promise<void>;
}

interface RebuildOptions {
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
  /** Of another release. */
  readonly projections?: readonly Projection[];
}

export interface ProjectorParts {
  readonly store: SqliteEventStore;
  readonly views: Views;
  readonly projections?: readonly Projection[];
  /** Milliseconds that an old storage is kept. */
  readonly dropAfter?: number;
  /** A longer log without views is left to a rebuild. */
  readonly shortLog?: LogBounds;
  /** Folds under a lease of so many milliseconds, and leaves newer views alone. */
  readonly leaseMs?: number;
}

/** Small, so that the bulk build of a short log has many commits. */
const bounds = { documents: 50, characters: 1_000_000 };

export function startProjector(parts: ProjectorParts): RunningProjector {
  const { store, views, projections = liveProjections, dropAfter = 60_000 } = parts;
  const stopping = new AbortController();
  const { tell, ...watch } = createStatusWatch(store);
  const faults: ProjectorFault[] = [];
  const switches = createSwitches();
  const reader = createLiveReader(openSqliteReadModels({ file: views.file, readOnly: true }), projections);
  let epoch = 0;
  const lease =
    parts.leaseMs === undefined
      ? undefined
      : createLease({
          readModels: views.models,
          name: 'projector',
          holder: randomUUID(),
          ttl: parts.leaseMs,
          now: () => performance.now(),
        });
  const done = runProjector({
    ...(lease === undefined ? {} : { lease, foreignViews: 'refuse' }),
    reader: store,
    readModels: views.models,
    projections,
    signal: stopping.signal,
    random: () => 0,
    onFault: (fault) => faults.push(fault),
    onProgress(next) {
      if (next.live !== null) reader.use(next.live);
      tell(next);
    },
    switches,
    ...(parts.shortLog === undefined ? {} : { shortLog: parts.shortLog }),
    dropAfter,
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await done;
    await lease?.close();
  };
  onTestFinished(async () => {
    await stop();
    await reader.close();
  });
  return {
    ...watch,
    faults,
    reader,
    stop,
    requestSwitch: switches.requestSwitch,
    async rebuild(run, options = {}) {
      const { onProgress = () => undefined, signal = stopping.signal } = options;
      epoch += 1;
      return runRebuild({
        run: {
          views: projections.map(({ name }) => name),
          dryRun: false,
          acceptDifferences: false,
          park: false,
          ...run,
        },
        reader: store,
        readModels: views.models,
        projections: options.projections ?? projections,
        requestSwitch: switches.requestSwitch,
        epoch,
        check: () => undefined,
        signal,
        onProgress,
        now: () => performance.now(),
        pause: () => nextTurn(),
        bounds,
      });
    },
  };
}
