/** Where rebuilds are asked for: keeps the record of the last one, and has it carried out while this process folds the views. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.js';
import type { OrderAnswer } from '../rebuild/projector-commands.js';
import type { RebuildRequest, RebuildResult } from '../rebuild/messages.js';
import type { Given } from '../rebuild/rebuild.js';
import { createMeter, type Meter } from '../rebuild/meter.js';
import {
  isOpen,
  newRecord,
  nextOf,
  readRecord,
  showView,
  writeRecord,
  type RebuildRecord,
} from '../projector/rebuild-record.js';
import { createRecordKeeper } from '../rebuild/job-store.js';
import { CommitConflictError, type ReadModels } from '../readmodels/read-models.js';
import { startRebuildThread, type RebuildThread } from './rebuild-thread.js';
import type { StoreSettings } from '../stores/stores.js';

export interface RebuildDesk {
  /** Whoever leads begins at once, or within a second. @throws ServiceError `rebuild_running` @throws ReadModelsUnavailableError */
  request(request: RebuildRequest): Promise<RebuildRecord>;
  /** The last one; undefined when there has been none. @throws ReadModelsUnavailableError */
  status(): Promise<RebuildRecord | undefined>;
  /** Whether this process folds the views, and which of them are to be filled first. */
  become(state: { readonly leading: boolean; readonly missing: readonly string[] }): void;
  /** Of the projector. */
  answer(answer: OrderAnswer): void;
  close(): Promise<void>;
}

export interface RebuildDeskOptions {
  readonly settings: StoreSettings;
  readonly readModels: ReadModels;
  /** Others may ask for rebuilds, too. */
  readonly isShared: boolean;
  readonly holder: string;
  /** For the projector of this process. */
  readonly onOrder: (order: Given) => void;
  /** Told when one begins, ends or is interrupted. Without personal data. */
  readonly log: (level: 'info' | 'error', message: string, facts: object) => void;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly startThread?: typeof startRebuildThread;
}

/** How often a process that leads looks for what others have asked for, and tells them how far it is. */
const lookMs = 1_000;
const backOffMs = { first: 500, most: 30_000 };
/** Interruptions in a row after which a request is given up. What the start needs is never given up. */
const mostInterruptions = 10;

export function createRebuildDesk(options: RebuildDeskOptions): RebuildDesk {
  const { readModels, clock, now, log, startThread = startRebuildThread } = options;
  const keeper = createRecordKeeper(readModels);
  let state: { leading: boolean; missing: readonly string[] } = { leading: false, missing: [] };
  let running: { readonly thread: RebuildThread; readonly meter: Meter } | undefined;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Of the run, not of the request: an order of an earlier run must not be taken for one of this. */
  let runId = '';
  let interruptions = 0;
  let closed = false;

  function lookIn(milliseconds: number): void {
    clearTimeout(timer);
    if (closed) return;
    timer = setTimeout(look, milliseconds).unref();
  }

  /** One look at a time; what fails is looked at again. */
  function look(): void {
    looking ??= begin()
      .catch(() => lookIn(lookMs))
      .finally(() => {
        looking = undefined;
        if (options.isShared || running !== undefined) lookIn(lookMs);
      });
  }

  async function begin(): Promise<void> {
    if (closed || !state.leading) return;
    if (running !== undefined) return await tell();
    // What could not be kept is kept before anything else is begun.
    await keeper.keep();
    const record = await keeper.claim((kept) => {
      const next = state.missing.length > 0 ? startRecord(kept.record) : nextOf(kept);
      return next === undefined || !mayBegin() ? undefined : { ...next, state: 'running', fault: null };
    });
    // Whoever leads now finds it running, and goes on with it.
    if (record === undefined || !mayBegin()) return;
    keeper.takeOn(record);
    const { rebuild_id: id, views, dry_run: dryRun, cause } = record;
    log('info', 'rebuild begins', { rebuild_id: id, views, dry_run: dryRun, cause });
    const meter = createMeter(now);
    runId = randomUUID();
    const thread = startThread({
      settings: options.settings,
      holder: `${options.holder} ${randomUUID()}`,
      run: { id: runId, views, dryRun, isStart: cause === 'start' },
      onProgress: (progress) => keeper.change({ progress: meter.show(progress) }),
      onOrder: options.onOrder,
      onEnd: (end) => void over(end).catch(() => lookIn(lookMs)),
    });
    running = { thread, meter };
  }

  /** Not narrowed by an earlier look. */
  const mayBegin = (): boolean => !closed && state.leading && running === undefined;

  /** For those who ask other processes. Where there are none, nobody waits for the disk. */
  async function tell(): Promise<void> {
    if (options.settings.views.kind === 'mongodb') await keeper.keep();
  }

  const startRecord = (last: RebuildRecord | undefined): RebuildRecord =>
    last?.cause === 'start' && isOpen(last)
      ? { ...last, views: state.missing }
      : asNew({ views: state.missing, dryRun: false }, 'start');

  const asNew = ({ views, dryRun }: RebuildRequest, cause: RebuildRecord['cause']): RebuildRecord =>
    newRecord({
      rebuild_id: randomUUID(),
      views,
      dry_run: dryRun,
      cause,
      requested_at: new Date(clock()).toISOString(),
    });

  async function over(end: RebuildResult | string): Promise<void> {
    running = undefined;
    const record = keeper.current();
    if (closed) return;
    // Of an earlier time as the leader.
    if (record === undefined) lookIn(0);
    else if (typeof end === 'string') await interrupted(record, end);
    else await done(record, end);
  }

  async function interrupted({ rebuild_id, cause }: RebuildRecord, end: string): Promise<void> {
    interruptions += 1;
    const backOff = Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(interruptions - 1, 16));
    const isGivenUp = cause === 'request' && interruptions >= mostInterruptions;
    if (isGivenUp) interruptions = 0;
    keeper.change({ fault: end, ...(isGivenUp ? ended('failed') : {}) });
    options.onOrder({ type: 'discard', id: runId });
    log('error', 'rebuild interrupted', { rebuild_id, reason: end, given_up: isGivenUp });
    await keeper.keep();
    lookIn(backOff);
  }

  async function done({ rebuild_id }: RebuildRecord, end: RebuildResult): Promise<void> {
    interruptions = 0;
    const { outcome } = end;
    const results = 'views' in end ? end.views.map(showView) : [];
    const poison = 'poison' in end ? end.poison : null;
    const isDone = outcome === 'switched' || outcome === 'checked';
    keeper.change({ progress: null, outcome, results, poison, ...ended(isDone ? 'finished' : 'failed') });
    log(isDone ? 'info' : 'error', 'rebuild ended', { rebuild_id, outcome, ...placeOf(poison) });
    await keeper.keep();
    lookIn(0);
  }

  const ended = (as: 'finished' | 'failed') => ({ state: as, finished_at: new Date(clock()).toISOString() });

  /** A record that is being carried out here is known best here. */
  async function status(): Promise<RebuildRecord | undefined> {
    const known = running === undefined ? undefined : keeper.current();
    return known ?? (await readRecord(readModels));
  }

  return {
    status,
    async request(request) {
      const record = asNew(request, 'request');
      // The end of the last one is known when it has been written.
      await keeper.written();
      try {
        const written = await writeRecord(readModels, (kept) => (nextOf(kept) === undefined ? record : undefined));
        if (written === undefined) throw new ServiceError('rebuild_running');
      } catch (error) {
        // Somebody else was first.
        if (error instanceof CommitConflictError) throw new ServiceError('rebuild_running', {}, { cause: error });
        throw error;
      }
      lookIn(0);
      return record;
    },
    become(next) {
      const isNew = next.leading !== state.leading || next.missing !== state.missing;
      state = { leading: next.leading, missing: next.missing };
      if (!isNew) return;
      if (next.leading) return lookIn(0);
      // Whoever leads now goes on where this one was, and tells what comes of it.
      keeper.letGo();
      interruptions = 0;
      void running?.thread.close();
    },
    answer: (answer) => running?.thread.answer(answer),
    async close() {
      closed = true;
      clearTimeout(timer);
      await looking;
      await running?.thread.close();
      await readModels.close();
    },
  };
}

/** Without the body. */
const placeOf = (poison: RebuildRecord['poison']): object =>
  poison === null ? {} : { view: poison.view, stream: poison.stream, position: poison.position, reason: poison.reason };
