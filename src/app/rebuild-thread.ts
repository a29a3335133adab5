/** Runs a rebuild in a thread of its own, off the HTTP thread and apart from the projector's. */
import { Worker } from 'node:worker_threads';
import type { OrderAnswer } from '../rebuild/projector-commands.js';
import type { RebuildProgress, RebuildResult, RebuildRun } from '../rebuild/messages.js';
import type { Given } from '../rebuild/rebuild.js';
import type { FromRebuild, ToRebuild } from './rebuild-worker.js';
import type { StoreSettings } from '../stores/stores.js';

export interface RebuildThreadOptions {
  readonly settings: StoreSettings;
  /** Names this start among the processes that share the views. */
  readonly holder: string;
  readonly run: RebuildRun;
  readonly onProgress: (progress: RebuildProgress) => void;
  /** For the projector. */
  readonly onOrder: (order: Given) => void;
  /** Once, when the thread has ended: with a result, or the reason why there is none. */
  readonly onEnd: (end: RebuildResult | string) => void;
}

export interface RebuildThread {
  /** Of the projector. */
  answer(answer: OrderAnswer): void;
  /** What has been filled is taken up next time. Safe to call twice. */
  close(): Promise<void>;
}

const url = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/app/rebuild-worker.js' : './rebuild-worker.js',
  import.meta.url,
);
const closeWithinMs = 5_000;

export function startRebuildThread(options: RebuildThreadOptions): RebuildThread {
  const { settings, holder, run, onProgress, onOrder, onEnd } = options;
  const worker = new Worker(url, { workerData: { settings, holder, run }, name: 'rebuild' });
  let end: RebuildResult | string = 'its thread ended by itself';

  worker.on('message', (message: FromRebuild) => {
    switch (message.type) {
      case 'progress':
        return onProgress(message.progress);
      case 'order':
        return onOrder(message.order);
      case 'result':
        end = message.result;
        return undefined;
      case 'failed':
        end = message.reason;
        return undefined;
      default:
        return message satisfies never;
    }
  });
  worker.on('error', (error) => {
    end = `its thread died: ${error.name}: ${error.message}`;
  });
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      onEnd(end);
      resolve();
    });
  });
  const send = (message: ToRebuild): void => worker.postMessage(message);

  return {
    answer: send,
    async close() {
      send('stop');
      const timer = setTimeout(() => void worker.terminate(), closeWithinMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
