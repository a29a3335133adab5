/** Rebuilds views without a running service: folds and rebuilds in this process, under the lock or the leases that a service would hold. */
import { setTimeout as sleep } from 'node:timers/promises';
import { logStart, type Position } from '../eventstore/event-store.js';
import type { Clocks } from '../flow/subscriber.js';
import { liveProjections } from '../projections/views.js';
import { createSwitches, type Switches } from './switch.js';
import { createLease, leaseMs, type Lease } from '../projector/lease.js';
import { runProjector } from '../projector/projector.js';
import { initialStatus, type ProjectorStatus } from '../projector/status.js';
import { buildInitially } from './bulk-build.js';
import type { RebuildProgress, RebuildResult, RebuildRun } from './answers.js';
import { RebuildInterruptedError, runRebuild } from './rebuild.js';
import { isShared, openEventStore, openRebuildStores, type StoreSettings } from '../stores/stores.js';
import { CommandFailedError } from '../failures.js';

/** With the mode `prepare`: beside a running service of another version. */
export interface DirectRebuild extends RebuildRun {
  readonly onProgress: (progress: RebuildProgress) => void;
}

export interface DirectRebuildInput extends DirectRebuild, Pick<Clocks, 'monotonic'> {
  readonly settings: StoreSettings;
  readonly signal: AbortSignal;
  readonly newUuid: () => string;
  /** Called once the embedded log is locked, so that no service runs on it. */
  readonly onLocked?: () => void;
}

const timeoutMs = 2 * leaseMs;
const pauseMs = 5;
const watchMs = 100;

/** @throws WriterLockedError, CommandFailedError, StoreUnavailableError, ReadModelsUnavailableError; the signal's reason */
export async function rebuildDirectly(input: DirectRebuildInput): Promise<RebuildResult> {
  const { settings, mode } = input;
  // Hold the lock so that no service starts during the rebuild.
  const lock =
    settings.events.kind === 'embedded' && mode !== 'prepare' ? await openEventStore(settings.events) : undefined;
  try {
    if (lock !== undefined) input.onLocked?.();
    const stores = await openRebuildStores(settings);
    try {
      const opened = { ...input, ...stores };
      return await (mode === 'prepare' ? rebuildUnderLease(opened, createSwitches()) : rebuildWithProjector(opened));
    } finally {
      await stores.close();
    }
  } finally {
    await lock?.close();
  }
}

type OpenRebuild = DirectRebuildInput & Awaited<ReturnType<typeof openRebuildStores>>;

const leaseOf = ({ readModels, newUuid, monotonic: now }: OpenRebuild, name: string): Lease =>
  createLease({ readModels, name, holder: newUuid(), ttl: leaseMs, now, resumes: true });

async function rebuildUnderLease(input: OpenRebuild, switches: Switches): Promise<RebuildResult> {
  const { views, mode, signal, monotonic: now } = input;
  const lease = leaseOf(input, 'rebuild');
  try {
    const epoch = await lease.hold(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    signal.throwIfAborted();
    if (epoch === null) throw new CommandFailedError('Another rebuild is running.', { type: 'in_use' });
    return await runRebuild({
      ...input,
      run: { views, mode },
      projections: liveProjections,
      requestSwitch: switches.requestSwitch,
      epoch,
      check: () => lease.check(),
      now,
      pause: () => sleep(pauseMs),
    });
  } catch (error) {
    if (!(error instanceof RebuildInterruptedError)) throw error;
    throw new CommandFailedError(
      `The rebuild was interrupted: ${error.message}. Nothing was switched; the same command continues it.`,
      { type: 'interrupted', cause: error },
    );
  } finally {
    await lease.close();
  }
}

/** The projector folds the live views up to the head first, and makes the new ones live. @throws as `rebuildDirectly` */
export async function rebuildWithProjector(input: ProjectorRebuild): Promise<RebuildResult> {
  const { reader, readModels, monotonic, timeoutMs: timeout = timeoutMs } = input;
  const head = await reader.head();
  if (head === logStart)
    throw new CommandFailedError('The log holds no events: there is nothing to rebuild.', { type: 'empty' });
  const switches = createSwitches();
  const stop = new AbortController();
  const stopped = new AbortController();
  const lease = isShared(input.settings) ? leaseOf(input, 'projector') : undefined;
  const watch = createFoldWatch(monotonic, timeout);
  const folding = runProjector({
    reader,
    readModels,
    projections: liveProjections,
    signal: stop.signal,
    random: Math.random,
    onFault: () => undefined,
    onProgress: watch.onProgress,
    foreignViews: 'refuse',
    ...(lease === undefined ? {} : { lease }),
    switches,
    buildInitially,
  });
  const watching = setInterval(() => {
    const reason = watch.whyStopped();
    if (reason !== undefined) stopped.abort(reason);
  }, watchMs);
  try {
    const signal = AbortSignal.any([input.signal, stopped.signal]);
    while (!watch.isAt(head)) {
      signal.throwIfAborted();
      await sleep(pauseMs);
    }
    return await rebuildUnderLease({ ...input, signal }, switches);
  } finally {
    clearInterval(watching);
    stop.abort();
    await folding;
    await lease?.close();
  }
}

interface ProjectorRebuild extends OpenRebuild {
  /** How long the projector may stand still. Default 8,000. */
  readonly timeoutMs?: number;
}

/** A projector that stands still answers no request to switch: the rebuild would wait for ever. */
function createFoldWatch(now: () => number, timeout: number) {
  let status = initialStatus;
  /** Since when nothing has been folded; undefined: it goes on. */
  let since: number | undefined;
  return {
    onProgress(next: ProjectorStatus): void {
      const isStopped = next.standby || next.fault !== null;
      const goesOn = next.caughtUp || next.position !== status.position;
      if (isStopped) since ??= now();
      else if (goesOn) since = undefined;
      status = next;
    },
    isAt: (head: Position): boolean => status.live !== null && status.position >= head,
    /** One fault may pass: only what has lasted. */
    whyStopped(): CommandFailedError | undefined {
      if (since === undefined || now() - since <= timeout) return undefined;
      const { standby, fault } = status;
      if (standby)
        return new CommandFailedError('A service folds these views: name it with --url.', { type: 'in_use' });
      const reason = fault ?? 'they stand still';
      return new CommandFailedError(`The live views cannot be folded, so there is no rebuild: ${reason}.`);
    },
  };
}
