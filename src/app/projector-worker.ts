/** Composition root of the projector's thread: opens both stores, folds, and tells the main thread how far it has come. */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { Frontier } from '../eventstore/tree.js';
import { followBlocks } from '../integrity/server-blocks.js';
import { liveProjections, personalProjections } from '../projections/views.js';
import { createBatchDelay } from '../projector/batch-delay.js';
import { createSwitches, type SwitchAnswer, type NewStorages } from '../rebuild/switch.js';
import { createLease, leaseMs, type Lease } from '../projector/lease.js';
import { runProjector } from '../projector/projector.js';
import type { ProjectorFault, ProjectorStatus } from '../projector/status.js';
import { checkpointName, storedIn, type Storages } from '../projector/storage.js';
import { damageOf, type Damage } from '../rebuild/damage.js';
import { ReadModelsUnavailableError } from '../readmodels/read-models.js';
import { longBusyTimeoutMs, storesOf, storeSettings } from '../stores/stores.js';

/** Sent only when it has changed: most reports are about the position alone. */
type SeldomChanged = Pick<ProjectorStatus, 'parked' | 'live' | 'missing'>;
export type FromProjector =
  | {
      readonly type: 'progress';
      readonly status: Omit<ProjectorStatus, keyof SeldomChanged>;
      readonly seldom?: SeldomChanged;
    }
  | { readonly type: 'switched'; readonly answer: SwitchAnswer }
  /** `fault`: why not. */
  | { readonly type: 'scrubbed'; readonly fault?: string }
  /** How far this process has followed the log; undefined if another process does. */
  | { readonly type: 'reached'; readonly frontier: Frontier | undefined }
  | { readonly type: 'damaged'; readonly damage: Damage }
  | { readonly type: 'fault'; readonly fault: ProjectorFault };
/** A message to the projector. `discard` names damaged storages. */
export type ToProjector = 'notify' | 'flush' | 'scrub' | 'stop' | NewStorages | { readonly discard: Storages };

const main = parentPort;
if (main === null) throw new Error('projector-worker runs as a worker thread only');
const { settings, isShared, holder } = z
  .object({ settings: storeSettings, isShared: z.boolean(), holder: z.string() })
  .parse(workerData);

const stores = storesOf(settings);
const send = (message: FromProjector): void => main.postMessage(message);
const reader = await stores.openEventReader({
  onFault: ({ message }) => send({ type: 'fault', fault: { kind: 'unavailable', message } }),
});
// A rebuild that makes indexes in the same file takes seconds.
const readModels = await stores.openReadModels({
  busyTimeout: longBusyTimeoutMs,
  onDamage: (error) => send({ type: 'damaged', damage: damageOf(error) }),
});
const stop = new AbortController();
const now = (): number => performance.now();
const leaseOf = (name: string): Lease => createLease({ readModels, name, holder, ttl: leaseMs, now });
const lease = isShared ? leaseOf('projector') : undefined;

let viewsAreBuilt = (): void => undefined;
const startAfter = new Promise<void>((resolve) => (viewsAreBuilt = resolve));

/** Follows a log on a server. The embedded log stores its blocks itself. */
async function followLogOnServer(): Promise<void> {
  const blocksLease = leaseOf('blocks');
  await followBlocks({
    reader,
    readModels,
    lease: blocksLease,
    signal: stop.signal,
    startAfter,
    onProgress: (frontier) => send({ type: 'reached', frontier }),
    onFault(error) {
      const kind = error instanceof AlteredLogError ? 'log_altered' : 'unavailable';
      send({ type: 'fault', fault: { kind, message: `the tree of the log does not grow: ${error.message}` } });
    },
  });
  await blocksLease.close();
}
const blocks = lease === undefined ? undefined : followLogOnServer();

async function scrub(): Promise<void> {
  const live = await readModels.checkpoint(checkpointName);
  const views = storedIn(personalProjections, live?.storages ?? {});
  if (views.length < personalProjections.length) throw new ReadModelsUnavailableError('a view is being built');
  await readModels.scrub(views);
}

const batchDelay = createBatchDelay(now);
const switches = createSwitches();
main.on('message', (message: ToProjector) => {
  if (typeof message === 'object' && 'discard' in message) switches.discard(message.discard);
  else if (typeof message === 'object')
    void switches.requestSwitch(message).then((answer) => send({ type: 'switched', answer }));
  else if (message === 'stop') stop.abort();
  else if (message === 'scrub')
    scrub().then(
      () => send({ type: 'scrubbed' }),
      (error: unknown) => send({ type: 'scrubbed', fault: String(error) }),
    );
  else reader.wake();
  if (message !== 'notify') batchDelay.flush();
});

let sent: SeldomChanged | undefined;
await runProjector({
  reader,
  readModels,
  projections: liveProjections,
  signal: stop.signal,
  batchDelay,
  random: Math.random,
  ...(lease === undefined ? {} : { lease, foreignViews: 'refuse' }),
  onFault: (fault) => send({ type: 'fault', fault }),
  switches,
  onProgress({ parked, live, missing, ...status }) {
    // The views are built then, although they may be far behind.
    if (live !== null && Object.keys(live).length > 0) viewsAreBuilt();
    const isSent = parked === sent?.parked && live === sent.live && missing === sent.missing;
    if (!isSent) sent = { parked, live, missing };
    send({ type: 'progress', status, ...(isSent ? {} : { seldom: { parked, live, missing } }) });
  },
});
await lease?.close();
await blocks;
await reader.close();
await readModels.close();
// Without this the port would keep the thread alive.
main.close();
