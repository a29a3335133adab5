/** Composition root of a rebuild's thread: opens both stores, holds the lease, rebuilds once, and ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { liveProjections } from '../projections/views.js';
import { createLease, leaseMs } from '../projector/lease.js';
import type { SwitchAnswer, NewStorages } from './switch.js';
import { runRebuild } from './rebuild.js';
import type { RebuildProgress, RebuildResult } from './answers.js';
import { damageOf, type Damage } from './damage.js';
import { openRebuildStores, storeSettings } from '../stores/stores.js';

export type FromRebuild =
  | { readonly type: 'progress'; readonly progress: RebuildProgress }
  | { readonly type: 'switch'; readonly built: NewStorages }
  | { readonly type: 'damaged'; readonly damage: Damage }
  | { readonly type: 'end'; readonly end: RebuildResult | string };
export type ToRebuild = SwitchAnswer | 'stop';

const runSchema = z.object({
  views: z.array(z.string()),
  dryRun: z.boolean(),
  acceptDifferences: z.boolean(),
  park: z.boolean(),
});

const main = parentPort;
if (main === null) throw new Error('rebuild-worker runs as a worker thread only');
const { settings, holder, run } = z
  .object({ settings: storeSettings, holder: z.string(), run: runSchema })
  .parse(workerData);

const send = (message: FromRebuild): void => main.postMessage(message);
const stop = new AbortController();
let answered = (_: SwitchAnswer): void => undefined;
main.on('message', (message: ToRebuild) => {
  if (message === 'stop') stop.abort();
  else answered(message);
});

/** Progress is sent at most this often, in milliseconds. */
const progressMs = 100;
let sent = { at: -Infinity, stage: '' };
const now = (): number => performance.now();
const stores = await openRebuildStores(settings, {
  onDamage: (error) => send({ type: 'damaged', damage: damageOf(error) }),
});
const lease = createLease({ readModels: stores.readModels, name: 'rebuild', holder, ttl: leaseMs, now, resumes: true });

async function rebuild(): Promise<RebuildResult | string> {
  try {
    const epoch = await lease.hold(stop.signal);
    if (epoch === null) return 'it was stopped';
    return await runRebuild({
      ...stores,
      run,
      projections: liveProjections,
      epoch,
      check: () => lease.check(),
      signal: stop.signal,
      now,
      pause: () => sleep(5),
      requestSwitch: (built) =>
        new Promise((resolve) => {
          answered = resolve;
          send({ type: 'switch', built });
        }),
      onProgress(progress) {
        if (progress.stage === sent.stage && now() - sent.at < progressMs) return;
        sent = { at: now(), stage: progress.stage };
        send({ type: 'progress', progress });
      },
    });
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected failure';
  }
}

send({ type: 'end', end: await rebuild() });
await lease.close();
await stores.close();
// Without this the port would keep the thread alive.
main.close();
