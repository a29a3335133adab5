/**
 * Takes requests for rebuilds in every process, and carries out one rebuild at a time in the process that folds the views.
 * One loop looks at the state and does what the state demands. `transition.ts` says which state follows.
 */
import { ServiceError } from '../errors.js';
import type { Clocks } from '../flow/subscriber.js';
import { startWorkerThread } from '../flow/worker-thread.js';
import { CommitConflictError, type ReadModels } from '../readmodels/read-models.js';
import type { StoreSettings } from '../stores/stores.js';
import type { RebuildProgress, RebuildRequest, RebuildResult, RebuildRun } from './answers.js';
import type { Damage } from './damage.js';
import {
  isOpen,
  newRecord,
  nextOf,
  readRebuildRecord,
  runOf,
  writeRebuildRecord,
  type RebuildRecord,
  type StoredRecords,
} from './rebuild-record.js';
import type { FromRebuild, ToRebuild } from './rebuild-worker.js';
import {
  initialState,
  lookMs,
  mayDrop,
  recordToRun,
  transition,
  type CoordinatorEvent,
  type CoordinatorRole,
  type CoordinatorState,
} from './transition.js';
import { dropAbandoned, type NewStorages, type RequestSwitch, type SwitchAnswer } from './switch.js';

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

export function createRebuildCoordinator(options: RebuildCoordinatorOptions) {
  const { readModels, clock, newUuid, log, isShared, startThread = startRebuildThread } = options;
  let state = initialState(isShared);
  let thread: RebuildThread | undefined;
  /** The record of the running rebuild as it was last written. */
  let written: RebuildRecord | undefined;
  let requestSwitch: RequestSwitch = () =>
    Promise.resolve({ outcome: 'failed', reason: 'no projector runs in this process' });
  /** Whether reports of the projector are ignored. */
  let isStopped = false;
  /** Settles with the last write of the record. Never rejects. */
  let writing: Promise<unknown> = Promise.resolve();
  const listeners = new Set<() => void>();

  function apply(event: CoordinatorEvent): void {
    const before = state;
    state = transition(state, event);
    if (state === before || event.type === 'progress') return;
    for (const listener of listeners) listener();
  }

  /** Resolves when the state changes, not counting progress, or after this many milliseconds. */
  function changed(milliseconds?: number): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        clearTimeout(timer);
        listeners.delete(listener);
        resolve();
      };
      const timer = milliseconds === undefined ? undefined : setTimeout(listener, milliseconds).unref();
      listeners.add(listener);
    });
  }

  async function run(): Promise<void> {
    while (state.name !== 'closed') await act(state);
  }

  async function act(now: Exclude<CoordinatorState, { name: 'closed' }>): Promise<void> {
    switch (now.name) {
      case 'idle':
        await changed(now.pause);
        if (state === now) apply({ type: 'due' });
        return;
      case 'looking':
        return apply(await take().catch(toFailed));
      case 'tidying':
        return apply(await tidy().catch(toFailed));
      case 'building':
        return await build(now.record);
      case 'ending':
        if (await isSaved(now.record)) return apply({ type: 'saved' });
        await changed(lookMs);
        return apply({ type: 'failed' });
      case 'stopping':
        void thread?.close();
        return await changed();
      default:
        return now satisfies never;
    }
  }

  const time = (): string => new Date(clock()).toISOString();

  function write(change: (stored: StoredRecords) => RebuildRecord | undefined): Promise<RebuildRecord | undefined> {
    const done = writeRebuildRecord(readModels, change);
    writing = done.catch(() => undefined);
    return done;
  }

  async function take(): Promise<CoordinatorEvent> {
    const made = { rebuild_id: newUuid(), requested_at: time() };
    return { type: 'taken', record: await write((stored) => recordToRun(state, stored, made)) };
  }

  const tidy = async (): Promise<CoordinatorEvent> => ({ type: 'tidied', isTidy: await drop() });

  /** Starts the thread, or writes down how far it is. Resolves when something has changed. */
  async function build(record: RebuildRecord): Promise<void> {
    if (thread === undefined) {
      written = record;
      begin(record);
    } else if (isShared && record !== written && (await isSaved(record))) written = record;
    if (state.name === 'building') await changed(isShared ? lookMs : undefined);
  }

  /**
   * Writes the record, unless the stored record is of another rebuild by now, or says that another process has ended this one
   * while this process was suspended. Returns false if the stores cannot be reached.
   */
  const isSaved = (record: RebuildRecord): Promise<boolean> =>
    write(({ record: stored }) =>
      stored === undefined || (stored.rebuild_id === record.rebuild_id && isOpen(stored)) ? record : undefined,
    ).then(
      () => true,
      () => false,
    );

  function begin(record: RebuildRecord): void {
    const { rebuild_id, views, dry_run, accept_differences, cause } = record;
    log('info', 'rebuild begins', { rebuild_id, views, dry_run, accept_differences, cause });
    const onEnd = (end: RebuildResult | string): void => {
      thread = undefined;
      apply({ type: 'ended', end, at: time() });
      if (state.name === 'ending') logEnd(state.record);
    };
    try {
      thread = startThread({
        settings: options.settings,
        holder: `${options.holder} ${newUuid()}`,
        run: runOf(record),
        onProgress: (progress) => apply({ type: 'progress', progress }),
        requestSwitch: (built) => requestSwitch(built),
        onDamage: options.onDamage,
        onEnd,
      });
    } catch (error) {
      onEnd(`its thread did not start: ${error instanceof Error ? error.name : 'unexpected failure'}`);
    }
  }

  function logEnd({ rebuild_id, outcome, fault, poison, state: ending }: RebuildRecord): void {
    if (outcome === null)
      return log('error', 'rebuild interrupted', { rebuild_id, reason: fault, given_up: ending === 'failed' });
    const { view, stream, position, reason } = poison ?? {};
    const place = poison === null ? {} : { view, stream, position, reason };
    log(ending === 'finished' ? 'info' : 'error', 'rebuild ended', { rebuild_id, outcome, ...place });
  }

  /** Returns false if a rebuild is running or about to start. */
  async function drop(): Promise<boolean> {
    if (!mayDrop(state)) return false;
    const dropped = await dropAbandoned(readModels, options);
    if (Object.keys(dropped ?? {}).length > 0) log('info', 'a rebuild that nobody continues was dropped', { dropped });
    return dropped !== undefined;
  }

  const running = run();
  return {
    /** Drops the storages of an abandoned rebuild. Returns false if a rebuild is running or about to start. @throws ReadModelsUnavailableError @throws LeaseLostError */
    dropAbandoned: drop,
    /** Returns how far the rebuild of this process is. */
    progress: () => (state.name === 'building' ? state.record.progress : undefined),
    /** Returns the last rebuild, or undefined if there has been none. @throws ReadModelsUnavailableError */
    async status(): Promise<RebuildRecord | undefined> {
      return state.name === 'building' ? state.record : await readRebuildRecord(readModels);
    },
    /** Writes a request. The process that leads begins at once, or within five seconds. @throws ServiceError `rebuild_running` @throws ReadModelsUnavailableError */
    async request({ views, dryRun, acceptDifferences }: RebuildRequest): Promise<RebuildRecord> {
      const record = newRecord({
        rebuild_id: newUuid(),
        views,
        dry_run: dryRun,
        accept_differences: acceptDifferences,
        cause: 'request',
        requested_at: time(),
      });
      // The end of the last rebuild may still be on its way into the record.
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
      apply({ type: 'requested' });
      return record;
    },
    /** Names the projector of this process. */
    attach(projector: { readonly requestSwitch: RequestSwitch }): void {
      requestSwitch = projector.requestSwitch;
    },
    become(role: CoordinatorRole): void {
      if (!isStopped) apply({ type: 'role', role });
    },
    /** Stops a running rebuild, and starts none until the work is done and the process leads again. The work may replace the read models. */
    async whileStopped(work: () => Promise<void>): Promise<void> {
      isStopped = true;
      apply({ type: 'role', role: { leading: false, missing: [] } });
      try {
        while (state.name !== 'idle' && state.name !== 'closed') await changed();
        await work();
      } finally {
        isStopped = false;
      }
    },
    async close(): Promise<void> {
      apply({ type: 'close' });
      await running;
      await thread?.close();
      await readModels.close();
    },
  };
}

const toFailed = (): CoordinatorEvent => ({ type: 'failed' });

export interface RebuildThreadOptions {
  readonly settings: StoreSettings;
  readonly holder: string;
  readonly run: RebuildRun;
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly requestSwitch: (built: NewStorages) => Promise<SwitchAnswer>;
  readonly onDamage: (damage: Damage) => void;
  /** Called once when the thread has ended, with its result or with the reason for its failure. */
  readonly onEnd: (end: RebuildResult | string) => void;
}

type RebuildThread = ReturnType<typeof startRebuildThread>;

const closeWithinMs = 5_000;

/** Runs a rebuild in a thread of its own, so that neither requests nor the projector wait for it. */
function startRebuildThread(options: RebuildThreadOptions) {
  const { settings, holder, run, onProgress, requestSwitch, onDamage, onEnd } = options;
  let end: RebuildResult | string = 'its thread ended by itself';
  const thread = startWorkerThread<FromRebuild, ToRebuild>(
    { name: 'rebuild', beside: import.meta.url },
    {
      workerData: { settings, holder, run },
      onMessage(message) {
        if (message.type === 'progress') onProgress(message.progress);
        else if (message.type === 'switch') void requestSwitch(message.built).then(thread.send);
        else if (message.type === 'damaged') onDamage(message.damage);
        else end = message.end;
      },
      onExit: (error) => onEnd(error === undefined ? end : `its thread died: ${error}`),
    },
  );
  return {
    /** Ends the thread. The next rebuild of the same views continues its work. Safe to call twice. */
    close: (): Promise<void> => thread.close(closeWithinMs),
  };
}
