/** Where rebuilds are requested: keeps the record of the last one, and runs it while this process folds the views. `coordination.ts` says what is done when. */
import { ServiceError } from '../errors.js';
import type { Clocks } from '../flow/subscriber.js';
import { liveProjections } from '../projections/views.js';
import { isOf, type Storages } from '../projector/storage.js';
import { CommitConflictError, type ReadModels } from '../readmodels/read-models.js';
import type { StoreSettings } from '../stores/stores.js';
import type { RebuildRequest, RebuildResult } from './answers.js';
import type { Damage } from './damage.js';
import {
  initialCoordination,
  isMine,
  mayDrop,
  shownIn,
  type CoordinatorEffect,
  type CoordinatorEvent,
  type CoordinatorRole,
} from './coordination-states.js';
import { recordToRun, reduce } from './coordination.js';
import {
  newRecord,
  nextOf,
  readRebuildRecord,
  runOf,
  writeRebuildRecord,
  type RebuildRecord,
} from './rebuild-record.js';
import { startRebuildThread, type RebuildThread } from './rebuild-thread.js';
import type { RequestSwitch } from './switch.js';
import { dropAbandoned } from './unfinished.js';

interface RebuildCoordinatorOptions extends Clocks {
  readonly settings: StoreSettings;
  readonly readModels: ReadModels;
  readonly isShared: boolean;
  readonly holder: string;
  readonly log: (level: 'info' | 'error', message: string, facts: object) => void;
  readonly newUuid: () => string;
  readonly onDamage: (damage: Damage) => void;
  readonly startThread?: typeof startRebuildThread;
}

export async function createRebuildCoordinator(options: RebuildCoordinatorOptions) {
  const { readModels, clock, newUuid, log, settings, startThread = startRebuildThread } = options;
  const sharing = { requests: options.isShared, progress: settings.views.kind === 'mongodb' };
  let state = initialCoordination;
  let thread: RebuildThread | undefined;
  let timer: NodeJS.Timeout | undefined;
  let requestSwitch: RequestSwitch = () =>
    Promise.resolve({ outcome: 'failed', reason: 'no projector runs in this process' });
  /** Each settles when what was begun has ended; neither rejects. Writes of the record are made one after the other. */
  let writing: Promise<void> = Promise.resolve();
  let tidying: Promise<void> = Promise.resolve();

  function dispatch(event: CoordinatorEvent): void {
    const step = reduce(state, event, sharing);
    state = step.state;
    for (const effect of step.effects) carryOut(effect);
  }

  function carryOut(effect: CoordinatorEffect): void {
    switch (effect.type) {
      case 'look_in':
        clearTimeout(timer);
        timer = setTimeout(() => dispatch({ type: 'look' }), effect.milliseconds).unref();
        return;
      case 'take':
        writing = writing.then(take).then(dispatch, () => dispatch({ type: 'look_failed' }));
        return;
      case 'tidy':
        tidying = tidy().then(dispatch, () => dispatch({ type: 'look_failed' }));
        return;
      case 'save': {
        const { record } = effect;
        const save = async (): Promise<CoordinatorEvent> => saveRecord(record);
        writing = writing.then(save).then(dispatch, () => dispatch({ type: 'save_failed', record }));
        return;
      }
      case 'start_thread':
        thread = start(effect.record);
        return;
      case 'close_thread':
        void thread?.close();
        return;
      case 'log':
        return log(effect.level, effect.message, effect.facts);
      default:
        effect satisfies never;
    }
  }

  const time = (): string => new Date(clock()).toISOString();

  async function take(): Promise<CoordinatorEvent> {
    const made = { rebuild_id: newUuid(), requested_at: time() };
    const record = await writeRebuildRecord(readModels, (stored) => recordToRun(state, stored, made));
    return { type: 'taken', record };
  }

  /** What another version of the service prepares is left for its start. */
  async function tidy(): Promise<CoordinatorEvent> {
    const isTidy = await drop((storages) =>
      liveProjections.every((view) => isOf(view, storages[view.name] ?? view.version)),
    );
    return { type: 'tidied', isTidy };
  }

  /** Never over another rebuild's record. */
  async function saveRecord(record: RebuildRecord): Promise<CoordinatorEvent> {
    if (isMine(state, record))
      await writeRebuildRecord(readModels, ({ record: stored }) =>
        stored === undefined || stored.rebuild_id === record.rebuild_id ? record : undefined,
      );
    return { type: 'settled', record };
  }

  function start(record: RebuildRecord): RebuildThread | undefined {
    const onEnd = (end: RebuildResult | string): void => {
      thread = undefined;
      dispatch({ type: 'ended', end, at: time() });
    };
    try {
      return startThread({
        settings,
        holder: `${options.holder} ${newUuid()}`,
        run: runOf(record),
        onProgress: (progress) => dispatch({ type: 'progress', progress }),
        requestSwitch: (built) => requestSwitch(built),
        onDamage: options.onDamage,
        onEnd,
      });
    } catch (error) {
      onEnd(`its thread did not start: ${error instanceof Error ? error.name : 'unexpected failure'}`);
      return undefined;
    }
  }

  /** False: a rebuild is running or about to start. */
  async function drop(isWanted: (storages: Storages) => boolean): Promise<boolean> {
    if (!mayDrop(state)) return false;
    const dropped = await dropAbandoned(readModels, { ...options, isWanted });
    if (Object.keys(dropped ?? {}).length > 0) log('info', 'a rebuild that nobody continues was dropped', { dropped });
    return dropped !== undefined;
  }

  return {
    /** @throws ReadModelsUnavailableError @throws LeaseLostError */
    dropAbandoned: () => drop(() => true),
    /** How far the one that runs in this process is. */
    progress: () => shownIn(state)?.progress,
    /** The last one; undefined when there has been none. @throws ReadModelsUnavailableError */
    async status(): Promise<RebuildRecord | undefined> {
      return shownIn(state) ?? (await readRebuildRecord(readModels));
    },
    /** The process that leads begins at once, or within a second. @throws ServiceError `rebuild_running` @throws ReadModelsUnavailableError */
    async request({ views, dryRun, acceptDifferences = false }: RebuildRequest): Promise<RebuildRecord> {
      const record = newRecord({
        rebuild_id: newUuid(),
        views,
        dry_run: dryRun,
        accept_differences: acceptDifferences,
        cause: 'request',
        requested_at: time(),
      });
      // The end of the last rebuild may still be under way to the record.
      await writing;
      try {
        const stored = await writeRebuildRecord(readModels, (kept) =>
          nextOf(kept) === undefined ? record : undefined,
        );
        if (stored === undefined) throw new ServiceError('rebuild_running');
      } catch (error) {
        // Another process was first.
        if (error instanceof CommitConflictError) throw new ServiceError('rebuild_running', {}, { cause: error });
        throw error;
      }
      dispatch({ type: 'requested' });
      return record;
    },
    /** The projector of this process. */
    attach(projector: { readonly requestSwitch: RequestSwitch }): void {
      requestSwitch = projector.requestSwitch;
    },
    become: (role: CoordinatorRole): void => dispatch({ type: 'role', role }),
    /** Stops what runs, and begins nothing until the process `become`s the leader again. The work may replace the read models. */
    async whileStopped(work: () => Promise<void>): Promise<void> {
      dispatch({ type: 'role', role: initialCoordination.role });
      await Promise.all([writing, tidying]);
      await thread?.close();
      await work();
    },
    async close(): Promise<void> {
      dispatch({ type: 'close' });
      clearTimeout(timer);
      await Promise.all([writing, tidying]);
      await thread?.close();
      await readModels.close();
    },
  };
}
