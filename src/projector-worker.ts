/** Composition root of the projector's thread: opens both stores, folds, and tells the main thread how far it has come. */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { createLease } from './projections/lease.js';
import { createPace } from './projections/pace.js';
import { runProjector, type ProjectorFault, type ProjectorStatus } from './projections/projector.js';
import { liveProjections } from './projections/views.js';
import { isShared, openEventReader, openReadModels, storeSettings } from './stores.js';

/** What the main thread hears. The parked streams are sent only when they have changed. */
export type FromProjector =
  | {
      readonly type: 'progress';
      readonly status: Omit<ProjectorStatus, 'parked'>;
      readonly parked?: ProjectorStatus['parked'];
    }
  | { readonly type: 'fault'; readonly fault: ProjectorFault };
/** What it says. */
export type ToProjector = 'ring' | 'hurry' | 'stop';

const main = parentPort;
if (main === null) throw new Error('projector-worker runs as a worker thread only');
const { settings, holder } = z.object({ settings: storeSettings, holder: z.string() }).parse(workerData);

const tell = (message: FromProjector): void => main.postMessage(message);
const reader = await openEventReader(settings.events, {
  onFault: ({ message }) => tell({ type: 'fault', fault: { kind: 'unavailable', message } }),
});
const readModels = await openReadModels(settings.views);
const stop = new AbortController();
/** Short, so that who takes over, or starts again after a crash, does not wait long. */
const leaseMs = 4_000;
const lease = isShared(settings)
  ? createLease({ readModels, name: 'projector', holder, ttl: leaseMs, now: () => performance.now() })
  : undefined;

const pace = createPace();
main.on('message', (message: ToProjector) => {
  if (message === 'stop') stop.abort();
  else reader.wake();
  if (message !== 'ring') pace.hurry();
});

let told: ProjectorStatus['parked'] | undefined;
await runProjector({
  reader,
  readModels,
  projections: liveProjections,
  signal: stop.signal,
  pace: pace.next,
  random: Math.random,
  ...(lease === undefined ? {} : { lease, foreignViews: 'refuse' }),
  onFault: (fault) => tell({ type: 'fault', fault }),
  onProgress: ({ parked, ...status }) => {
    tell({ type: 'progress', status, ...(parked === told ? {} : { parked }) });
    told = parked;
  },
});
await lease?.close();
await reader.close();
await readModels.close();
// Without this the port would keep the thread alive.
main.close();
