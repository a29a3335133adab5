/** Checks the embedded views in a thread of its own: after the start, once a week, and one index when an answer depends on it. */
import type { Logger } from 'pino';
import { startWorkerThread, type WorkerThread } from '../flow/worker-thread.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';
import type { Damage } from '../rebuild/damage.js';
import type { FromViewsCheck } from './views-check-worker.js';

interface ViewsCheckOptions {
  readonly file: string;
  readonly onDamage: (damage: Damage) => void;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly clock: () => number;
}

/** Milliseconds from the end of one check to the next one. */
const everyMs = 7 * 24 * 60 * 60 * 1_000;
const closeWithinMs = 1_000;

export function createViewsCheck({ file, onDamage, logger, clock }: ViewsCheckOptions) {
  let thread: WorkerThread<'stop'> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let checkedAt: number | undefined;
  let isClosed = false;

  function hear(message: FromViewsCheck): void {
    switch (message.type) {
      case 'damaged':
        return onDamage(message.damage);
      case 'checked': {
        const { documents, milliseconds } = message;
        checkedAt = clock();
        return logger.info({ documents, milliseconds }, 'the views were checked');
      }
      case 'failed':
        return logger.error({ reason: message.message }, 'the views could not be checked');
      default:
        message satisfies never;
    }
  }

  function startLater(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(start, everyMs).unref();
  }

  function start(): void {
    if (isClosed || thread !== undefined) return;
    clearTimeout(timer);
    thread = startWorkerThread<FromViewsCheck, never>(
      { name: 'views-check', beside: import.meta.url },
      {
        workerData: { file },
        onMessage: hear,
        onExit(error) {
          thread = undefined;
          if (error !== undefined) hear({ type: 'failed', message: error });
          startLater();
        },
      },
    );
  }

  const indexThreads = new Set<WorkerThread<'stop'>>();

  /**
   * Compares the documents of a view with one of its indexes. Damage is reported before it resolves.
   * @throws ReadModelsUnavailableError if the check could not be completed
   */
  async function checkIndex(view: string, fields: readonly string[]): Promise<void> {
    if (isClosed) throw new ReadModelsUnavailableError('the service stops');
    let failure: string | undefined = 'the check of an index was stopped';
    await new Promise<void>((resolve) => {
      const started = startWorkerThread<FromViewsCheck, never>(
        { name: 'views-check', beside: import.meta.url },
        {
          workerData: { file, only: { view, fields } },
          onMessage(message) {
            if (message.type === 'damaged') return onDamage(message.damage);
            failure = message.type === 'failed' ? message.message : undefined;
          },
          onExit(error) {
            indexThreads.delete(started);
            failure = error ?? failure;
            resolve();
          },
        },
      );
      indexThreads.add(started);
    });
    if (failure !== undefined) throw new ReadModelsUnavailableError(failure);
  }

  /** Ends the running checks. The next check of all views begins in a week, or when it is started. */
  async function stop(): Promise<void> {
    startLater();
    const running = thread === undefined ? [...indexThreads] : [thread, ...indexThreads];
    await Promise.all(running.map(async (one) => one.close(closeWithinMs)));
  }

  return {
    start,
    stop,
    checkIndex,
    /** When a check was last completed, in milliseconds since 1970; undefined before the first one. */
    checkedAt: (): number | undefined => checkedAt,
    async close(): Promise<void> {
      isClosed = true;
      await stop();
    },
  };
}
