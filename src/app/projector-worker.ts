/** Composition root of the projector's thread: opens both stores, folds, and tells the main thread how far it has come. */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { fillViews } from '../rebuild/bulk-build.js';
import type { ChainHead } from '../eventstore/chain.js';
import { keepEvidence, observed } from '../evidence/link-follower.js';
import { createLease, type Lease } from '../projector/lease.js';
import { createOrders, type Order, type OrderAnswer } from '../rebuild/projector-commands.js';
import { createPace } from '../projector/batch-delay.js';
import type { ProjectorFault, ProjectorStatus } from '../projector/status.js';
import { runProjector } from '../projector/projector.js';
import { liveProjections } from '../projections/views.js';
import { stepBack } from './lower-thread-priority.js';
import { isShared, openEventReader, openReadModels, patientMs, storeSettings } from '../stores/stores.js';

/** What seldom changes is sent only then. */
type Seldom = Pick<ProjectorStatus, 'parked' | 'live' | 'missing'>;
/** What the main thread hears. */
export type FromProjector =
  | { readonly type: 'progress'; readonly status: Omit<ProjectorStatus, keyof Seldom>; readonly seldom?: Seldom }
  | { readonly type: 'answer'; readonly answer: OrderAnswer }
  | { readonly type: 'evidence'; readonly head: ChainHead }
  | { readonly type: 'fault'; readonly fault: ProjectorFault };
/** What it says. */
export type ToProjector = 'notify' | 'hurry' | 'stop' | Order;

const main = parentPort;
if (main === null) throw new Error('projector-worker runs as a worker thread only');
stepBack();
const { settings, holder } = z.object({ settings: storeSettings, holder: z.string() }).parse(workerData);

const tell = (message: FromProjector): void => main.postMessage(message);
const reader = await openEventReader(settings.events, {
  onFault: ({ message }) => tell({ type: 'fault', fault: { kind: 'unavailable', message } }),
});
// A commit that failed because a rebuild makes indexes would end its feed.
const readModels = await openReadModels(settings.views, { patience: patientMs });
const stop = new AbortController();
/** Short, so that who takes over, or starts again after a crash, does not wait long. */
const leaseMs = 4_000;
const now = (): number => performance.now();
const leaseOf = (name: string): Lease => createLease({ readModels, name, holder, ttl: leaseMs, now });
const lease = isShared(settings) ? leaseOf('projector') : undefined;

let viewsAreFilled = (): void => undefined;
const startAfter = new Promise<void>((resolve) => (viewsAreFilled = resolve));

/** The embedded log keeps its chain itself. */
function evidenceOfServer() {
  if (settings.events.kind === 'embedded') return undefined;
  const evidenceLease = leaseOf('evidence');
  const keeper = keepEvidence({
    reader,
    readModels,
    lease: evidenceLease,
    signal: stop.signal,
    startAfter,
    now,
    onProgress: (head) => tell({ type: 'evidence', head }),
    onFault: (message) => tell({ type: 'fault', fault: { kind: 'unavailable', message } }),
  });
  return { offer: keeper.offer, ended: keeper.ended.then(() => evidenceLease.close()) };
}
const evidence = evidenceOfServer();

const pace = createPace(now);
const orders = createOrders();
/** The others ask for the checkpoint five times a second; one that has hung must have given up by then. */
const retireMs = 10_000;
main.on('message', (message: ToProjector) => {
  if (typeof message === 'object') orders.give(message);
  else if (message === 'stop') stop.abort();
  else reader.wake();
  if (message !== 'notify') pace.hurry();
});

let told: Seldom | undefined;
const seldomOf = ({ parked, live, missing }: ProjectorStatus): Seldom => ({ parked, live, missing });
const isTold = ({ parked, live, missing }: Seldom): boolean =>
  parked === told?.parked && live === told.live && missing === told.missing;
await runProjector({
  reader: evidence === undefined ? reader : observed(reader, evidence.offer),
  readModels,
  projections: liveProjections,
  signal: stop.signal,
  pace,
  random: Math.random,
  ...(lease === undefined ? {} : { lease, foreignViews: 'refuse' }),
  onFault: (fault) => tell({ type: 'fault', fault }),
  rebuilds: {
    orders,
    fill: fillViews,
    retireAfter: retireMs,
    onAnswer: (answer) => tell({ type: 'answer', answer }),
  },
  onProgress(whole) {
    const { parked: _, live: __, missing: ___, ...status } = whole;
    // Known once they are filled, however far behind they are by then.
    if (whole.live !== null) viewsAreFilled();
    const seldom = seldomOf(whole);
    tell({ type: 'progress', status, ...(isTold(seldom) ? {} : { seldom }) });
    told = seldom;
  },
});
await lease?.close();
await evidence?.ended;
await reader.close();
await readModels.close();
// Without this the port would keep the thread alive.
main.close();
