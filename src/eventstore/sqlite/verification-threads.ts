/** Looks through stretches of the embedded log side by side, each in a thread of its own. */
import { Worker } from 'node:worker_threads';
import type { FromProver } from './verification-worker.js';
import type { Stretch, StretchProof } from './range.js';

const workerUrl = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../dist/eventstore/sqlite/verification-worker.js'
    : './verification-worker.js',
  import.meta.url,
);

export interface Watch {
  readonly signal: AbortSignal | undefined;
  /** So many more events are as they should be. */
  readonly onCount: (events: number) => void;
}

/** Undefined as soon as one of them has found something. @throws the signal's reason when it aborts. */
export async function inThreads(stretches: readonly Stretch[], watch: Watch): Promise<StretchProof[] | undefined> {
  const { signal, onCount } = watch;
  signal?.throwIfAborted();
  const threads = stretches.map((stretch) => startThread(stretch, onCount));
  const stop = (): void => threads.forEach(({ worker }) => void worker.terminate());
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.all(threads.map(({ proof }) => proof));
  } catch {
    signal?.throwIfAborted();
    return undefined;
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

function startThread(workerData: Stretch, onCount: Watch['onCount']) {
  const worker = new Worker(workerUrl, { workerData, name: 'log-prover' });
  const proof = new Promise<StretchProof>((resolve, reject) => {
    worker.on('message', (message: FromProver) => {
      if (message.type === 'count') onCount(message.events);
      else if (message.proof === undefined) reject(new Error('the stretch is not as it should be'));
      else resolve(message.proof);
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the thread ended')));
  });
  return { worker, proof };
}
