/** Folds what comes, batch by batch, each committed together with its checkpoint. */
import { demandLogId } from '../eventstore/log-id.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import { pause } from '../flow/abort.js';
import { backOff } from '../flow/backoff.js';
import type { Checkpoint, DocumentWrite, ReadModels } from '../readmodels/read-models.js';
import type { Projection } from '../projections/projection.js';
import type { BatchDelay } from './batch-delay.js';
import { batches, type Batch } from './batches.js';
import { foldBatch, handlersOf, PoisonEventError, type BatchFold } from './fold.js';
import type { Lease } from './lease.js';
import { overTombstones, readParked, withParked, type ParkedStream } from './parked.js';
import { countUnknown, type ProjectorFault, type StatusReporter } from './status.js';
import {
  checkpointName,
  commitUnderLease,
  storagesOf,
  storedIn,
  type WaitingSwitches,
  type ViewsWriter,
} from './storage.js';

export interface FollowOptions {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly projections: readonly Projection[];
  readonly onFault: (fault: ProjectorFault) => void;
  readonly signal: AbortSignal;
  /** Default: never waits. */
  readonly batchDelay?: Pick<BatchDelay, 'begin' | 'wait'>;
  /** Held while folding, where other processes may fold into the same views. */
  readonly lease?: Lease;
}

/** What stays the same while the projector folds: from taking over until the subscription ends or something fails. */
export interface FollowSession {
  readonly options: FollowOptions;
  readonly writer: ViewsWriter;
  readonly switches: WaitingSwitches;
  readonly reporter: StatusReporter;
  readonly onCommit: () => void;
}

/** Between two batches. */
export interface Folding {
  readonly checkpoint: Checkpoint | null;
  readonly parked: ReadonlyMap<string, ParkedStream>;
  readonly handlers: ReadonlyMap<string, readonly Projection[]>;
}

/** How often a batch with a poison event is folded before the event's stream is parked. */
const poisonAttempts = 3;
const poisonPauses = { first: 20, most: 1_000 };

export async function foldingFrom(
  { readModels, projections }: FollowOptions,
  checkpoint: Checkpoint | null,
): Promise<Folding> {
  const live = checkpoint?.storages ?? storagesOf(projections);
  return { checkpoint, parked: await readParked(readModels), handlers: handlersOf(storedIn(projections, live)) };
}

/** One subscription, until it ends, something fails, the lease is lost or a switch is asked for. */
export async function follow(session: FollowSession, from: Folding): Promise<Folding> {
  const { options, switches, writer } = session;
  const { reader, signal, lease, batchDelay } = options;
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  lease?.onLost(interrupt);
  switches.onAdded(interrupt);
  if (switches.isWaiting()) interrupt();
  const ended = AbortSignal.any([signal, interruption.signal]);
  let folding = from;
  for await (const batch of batches(reader, { after: from.checkpoint?.position ?? '', signal: ended })) {
    batchDelay?.begin();
    folding = await foldAndCommit(session, folding, batch);
    if (signal.aborted) return folding;
    await batchDelay?.wait(batch.events.length);
  }
  // If the loss of the lease ended the subscription, no commit has noticed it yet.
  if (!signal.aborted) writer.check();
  return folding;
}

export async function foldAndCommit(
  session: FollowSession,
  folding: Folding,
  { events, caughtUp }: Batch,
): Promise<Folding> {
  const { options, reporter } = session;
  const last = events.at(-1);
  const before = reporter.status();
  const rebuilding = before.rebuilding && !(caughtUp && before.missing.length === 0);
  if (last === undefined) {
    if (before.caughtUp !== caughtUp || before.rebuilding !== rebuilding) reporter.report({ caughtUp, rebuilding });
    return folding;
  }
  const fold = await foldWithRetry(options, folding, events);
  const writes = await overTombstones(options.readModels, fold.writes);
  const checkpoint = await commit(session, folding.checkpoint, { last, writes });
  const parked = withParked(folding.parked, fold.parked);
  for (const stream of fold.parked) tellParked(options, stream);
  reporter.report({
    position: last.position,
    ...(fold.parked.length > 0 ? { parked: [...parked.values()] } : {}),
    at: fold.at ?? before.at,
    caughtUp,
    folded: before.folded + events.length,
    unknown: countUnknown(before.unknown, fold.unknown),
    rebuilding,
  });
  return { ...folding, checkpoint, parked };
}

async function commit(
  { options, writer, onCommit }: FollowSession,
  previous: Checkpoint | null,
  { last, writes }: { readonly last: StoredEvent; readonly writes: readonly DocumentWrite[] },
): Promise<Checkpoint> {
  const next: Checkpoint = {
    logId: previous?.logId ?? (await demandLogId(options.reader)),
    position: last.position,
    eventId: last.id,
    storages: previous?.storages ?? storagesOf(options.projections),
  };
  await commitUnderLease(writer, { name: checkpointName, previous, next }, writes);
  onCommit();
  return next;
}

/** Folds from freshly loaded documents each time; the last time a poison event parks its stream. */
async function foldWithRetry(
  { readModels, signal }: FollowOptions,
  { handlers, parked }: Folding,
  events: Batch['events'],
): Promise<BatchFold> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await foldBatch({ events, handlers, readModels, parked, park: attempt >= poisonAttempts });
    } catch (error) {
      if (!(error instanceof PoisonEventError)) throw error;
      await pause(backOff(attempt - 1, poisonPauses), signal);
    }
  }
}

export const tellParked = ({ onFault }: FollowOptions, { view, stream, position, reason }: ParkedStream): void =>
  onFault({
    kind: 'parked',
    message: `View ${view} parks stream ${stream} at position ${position}: ${reason}. Only a rebuild folds it again.`,
  });
