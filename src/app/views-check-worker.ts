/** Composition root of the thread that compares the embedded views, or one index of a view, with their checksums, once. */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { liveProjections } from '../projections/views.js';
import { parkedView } from '../projector/parked.js';
import { checkpointName, storedIn } from '../projector/storage.js';
import { checkIndex, checkViews } from '../readmodels/sqlite/check.js';
import { damageOf, type Damage } from '../rebuild/damage.js';
import { openSqliteReadModels } from '../readmodels/sqlite/read-models.js';

export type FromViewsCheck =
  | { readonly type: 'damaged'; readonly damage: Damage }
  | { readonly type: 'checked'; readonly documents: number; readonly milliseconds: number }
  | { readonly type: 'failed'; readonly message: string };

const main = parentPort;
if (main === null) throw new Error('views-check-worker runs as a worker thread only');
const index = z.object({ view: z.string(), fields: z.array(z.string()) });
const { file, only } = z.object({ file: z.string(), only: index.optional() }).parse(workerData);
const send = (message: FromViewsCheck): void => main.postMessage(message);
const stop = new AbortController();
main.on('message', () => stop.abort());

async function check(): Promise<number | undefined> {
  const hooks = {
    onDamage: (error: Parameters<typeof damageOf>[0]) => send({ type: 'damaged', damage: damageOf(error) }),
  };
  const models = openSqliteReadModels({ file, ...hooks, readOnly: true });
  const live = await models.checkpoint(checkpointName).finally(() => models.close());
  const views = [...storedIn(liveProjections, live?.storages ?? {}), parkedView];
  const options = { file, signal: stop.signal, ...hooks };
  if (only === undefined) return await checkViews({ ...options, views });
  const view = views.find(({ name }) => name === only.view);
  return view === undefined ? 0 : await checkIndex({ ...options, view, fields: only.fields });
}

const began = performance.now();
try {
  const documents = await check();
  // Otherwise the file turned out to be damaged, which was reported.
  if (documents !== undefined)
    send({ type: 'checked', documents, milliseconds: Math.round(performance.now() - began) });
} catch (error) {
  if (!stop.signal.aborted)
    send({ type: 'failed', message: error instanceof Error ? error.message : 'unexpected failure' });
}
// Without this the port would keep the thread alive.
main.close();
