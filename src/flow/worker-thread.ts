/** A thread of a file `NAME-worker.ts`: runs the compiled file, asks it to stop, and ends it by force when that takes too long. */
import { Worker } from 'node:worker_threads';

export interface WorkerThread<To> {
  send(message: To): void;
  /** Sends `stop`, and resolves when the thread has ended: by force after `within` milliseconds. Safe to call twice. */
  close(within: number): Promise<void>;
}

export interface WorkerThreadOptions<From> {
  readonly workerData: unknown;
  readonly onMessage: (message: From) => void;
  /** Called once, with the error that ended the thread, if any. `isOutOfMemory` tells whether the thread reached its memory limit. */
  readonly onExit: (error: string | undefined, isOutOfMemory?: boolean) => void;
  /** The most megabytes of heap, not counting buffers. Default: the limit of Node. */
  readonly heapLimitMb?: number;
}

/** A larger young generation makes a thread no faster. */
const youngGenerationMb = 16;

export function startWorkerThread<From, To>(
  {
    name,
    beside,
  }: { readonly name: string; /** `import.meta.url` of a file in its folder. */ readonly beside: string },
  { workerData, onMessage, onExit, heapLimitMb }: WorkerThreadOptions<From>,
): WorkerThread<To | 'stop'> {
  // Threads run compiled files, also where the tests load the sources.
  const folder = beside.replace(/\/src\/(?=\w+\/[\w-]+\.ts$)/, '/dist/');
  const worker = new Worker(new URL(`${name}-worker.js`, folder), {
    workerData,
    name,
    resourceLimits: {
      maxYoungGenerationSizeMb: youngGenerationMb,
      ...(heapLimitMb === undefined ? {} : { maxOldGenerationSizeMb: heapLimitMb }),
    },
  });
  let died: string | undefined;
  let isOutOfMemory = false;
  worker.on('message', onMessage);
  worker.on('error', (error: Error & { readonly code?: unknown }) => {
    died = `${error.name}: ${error.message}`;
    isOutOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  });
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      onExit(died, isOutOfMemory);
      resolve();
    });
  });
  return {
    send: (message) => worker.postMessage(message),
    async close(within) {
      worker.postMessage('stop');
      const timer = setTimeout(() => void worker.terminate(), within);
      await ended;
      clearTimeout(timer);
    },
  };
}
