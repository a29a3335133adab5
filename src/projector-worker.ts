/** Composition root of the projector's thread on embedded stores: opens both files, folds, and tells the main thread how far it has come. */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { openSqliteEventReader } from './eventstore/sqlite-reader.js';
import { createPace } from './projections/pace.js';
import { runProjector, type ProjectorFault, type ProjectorStatus } from './projections/projector.js';
import { liveProjections } from './projections/views.js';
import { openSqliteReadModels } from './readmodels/sqlite.js';

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
const { eventsFile, viewsFile } = z.object({ eventsFile: z.string(), viewsFile: z.string() }).parse(workerData);

const reader = openSqliteEventReader({ file: eventsFile });
const readModels = openSqliteReadModels({ file: viewsFile });
const stop = new AbortController();
const tell = (message: FromProjector): void => main.postMessage(message);

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
  onFault: (fault) => tell({ type: 'fault', fault }),
  onProgress: ({ parked, ...status }) => {
    tell({ type: 'progress', status, ...(parked === told ? {} : { parked }) });
    told = parked;
  },
});
await reader.close();
await readModels.close();
// Without this the port would keep the thread alive.
main.close();
