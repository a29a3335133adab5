/** Checks the embedded views in a thread of its own: after the start, and once a week. */
import type { Logger } from 'pino';
import { startWorkerThread, type WorkerThread } from '../flow/worker-thread.js';
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

  function startLater(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(start, everyMs).unref();
  }

  /** Ends the running check. The next check begins in a week, or when it is started. */
  async function stop(): Promise<void> {
    startLater();
    await thread?.close(closeWithinMs);
  }

  return {
    start,
    stop,
    /** When a check was last completed, in milliseconds since 1970; undefined before the first one. */
    checkedAt: (): number | undefined => checkedAt,
    async close(): Promise<void> {
      isClosed = true;
      await stop();
    },
  };
}
