/** Watches over the embedded log of a running service: the check of the whole log, the read-back of what was appended, and seals. */
import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { SqliteEventStore } from '../eventstore/sqlite/event-store.js';
import type { Frontier } from '../eventstore/tree.js';
import { createSingleFlight } from '../flow/single-flight.js';
import type { Clocks, Subscriber, SubscriberRunner } from '../flow/subscriber.js';
import { runIntegrityJob } from './integrity-jobs.js';
import type { LogWatch, ReadBack } from './log-watch.js';
import type { Seal } from './seal.js';
import type { Sealer } from './sealer.js';

const usualPace = {
  /** Milliseconds between two read-backs, and events after which the next one comes at once. */
  readBackMs: 60_000,
  readBackEvents: 100_000,
  /** Milliseconds between two checks of the whole log, and after a check that could not read the log. */
  checkEveryMs: 7 * 24 * 60 * 60_000,
  checkAgainMs: 60_000,
  /** Milliseconds that the last read-back gets when the service stops. */
  lastReadBackMs: 5_000,
  /** Milliseconds that a read-back for a proof gets. */
  proofReadBackMs: 60_000,
  /** The largest share of one core that the check uses, and a read-back that nobody waits for. */
  backgroundShare: 0.25,
};

/** The state of the check of the whole log. */
type CheckState =
  | { readonly state: 'pending' }
  | { readonly state: 'passed'; readonly at: number; readonly count: number }
  | { readonly state: 'unreadable'; readonly reason: string }
  | { readonly state: 'altered'; readonly reason: string };

interface EmbeddedLogWatch extends LogWatch {
  readonly subscriber: Subscriber<'turn'>;
  readonly readBack: () => ReadBack;
  /** Reads back what was appended. Returns undefined while the check of the whole log has not passed after a start without a final seal. @throws Error if the log cannot be read */
  readNow(signal: AbortSignal): Promise<Frontier | undefined>;
}

interface LogWatchOptions extends Clocks {
  readonly file: string;
  readonly store: Pick<SqliteEventStore, 'opened' | 'frontier' | 'altered' | 'refuse' | 'onCommitted' | 'count'>;
  readonly sealer: Sealer;
  /** Milliseconds between two seals; 0: no periodic seals. */
  readonly every: number;
  /** Whether the service was stopped in order before this start. */
  readonly isClean: boolean;
  readonly restoredKey: KeyObject;
  /** For tests. */
  readonly pace?: Partial<typeof usualPace>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export function watchLog(options: LogWatchOptions): EmbeddedLogWatch {
  const { file, store, sealer, every, restoredKey, logger, clock, monotonic } = options;
  const { readBackMs, readBackEvents, checkEveryMs, checkAgainMs, lastReadBackMs, proofReadBackMs, backgroundShare } = {
    ...usualPace,
    ...options.pace,
  };
  // Nothing can have been altered in a log that was empty.
  const isClean = options.isClean || store.opened.count === 0;
  const stopping = new AbortController();
  const pauseMs = every === 0 ? readBackMs : Math.min(every, readBackMs);
  let check: CheckState = { state: 'pending' };
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let read: Frontier = store.opened;
  let readAt: number | undefined;
  let readFault: string | undefined;
  let isReading = false;
  let latestSignal = stopping.signal;
  /** Callers that wait for a read-back. */
  let waiting = 0;
  /** Aborts when a caller waits for the read-back that runs. */
  let urgent = new AbortController();
  let runner: SubscriberRunner | undefined;

  function refuse(message: string): never {
    const reason = `the event log was altered: ${message}`;
    check = { state: 'altered', reason };
    store.refuse(reason);
    throw new AlteredLogError(reason);
  }

  /** Callers that come while a read-back runs share the next one, because that one covers what they appended. */
  const readBackOnce = createSingleFlight(async () => {
    isReading = true;
    urgent = new AbortController();
    if (waiting > 0) urgent.abort();
    try {
      return await readOn({ signal: latestSignal, urgent: urgent.signal });
    } finally {
      isReading = false;
    }
  });

  async function readOn(options: { readonly signal: AbortSignal; readonly urgent: AbortSignal }): Promise<Frontier> {
    const to = await store.frontier();
    const known = store.altered();
    if (known !== undefined) throw new AlteredLogError(known);
    if (to.count > read.count) {
      const job = { kind: 'read_back', file, from: read, to, share: backgroundShare } as const;
      const { fault } = await runIntegrityJob(job, options);
      if (fault !== undefined) refuse(fault);
      read = to;
    }
    readAt = clock();
    readFault = undefined;
    return read;
  }

  async function readInBackground(signal: AbortSignal): Promise<Frontier | undefined> {
    try {
      latestSignal = signal;
      const reached = await readBackOnce();
      return isClean || check.state === 'passed' ? reached : undefined;
    } catch (error) {
      if (!signal.aborted) readFault = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  /** Reads back at full speed, and makes a read-back that runs in the background speed up. */
  async function readNow(signal: AbortSignal): Promise<Frontier | undefined> {
    waiting += 1;
    urgent.abort();
    try {
      return await readInBackground(signal);
    } finally {
      waiting -= 1;
    }
  }

  async function sealNow(): Promise<Seal | undefined> {
    const reached = await readNow(AbortSignal.timeout(proofReadBackMs));
    return reached && (await sealer.seal(reached));
  }

  async function turn(signal: AbortSignal): Promise<void> {
    const reached = await readInBackground(signal);
    if (reached !== undefined && sealer.isDue()) await sealer.seal(reached);
  }

  async function checkWhole(): Promise<void> {
    const { signal } = stopping;
    try {
      const seals = await sealer.counted();
      const { count } = read;
      const job = { kind: 'verify', file, count, share: backgroundShare } as const;
      const key = new Uint8Array(restoredKey.export());
      const { fault, seals: states = [] } = await runIntegrityJob({ ...job, seals, restoredKey: key }, { signal });
      sealer.note(states.map((state, index) => ({ seal: seals[index] ?? null, ...state })));
      if (fault !== undefined) return refuse(fault);
      check = { state: 'passed', at: clock(), count };
      // A seal may have waited for this.
      soon();
    } catch (error) {
      if (signal.aborted || error instanceof AlteredLogError) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (check.state !== 'passed') check = { state: 'unreadable', reason };
      logger.error({ err: error }, 'the event log cannot be checked; the check is repeated');
      return checkLater(checkAgainMs);
    }
    checkLater(checkEveryMs);
  }

  function checkLater(milliseconds: number): void {
    timer = setTimeout(startCheck, milliseconds).unref();
  }

  function startCheck(): void {
    checking = checkWhole().finally(() => (checking = undefined));
  }

  /** Makes the last seal. Call this when nothing is appended any more. */
  async function close(): Promise<void> {
    const signal = AbortSignal.timeout(lastReadBackMs);
    try {
      const reached = await readNow(signal);
      if (reached === undefined)
        logger.warn('no seal was made at the stop, because the check of the whole log had not ended');
      else await sealer.seal(reached, { final: true });
    } catch (error) {
      if (error instanceof AlteredLogError) throw error;
      logger.warn({ err: error }, 'no seal was made at the stop, because the log could not be read back in time');
    }
    await sealer.close();
  }

  let nextAt = -Infinity;
  const stopListening = store.onCommitted(() => {
    if (store.count() - read.count >= readBackEvents && !isReading) soon();
  });

  function soon(): void {
    nextAt = -Infinity;
    runner?.wake();
  }

  return {
    subscriber: {
      name: 'seals',
      concurrency: 1,
      grace: 0,
      attach: (attached) => void (runner = attached),
      due() {
        const rest = nextAt - monotonic();
        return Promise.resolve(rest > 0 ? { work: [], rest } : { work: ['turn'], rest: pauseMs });
      },
      async handle(_, signal) {
        // Before the turn, because `soon` may be called while it runs.
        nextAt = monotonic() + pauseMs;
        await turn(signal);
      },
    },
    start: startCheck,
    readBack: () => {
      if (check.state !== 'passed')
        return { count: 0, at: undefined, fault: check.state === 'pending' ? readFault : check.reason };
      const isFurther = read.count > check.count && readAt !== undefined;
      return { count: isFurther ? read.count : check.count, at: isFurther ? readAt : check.at, fault: readFault };
    },
    readNow,
    seals: { newest: sealer.newest, listed: sealer.listed, sealNow },
    async close() {
      stopListening();
      clearTimeout(timer);
      stopping.abort();
      await checking;
      await close();
    },
  };
}
