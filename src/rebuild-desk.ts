/** Where rebuilds are asked for: keeps the record of the last one, and has it carried out while this process folds the views. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from './errors.js';
import type { OrderAnswer } from './projections/orders.js';
import type { RebuildResult } from './projections/rebuild-messages.js';
import type { Given } from './projections/rebuild.js';
import { createMeter, type Meter } from './projections/rebuild-meter.js';
import { isOpen, readRecord, showView, writeRecord, type RebuildRecord } from './projections/rebuild-record.js';
import { CommitConflictError, type ReadModels } from './readmodels/read-models.js';
import { startRebuildThread, type RebuildThread } from './rebuild-thread.js';
import type { StoreSettings } from './stores.js';

export interface RebuildRequest {
  /** Names of views of this code. */
  readonly views: readonly string[];
  readonly dryRun: boolean;
}

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
}

/** How often a process that leads looks for what others have asked for, and tells them how far it is. */
const lookMs = 1_000;
const backOffMs = { first: 500, most: 30_000 };
/** Interruptions in a row after which a request is given up. What the start needs is never given up. */
const mostInterruptions = 10;

export function createRebuildDesk(options: RebuildDeskOptions): RebuildDesk {
  const { readModels, clock, now, log } = options;
  let state: { leading: boolean; missing: readonly string[] } = { leading: false, missing: [] };
  let running: { readonly thread: RebuildThread; readonly meter: Meter } | undefined;
  /** As this process knows it while it carries it out. */
  let current: RebuildRecord | undefined;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Of the run, not of the request: an order of an earlier run must not be taken for one of this. */
  let wishId = '';
  let writing: Promise<void> = Promise.resolve();
  /** As it was last written. */
  let kept: RebuildRecord | undefined;
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
    await keep();
    const record = state.missing.length > 0 ? startRecord(state.missing) : await readRecord(readModels);
    if (record === undefined || !isOpen(record) || !mayBegin()) return;
    current = { ...record, state: 'running', fault: null };
    await keep();
    const { rebuild_id: id, views, dry_run: dryRun, cause } = current;
    log('info', 'rebuild begins', { rebuild_id: id, views, dry_run: dryRun, cause });
    const meter = createMeter(now);
    wishId = randomUUID();
    const thread = startRebuildThread({
      settings: options.settings,
      holder: `${options.holder} ${randomUUID()}`,
      wish: { id: wishId, views, dryRun, isStart: cause === 'start' },
      onProgress(progress) {
        if (current !== undefined) current = { ...current, progress: meter.show(progress) };
      },
      onOrder: options.onOrder,
      onEnd: (end) => void over(end).catch(() => lookIn(lookMs)),
    });
    running = { thread, meter };
  }

  /** Not narrowed by an earlier look. */
  const mayBegin = (): boolean => !closed && state.leading && running === undefined;

  /** For those who ask other processes. Where there are none, nobody waits for the disk. */
  async function tell(): Promise<void> {
    if (options.settings.views.kind === 'mongodb' && current !== undefined) await keep();
  }

  /** One after the other, each time as the record then is. What could not be kept is kept before anything else is begun. */
  function keep(): Promise<void> {
    writing = writing
      .catch(() => undefined)
      .then(async () => {
        const record = current;
        if (record === undefined || record === kept) return;
        await writeRecord(readModels, () => record);
        kept = record;
      });
    return writing;
  }

  const startRecord = (views: readonly string[]): RebuildRecord =>
    current?.cause === 'start' && isOpen(current)
      ? { ...current, views }
      : newRecord({ views, dryRun: false }, 'start');

  function newRecord({ views, dryRun }: RebuildRequest, cause: RebuildRecord['cause']): RebuildRecord {
    const requested_at = new Date(clock()).toISOString();
    const nothing = { finished_at: null, progress: null, fault: null, outcome: null, results: [], poison: null };
    return { rebuild_id: randomUUID(), views, dry_run: dryRun, cause, requested_at, state: 'waiting', ...nothing };
  }

  async function over(end: RebuildResult | string): Promise<void> {
    running = undefined;
    if (current === undefined || closed) return;
    // Whoever leads now tells what comes of it.
    if (!state.leading) current = undefined;
    else if (typeof end === 'string') await interrupted(current, end);
    else await done(current, end);
  }

  async function interrupted(record: RebuildRecord, end: string): Promise<void> {
    const { rebuild_id, cause } = record;
    interruptions += 1;
    const isGivenUp = cause === 'request' && interruptions >= mostInterruptions;
    current = { ...record, fault: end, ...(isGivenUp ? ended('failed') : {}) };
    options.onOrder({ type: 'discard', id: wishId });
    log('error', 'rebuild interrupted', { rebuild_id, reason: end, given_up: isGivenUp });
    await keep();
    lookIn(Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(interruptions - 1, 16)));
  }

  async function done(record: RebuildRecord, end: RebuildResult): Promise<void> {
    interruptions = 0;
    const results = 'views' in end ? end.views.map(showView) : [];
    const poison = 'poison' in end ? end.poison : null;
    const isDone = end.outcome === 'switched' || end.outcome === 'checked';
    current = { ...record, outcome: end.outcome, results, poison, ...ended(isDone ? 'finished' : 'failed') };
    log(isDone ? 'info' : 'error', 'rebuild ended', {
      rebuild_id: record.rebuild_id,
      outcome: end.outcome,
      ...placeOf(poison),
    });
    await keep();
    lookIn(0);
  }

  const ended = (as: 'finished' | 'failed') => ({ state: as, finished_at: new Date(clock()).toISOString() });

  /** A record that is being carried out here is known best here. */
  async function status(): Promise<RebuildRecord | undefined> {
    if (running !== undefined && current !== undefined) return current;
    return await readRecord(readModels);
  }

  return {
    status,
    async request(request) {
      const record = newRecord(request, 'request');
      // The end of the last one is known when it has been written.
      await writing.catch(() => undefined);
      try {
        const written = await writeRecord(readModels, (last) =>
          last !== undefined && isOpen(last) ? undefined : record,
        );
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
      if (next.leading) lookIn(0);
      // Whoever leads now goes on where this one was.
      else void running?.thread.close();
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
