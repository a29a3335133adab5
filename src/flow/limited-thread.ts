/**
 * A worker thread for jobs whose cost a stranger decides, such as parsing an email from outside. One job runs at a time,
 * within limits of time and memory. A job that exceeds a limit is stopped together with the thread. The next job starts a
 * new thread, as the first job does.
 */
import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../errors.js';
import { within } from './abort.js';
import { createLine, createSlots } from './slots.js';
import { startWorkerThread, type WorkerThread } from './worker-thread.js';

interface LimitedThreadOptions {
  /** The compiled file is `NAME-worker.js`. */
  readonly name: string;
  /** `import.meta.url` of a file in the same folder. */
  readonly beside: string;
  /** Milliseconds for one job, not counting the start of the thread. */
  readonly timeLimitMs: number;
  readonly heapLimitMb: number;
  /** Name of the queue in metrics. */
  readonly queue: string;
  /** The most jobs that wait while one runs. */
  readonly waiting: number;
  /** The most milliseconds that a job waits. */
  readonly patience: number;
  /** Seconds after which a refused caller may try again. */
  readonly retryAfter: number;
  /** Called when the thread died for another reason than a limit. */
  readonly onFault: (error: string) => void;
}

/** The job was stopped because it exceeded its limit. A repeat would exceed it again. */
export class JobLimitError extends Error {
  override readonly name = 'JobLimitError';
  constructor(readonly limit: 'time' | 'memory') {
    super(`a job exceeded its limit of ${limit}`);
  }
}

export interface LimitedThread<Job, Result> {
  /**
   * Resolves with the result of the job.
   * @throws JobLimitError @throws ServiceError `too_many_at_once` if too many jobs wait, `unavailable` if the thread cannot run
   */
  run(job: Job): Promise<Result>;
  /** Stops the thread. A job under way rejects with `unavailable`. Safe to call twice. */
  close(): Promise<void>;
}

type FromThread<Result> = { readonly type: 'ready' } | { readonly type: 'done'; readonly result: Result };

/** Milliseconds. On a quiet machine a thread starts in less than 100. */
const startTimeoutMs = 20_000;

export function createLimitedThread<Job, Result>(options: LimitedThreadOptions): LimitedThread<Job, Result> {
  const { name, beside, timeLimitMs, heapLimitMb, queue, waiting, patience, retryAfter, onFault } = options;
  const slots = createSlots(queue, { running: 1, runningOfKey: 1, line: createLine(waiting), patience, retryAfter });
  const unavailable = (): ServiceError => new ServiceError('unavailable', {}, { retryAfter });
  let thread: WorkerThread<Job | 'stop'> | undefined;
  let isClosed = false;
  /** The job under way, or the start of the thread. */
  let pending: PromiseWithResolvers<FromThread<Result>> | undefined;

  function start(): WorkerThread<Job | 'stop'> {
    const started = startWorkerThread<FromThread<Result>, Job>(
      { name, beside },
      {
        workerData: undefined,
        heapLimitMb,
        onMessage: (message) => pending?.resolve(message),
        onExit(error = 'it ended by itself', isOutOfMemory) {
          if (thread !== started) return;
          thread = undefined;
          if (!isOutOfMemory) onFault(error);
          pending?.reject(isOutOfMemory ? new JobLimitError('memory') : unavailable());
        },
      },
    );
    return started;
  }

  /** Starts the thread. A machine that lacks memory or threads now may have some later, so the error is `unavailable`. */
  function tryToStart(): WorkerThread<Job | 'stop'> {
    try {
      return start();
    } catch (error) {
      onFault(`it did not start: ${error instanceof Error ? error.message : 'unexpected failure'}`);
      throw unavailable();
    }
  }

  async function stop(): Promise<void> {
    const stopped = thread;
    thread = undefined;
    await stopped?.close(0);
  }

  /** Resolves with the next message of the thread. Stops the thread and rejects with `late` if none comes in time. */
  async function answerWithin(milliseconds: number, late: () => Error): Promise<FromThread<Result>> {
    const awaited = Promise.withResolvers<FromThread<Result>>();
    pending = awaited;
    try {
      return await within(milliseconds, awaited.promise, () => {
        throw late();
      });
    } catch (error) {
      await stop();
      throw error;
    } finally {
      pending = undefined;
    }
  }

  async function startedThread(): Promise<WorkerThread<Job | 'stop'>> {
    const started = tryToStart();
    thread = started;
    await answerWithin(startTimeoutMs, unavailable);
    return started;
  }

  async function runAlone(job: Job): Promise<Result> {
    if (isClosed) throw unavailable();
    const running = thread ?? (await startedThread());
    const answered = answerWithin(timeLimitMs, () => new JobLimitError('time'));
    running.send(job);
    const answer = await answered;
    if (answer.type !== 'done') throw unavailable();
    return answer.result;
  }

  return {
    async run(job) {
      const leave = await slots.take();
      try {
        return await runAlone(job);
      } finally {
        leave();
      }
    },
    async close() {
      isClosed = true;
      pending?.reject(unavailable());
      await stop();
    },
  };
}

/** Answers the jobs of a `LimitedThread`, inside its thread. `run` must not throw. */
export function answerJobs<Job, Result>(run: (job: Job) => Promise<Result>): void {
  const main = parentPort;
  if (main === null) throw new Error('answerJobs must be called in a worker thread');
  const send = (message: FromThread<Result>): void => main.postMessage(message);
  main.on('message', (message: Job | 'stop') => {
    if (message === 'stop') main.close();
    else void run(message).then((result) => send({ type: 'done', result }));
  });
  send({ type: 'ready' });
}
