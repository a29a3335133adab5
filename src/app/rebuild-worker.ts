/** Composition root of a rebuild's thread: opens both stores, holds the lease, rebuilds once, and ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { createLease } from '../projector/lease.js';
import { createOrderLine } from '../rebuild/projector-client.js';
import type { OrderAnswer } from '../rebuild/projector-commands.js';
import type { RebuildProgress, RebuildResult } from '../rebuild/messages.js';
import { runRebuild, type Given } from '../rebuild/rebuild.js';
import { liveProjections } from '../projections/views.js';
import { openRebuildStores } from '../stores/rebuild-stores.js';
import { storeSettings } from '../stores/stores.js';

/** What the main thread hears. After `result` or `failed` the thread ends. */
export type FromRebuild =
  | { readonly type: 'progress'; readonly progress: RebuildProgress }
  | { readonly type: 'order'; readonly order: Given }
  | { readonly type: 'result'; readonly result: RebuildResult }
  | { readonly type: 'failed'; readonly reason: string };
/** What it says. */
export type ToRebuild = OrderAnswer | 'stop';

const runSchema = z.object({
  id: z.string(),
  views: z.array(z.string()),
  dryRun: z.boolean(),
  isStart: z.boolean(),
});

const main = parentPort;
if (main === null) throw new Error('rebuild-worker runs as a worker thread only');
const { settings, holder, run } = z
  .object({ settings: storeSettings, holder: z.string(), run: runSchema })
  .parse(workerData);

const tell = (message: FromRebuild): void => main.postMessage(message);
const stop = new AbortController();
const line = createOrderLine(run.id, (order) => tell({ type: 'order', order }));
main.on('message', (message: ToRebuild) => {
  if (message === 'stop') stop.abort();
  else line.answer(message);
});

const stores = await openRebuildStores(settings);
const { readModels } = stores;
/** Short, so that who goes on after a crash does not wait long. */
const leaseMs = 4_000;
const lease = createLease({ readModels, name: 'rebuild', holder, ttl: leaseMs, now: () => performance.now() });
/** Progress is told at most so often, in milliseconds. */
const progressMs = 100;
/** A pair of documents that are fed by the same commits is read again after so long, in milliseconds. */
const pauseMs = 5;
let told = { at: -Infinity, stage: '' };

try {
  const epoch = await lease.hold(stop.signal);
  const result =
    epoch === null
      ? undefined
      : await runRebuild({
          run,
          ...stores,
          projections: liveProjections,
          command: line.command,
          epoch,
          check: () => lease.check(),
          signal: AbortSignal.any([stop.signal, line.signal]),
          now: () => performance.now(),
          pause: () => sleep(pauseMs),
          onProgress(progress) {
            const at = performance.now();
            if (progress.stage === told.stage && at - told.at < progressMs) return;
            told = { at, stage: progress.stage };
            tell({ type: 'progress', progress });
          },
        });
  tell(result === undefined ? { type: 'failed', reason: 'it was stopped' } : { type: 'result', result });
} catch (error) {
  tell({ type: 'failed', reason: error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected failure' });
}
await lease.close();
await stores.close();
// Without this the port would keep the thread alive.
main.close();
