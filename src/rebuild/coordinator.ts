/** Where rebuilds are requested: keeps the record of the last one, and runs it while this process folds the views. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.js';
import { liveProjections } from '../projections/views.js';
import type { SwitchAnswer, NewStorages } from './switch.js';
import { isOf, type Storages } from '../projector/storage.js';
import { CommitConflictError, type ReadModels } from '../readmodels/read-models.js';
import type { RebuildRequest, RebuildResult } from './answers.js';
import {
  isOpen,
  newRecord,
  nextOf,
  readRecord,
  rebuildsView,
  writeRecord,
  type RebuildRecord,
} from './rebuild-record.js';
import { dropAbandoned } from './unfinished.js';
import type { StoreSettings } from '../stores/stores.js';
import { startRebuildThread, type RebuildThread } from './rebuild-thread.js';

export type RebuildCoordinator = Awaited<ReturnType<typeof createRebuildCoordinator>>;

export interface RebuildCoordinatorOptions {
  readonly settings: StoreSettings;
  readonly readModels: ReadModels;
  readonly isShared: boolean;
  readonly holder: string;
  readonly requestSwitch: (built: NewStorages) => Promise<SwitchAnswer>;
  readonly log: (level: 'info' | 'error', message: string, facts: object) => void;
  readonly clock: () => number;
  readonly startThread?: typeof startRebuildThread;
}

/** How often a process that leads writes down how far it is, and tries again. */
const lookMs = 1_000;
/** How often it looks for what other processes were asked for. */
const othersLookMs = 5_000;
const backOffMs = { first: 500, most: 30_000 };
/** Interruptions in a row after which a request is given up. What the start needs is never given up. */
const mostInterruptions = 10;

export async function createRebuildCoordinator(options: RebuildCoordinatorOptions) {
  const { readModels, clock, log, settings, startThread = startRebuildThread } = options;
  await readModels.prepare(rebuildsView);
  let state: { readonly leading: boolean; readonly missing: readonly string[] } = { leading: false, missing: [] };
  /** The rebuild that this process carries out: as it is now, and as it was last written. */
  let current: RebuildRecord | undefined;
  let written: RebuildRecord | undefined;
  /** Settles when the last write has ended. */
  let writing: Promise<void> = Promise.resolve();
  let thread: RebuildThread | undefined;
  /** The look for a request that is under way; `timer` begins the next one. */
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let interruptions = 0;
  let isTidy = false;
  let closed = false;

  /** Writes `current`, never over another rebuild's record. Resolves after the write that is under way. */
  function save(): Promise<void> {
    writing = writing
      .catch(() => undefined)
      .then(async () => {
        const record = current;
        if (record === undefined || record === written) return;
        await writeRecord(readModels, ({ record: stored }) =>
          stored === undefined || stored.rebuild_id === record.rebuild_id ? record : undefined,
        );
        written = record;
      });
    return writing;
  }

  function lookIn(milliseconds: number): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(look, milliseconds).unref();
  }

  function look(): void {
    timer = undefined;
    // It may have looked before that was written for which this look was asked for.
    if (looking !== undefined) return lookIn(lookMs);
    looking = begin()
      .catch(() => lookIn(lookMs))
      .finally(() => {
        looking = undefined;
        if (timer !== undefined) return;
        if (thread !== undefined) lookIn(lookMs);
        else if (options.isShared) lookIn(othersLookMs);
      });
  }

  async function begin(): Promise<void> {
    if (closed || !state.leading) return;
    // Other processes show the progress too; without any it need not be written.
    if (thread !== undefined) return settings.views.kind === 'mongodb' ? await save() : undefined;
    // The end of the last rebuild must be written first.
    await save();
    const record = await writeRecord(readModels, (stored) => {
      const next = state.missing.length > 0 ? startRecord(stored.record) : nextOf(stored);
      return next === undefined || !mayBegin() ? undefined : { ...next, state: 'running', fault: null };
    });
    if (record === undefined) return await tidy();
    // If this process leads no more, the one that does finds it running, and continues it.
    if (!mayBegin()) return;
    current = written = record;
    const { rebuild_id, views, dry_run, accept_differences, cause } = record;
    log('info', 'rebuild begins', { rebuild_id, views, dry_run, accept_differences, cause });
    thread = startThread({
      settings,
      holder: `${options.holder} ${randomUUID()}`,
      run: { views, dryRun: dry_run, acceptDifferences: accept_differences, isStart: cause === 'start' },
      onProgress: (progress) => change({ progress }),
      requestSwitch: options.requestSwitch,
      onEnd: (end) => void over(end).catch(() => lookIn(lookMs)),
    });
  }

  /** Once per start. What another version of the service prepares is left for its start. */
  async function tidy(): Promise<void> {
    isTidy ||= await drop((storages) =>
      liveProjections.every((view) => isOf(view, storages[view.name] ?? view.version)),
    );
    if (!isTidy) lookIn(lookMs);
  }

  /** False: somebody builds, or is about to. */
  async function drop(isWanted: (storages: Storages) => boolean): Promise<boolean> {
    if (closed || thread !== undefined || state.missing.length > 0) return false;
    const dropped = await dropAbandoned(readModels, isWanted);
    if (Object.keys(dropped ?? {}).length > 0) log('info', 'a rebuild that nobody continues was dropped', { dropped });
    return dropped !== undefined;
  }

  /** A function, so that the compiler does not rely on an earlier check. */
  const mayBegin = (): boolean => !closed && state.leading && thread === undefined;

  const change = (changed: Partial<RebuildRecord>): void => {
    if (current !== undefined) current = { ...current, ...changed };
  };

  const startRecord = (last: RebuildRecord | undefined): RebuildRecord =>
    last?.cause === 'start' && isOpen(last)
      ? { ...last, views: state.missing }
      : asNew({ views: state.missing, dryRun: false }, 'start');

  const time = (): string => new Date(clock()).toISOString();
  const asNew = (
    { views, dryRun, acceptDifferences = false }: RebuildRequest,
    cause: RebuildRecord['cause'],
  ): RebuildRecord =>
    newRecord({
      rebuild_id: randomUUID(),
      views,
      dry_run: dryRun,
      accept_differences: acceptDifferences,
      cause,
      requested_at: time(),
    });

  async function over(end: RebuildResult | string): Promise<void> {
    thread = undefined;
    if (closed) return;
    const pauseMs =
      current === undefined ? 0 : typeof end === 'string' ? interrupted(current, end) : done(current, end);
    await save();
    lookIn(pauseMs);
  }

  function interrupted({ rebuild_id, cause }: RebuildRecord, reason: string): number {
    interruptions += 1;
    const backOff = Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(interruptions - 1, 16));
    const given_up = cause === 'request' && interruptions >= mostInterruptions;
    if (given_up) interruptions = 0;
    change({ fault: reason, ...(given_up ? { state: 'failed', finished_at: time() } : {}) });
    log('error', 'rebuild interrupted', { rebuild_id, reason, given_up });
    return backOff;
  }

  function done({ rebuild_id }: RebuildRecord, end: RebuildResult): number {
    interruptions = 0;
    const { outcome } = end;
    const results = 'views' in end ? end.views : [];
    const poison = 'poison' in end ? end.poison : null;
    const isDone = outcome === 'switched' || outcome === 'checked';
    const state = isDone ? 'finished' : 'failed';
    change({ progress: null, outcome, results, poison, state, finished_at: time() });
    log(isDone ? 'info' : 'error', 'rebuild ended', { rebuild_id, outcome, ...placeOf(poison) });
    return 0;
  }

  return {
    /** @throws ReadModelsUnavailableError @throws LeaseLostError */
    dropAbandoned: () => drop(() => true),
    /** The last one; undefined when there has been none. @throws ReadModelsUnavailableError */
    async status(): Promise<RebuildRecord | undefined> {
      return (thread === undefined ? undefined : current) ?? (await readRecord(readModels));
    },
    /** The process that leads begins at once, or within a second. @throws ServiceError `rebuild_running` @throws ReadModelsUnavailableError */
    async request(request: RebuildRequest): Promise<RebuildRecord> {
      const record = asNew(request, 'request');
      // The end of the last rebuild may still be under way to the record.
      await writing.catch(() => undefined);
      try {
        const stored = await writeRecord(readModels, (kept) => (nextOf(kept) === undefined ? record : undefined));
        if (stored === undefined) throw new ServiceError('rebuild_running');
      } catch (error) {
        // Somebody else was first.
        if (error instanceof CommitConflictError) throw new ServiceError('rebuild_running', {}, { cause: error });
        throw error;
      }
      lookIn(0);
      return record;
    },
    /** Whether this process folds the views, and which of them are to be built first. */
    become({ leading, missing }: typeof state): void {
      const isNew = leading !== state.leading || missing !== state.missing;
      state = { leading, missing };
      if (!isNew) return;
      if (leading) return lookIn(0);
      // The process that leads now continues it: this one writes no more of it.
      current = undefined;
      interruptions = 0;
      void thread?.close();
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      await looking;
      await thread?.close();
      await readModels.close();
    },
  };
}

const placeOf = (poison: RebuildRecord['poison']): object =>
  poison === null ? {} : { view: poison.view, stream: poison.stream, position: poison.position, reason: poison.reason };
