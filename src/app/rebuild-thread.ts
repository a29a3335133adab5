/** Runs a rebuild in a thread of its own, off the HTTP thread and apart from the projector's. */
import { Worker } from 'node:worker_threads';
import type { SwitchAnswer } from '../projector/jobs.js';
import type { NewStorages } from '../projector/new-storages.js';
import type { RebuildProgress, RebuildResult, RebuildRun } from '../rebuild/progress.js';
import type { StoreSettings } from '../stores/stores.js';
import type { FromRebuild, ToRebuild } from './rebuild-worker.js';

export interface RebuildThreadOptions {
  readonly settings: StoreSettings;
  /** Names this start among the processes that share the views. */
  readonly holder: string;
  readonly run: RebuildRun;
  readonly onProgress: (progress: RebuildProgress) => void;
  /** Asks the projector of this process. */
  readonly switchTo: (built: NewStorages) => Promise<SwitchAnswer>;
  /** Once, when the thread has ended: with a result, or the reason why there is none. */
  readonly onEnd: (end: RebuildResult | string) => void;
}

export interface RebuildThread {
  /** What has been built is continued next time. Safe to call twice. */
  close(): Promise<void>;
}

const url = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/app/rebuild-worker.js' : './rebuild-worker.js',
  import.meta.url,
);
const closeWithinMs = 5_000;

export function startRebuildThread(options: RebuildThreadOptions): RebuildThread {
  const { settings, holder, run, onProgress, switchTo, onEnd } = options;
  const worker = new Worker(url, { workerData: { settings, holder, run }, name: 'rebuild' });
  let end: RebuildResult | string = 'its thread ended by itself';
  const send = (message: ToRebuild): void => worker.postMessage(message);

  worker.on('message', (message: FromRebuild) => {
    if (message.type === 'progress') onProgress(message.progress);
    else if (message.type === 'switch') void switchTo(message.built).then(send);
    else end = message.end;
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

  return {
    async close() {
      send('stop');
      const timer = setTimeout(() => void worker.terminate(), closeWithinMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
