/** Rebuilds views without a running service: folds and rebuilds in this process, under the lock or the leases that a service would hold. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DirectRebuild } from '../cli/command-line.js';
import { CommandFailedError } from '../transfer/failures.js';
import { logStart, type EventReader, type Position } from '../eventstore/event-store.js';
import { openSqliteEventStore } from '../eventstore/sqlite/event-store.js';
import { fillViews } from '../rebuild/bulk-build.js';
import { createLease, type Lease } from '../projector/lease.js';
import { createOrderLine } from '../rebuild/projector-client.js';
import { createOrders, type OrderAnswer, type Orders } from '../rebuild/projector-commands.js';
import { runProjector } from '../projector/projector.js';
import type { ProjectorStatus } from '../projector/status.js';
import type { RebuildResult } from '../rebuild/messages.js';
import { RebuildInterruptedError, runRebuild, type Command } from '../rebuild/rebuild.js';
import { liveProjections } from '../projections/views.js';
import { openRebuildStores, type RebuildStores } from '../stores/rebuild-stores.js';
import { isShared, type StoreSettings } from '../stores/stores.js';

export interface DirectRebuildInput extends DirectRebuild {
  readonly settings: StoreSettings;
  readonly signal: AbortSignal;
}

const leaseMs = 4_000;
/** After this a lease that somebody has let go by dying has run out. */
const patienceMs = 2 * leaseMs;
const pauseMs = 5;
const now = (): number => performance.now();

/** @throws WriterLockedError, CommandFailedError, StoreUnavailableError, ReadModelsUnavailableError; the signal's reason */
export async function rebuildDirectly(input: DirectRebuildInput): Promise<RebuildResult> {
  const { settings, isPreparation } = input;
  // Held, so that no service starts meanwhile.
  const lock =
    settings.events.kind === 'embedded' && !isPreparation
      ? await openSqliteEventStore({ file: settings.events.file, clock: Date.now })
      : undefined;
  try {
    const stores = await openRebuildStores(settings);
    try {
      if (isPreparation) return await underLease({ ...input, ...stores, runId: randomUUID(), command: refuse });
      return await withProjector({ ...input, ...stores });
    } finally {
      await stores.close();
    }
  } finally {
    await lock?.close();
  }
}

type Opened = DirectRebuildInput & Omit<RebuildStores, 'close'>;

const refuse: Command = () => Promise.reject(new Error('a preparation gives no orders'));

const leaseOf = ({ readModels }: Opened, name: string): Lease =>
  createLease({ readModels, name, holder: randomUUID(), ttl: leaseMs, now });

type Commanded = Opened & { readonly runId: string; readonly command: Command };

async function underLease(input: Commanded): Promise<RebuildResult> {
  const { reader, readModels, bounds, runId, views, dryRun, isPreparation, signal, onProgress, command } = input;
  const lease = leaseOf(input, 'rebuild');
  try {
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const epoch = await lease.hold(waiting);
    signal.throwIfAborted();
    if (epoch === null) throw new CommandFailedError('Another rebuild is running.', { type: 'in_use' });
    return await runRebuild({
      run: { id: runId, views, dryRun, isStart: false, isPreparation },
      reader,
      readModels,
      projections: liveProjections,
      command,
      epoch,
      check: () => lease.check(),
      signal,
      onProgress,
      now,
      pause: () => sleep(pauseMs),
      ...(bounds === undefined ? {} : { bounds }),
    });
  } catch (error) {
    throw inWords(error);
  } finally {
    await lease.close();
  }
}

async function withProjector(input: Opened): Promise<RebuildResult> {
  const { settings, reader } = input;
  const orders = createOrders();
  const runId = randomUUID();
  const line = createOrderLine(runId, orders.give);
  const stop = new AbortController();
  const signal = AbortSignal.any([input.signal, line.signal]);
  const lease = isShared(settings) ? leaseOf(input, 'projector') : undefined;
  const folding = startFolding({ ...input, lease, orders, onAnswer: line.answer, stop: stop.signal });
  try {
    await folding.reaches(await demandEvents(reader), signal);
    return await underLease({ ...input, signal, runId, command: line.command });
  } finally {
    stop.abort();
    await folding.done;
    await lease?.close();
  }
}

/** The head. */
async function demandEvents(reader: Pick<EventReader, 'head'>): Promise<Position> {
  const head = await reader.head();
  if (head !== logStart) return head;
  throw new CommandFailedError('The log holds no events: there is nothing to rebuild.', { type: 'empty' });
}

/** What a rebuild came to an end of without a fault of its own, in the operator's words. */
function inWords(error: unknown): unknown {
  if (!(error instanceof RebuildInterruptedError)) return error;
  return new CommandFailedError(
    `The rebuild was interrupted: ${error.message}. Nothing was switched; the same command goes on where this one was.`,
    { type: 'interrupted', cause: error },
  );
}

interface Folding {
  readonly done: Promise<void>;
  /** @throws CommandFailedError, and what keeps the projector from folding */
  reaches(position: string, signal: AbortSignal): Promise<void>;
}

type FoldingInput = Opened & {
  readonly lease: Lease | undefined;
  readonly orders: Orders;
  readonly onAnswer: (answer: OrderAnswer) => void;
  readonly stop: AbortSignal;
};

function startFolding({ reader, readModels, lease, orders, onAnswer, stop }: FoldingInput): Folding {
  let status: ProjectorStatus | undefined;
  const done = runProjector({
    reader,
    readModels,
    projections: liveProjections,
    signal: stop,
    random: Math.random,
    onFault: () => undefined,
    onProgress(next) {
      status = next;
    },
    foreignViews: 'refuse',
    ...(lease === undefined ? {} : { lease }),
    // Nobody reads them here; what is left is dropped by the next start.
    rebuilds: { orders, fill: fillViews, retireAfter: 2_147_483_647, onAnswer },
  });
  return {
    done,
    async reaches(position, signal) {
      const begun = now();
      while (status?.live == null || status.position < position) {
        signal.throwIfAborted();
        if (status?.standby === true && now() - begun > patienceMs)
          throw new CommandFailedError('A service folds these views: name it with --url.', { type: 'in_use' });
        if (typeof status?.fault === 'string')
          throw new CommandFailedError(`The live views cannot be folded, so there is no rebuild: ${status.fault}.`);
        await sleep(pauseMs);
      }
    },
  };
}
