/** Storages that the projector feeds beside the live ones: those that are to be live, and those that were until a moment ago. */
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import type { Checkpoint, DocumentWrite, ReadModels } from '../readmodels/read-models.js';
import { foldBatch, handlersOf, PoisonEventError } from '../projector/fold.js';
import type { Lease } from '../projector/lease.js';
import type { Order, OrderAnswer, Orders, Poison } from './projector-commands.js';
import { overTombstones, parkedView, readParked, withParked, type ParkedStream } from '../projector/parked.js';
import type { Projection } from '../projections/projection.js';
import { noteRetiring, unpark } from '../projector/old-storages.js';
import { checkpointName, fillName, sameStorages, storedAs, type Storages } from '../projector/storage.js';

export interface Feed {
  /** Of the rebuild; undefined: it was live, and is fed until everybody has noticed that it is no more. */
  readonly id?: string;
  readonly projections: readonly Projection[];
  readonly handlers: ReadonlyMap<string, readonly Projection[]>;
  /** Poison events park their streams; else they end the feed. */
  readonly park: boolean;
  parked: ReadonlyMap<string, ParkedStream>;
}

/** What a projector is told of rebuilds, and tells. */
export interface RebuildOrders {
  readonly orders: Orders;
  readonly onAnswer: (answer: OrderAnswer) => void;
}

/** What feeding needs of the projector's run, and changes in it. */
export interface FeedingRun {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly projections: readonly Projection[];
  readonly signal: AbortSignal;
  readonly lease?: Lease;
  readonly rebuilds?: RebuildOrders;
  readonly epoch: number | undefined;
  checkpoint: Checkpoint | null;
  /** As they are stored. */
  live: readonly Projection[];
  handlers: ReadonlyMap<string, readonly Projection[]>;
  parked: ReadonlyMap<string, ParkedStream>;
  feeds: readonly Feed[];
}

export const namedStorages = (projections: readonly Projection[], storages: Storages): readonly Projection[] =>
  projections.flatMap((projection) => {
    const storage = storages[projection.name];
    return storage === undefined ? [] : [storedAs(projection, storage)];
  });

export const poisonOf = ({ view, event, reason }: PoisonEventError): Poison => ({
  view,
  stream: event.stream,
  position: event.position,
  event_id: event.id,
  event_type: event.type,
  reason,
});

/** What the feeds make of the events. A poison event ends its feed, and harms nothing else. */
export async function foldFeeds(run: FeedingRun, events: readonly StoredEvent[]): Promise<readonly DocumentWrite[]> {
  const writes: DocumentWrite[] = [];
  for (const feed of run.feeds) {
    try {
      writes.push(...(await foldFeed(feed, events, run.readModels)));
    } catch (error) {
      if (!(error instanceof PoisonEventError)) throw error;
      lose(run, feed, { reason: error.message, poison: poisonOf(error) });
    }
  }
  return writes;
}

async function foldFeed(
  feed: Feed,
  events: readonly StoredEvent[],
  readModels: ReadModels,
): Promise<readonly DocumentWrite[]> {
  const { handlers, park, parked } = feed;
  const fold = await foldBatch({ events, handlers, readModels, parked, park });
  if (fold.parked.length > 0) feed.parked = withParked(parked, fold.parked);
  // What is live no more parks for itself alone.
  if (feed.id === undefined) return fold.writes.filter(({ view }) => view !== parkedView);
  return await overTombstones(readModels, fold.writes);
}

function lose(run: FeedingRun, feed: Feed, why: { readonly reason: string; readonly poison?: Poison }): void {
  run.feeds = run.feeds.filter((other) => other !== feed);
  if (feed.id !== undefined) run.rebuilds?.onAnswer({ type: 'lost', id: feed.id, ...why });
}

/** After a failure nobody knows what the feeds have missed. */
export function loseFeeds(run: FeedingRun, reason: string): void {
  for (const feed of run.feeds) lose(run, feed, { reason });
}

type Given = Exclude<Order, { type: 'retire' }>;

/** Carries out one order. Nothing is folded meanwhile. Resolves with whether other storages are live now. Answers also when it fails: a rebuild waits. */
export async function obey(run: FeedingRun, order: Given): Promise<boolean> {
  try {
    return await carryOut(run, order);
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected failure';
    run.feeds = run.feeds.filter(({ id }) => id !== order.id);
    run.rebuilds?.onAnswer({ type: 'lost', id: order.id, reason });
    throw error;
  }
}

async function carryOut(run: FeedingRun, order: Given): Promise<boolean> {
  const answer = run.rebuilds?.onAnswer ?? (() => undefined);
  const { id } = order;
  switch (order.type) {
    case 'feed':
      if (await beginFeed(run, order)) answer({ type: 'fed', id });
      return false;
    case 'discard':
      run.feeds = run.feeds.filter((feed) => feed.id !== id);
      answer({ type: 'discarded', id });
      return false;
    case 'switch': {
      const feed = run.feeds.find((one) => one.id === id);
      if (feed === undefined) answer({ type: 'lost', id, reason: 'it is not fed any more' });
      else {
        await switchTo(run, feed);
        answer({ type: 'switched', id });
      }
      return feed !== undefined;
    }
    default:
      return order satisfies never;
  }
}

/** False when a poison event was in the way: it has been answered. */
async function beginFeed(run: FeedingRun, order: Extract<Order, { type: 'feed' }>): Promise<boolean> {
  const { id, storages, park } = order;
  const projections = namedStorages(run.projections, storages);
  const parked = park ? await readParked(run.readModels) : new Map<string, ParkedStream>();
  const feed: Feed = { id, projections, handlers: handlersOf(projections), park, parked };
  try {
    await catchUp(run, feed, order);
  } catch (error) {
    if (!(error instanceof PoisonEventError)) throw error;
    lose(run, feed, { reason: error.message, poison: poisonOf(error) });
    return false;
  }
  // One at a time: an earlier one was given up.
  run.feeds = [...run.feeds.filter((other) => other.id === undefined), feed];
  return true;
}

async function catchUp(run: FeedingRun, feed: Feed, order: Extract<Order, { type: 'feed' }>): Promise<void> {
  const { reader, readModels, signal, lease } = run;
  const until = run.checkpoint?.position ?? '';
  let previous = order.from;
  if (previous.position >= until) return;
  for await (const page of reader.readAll({ after: previous.position, signal })) {
    const events = page.filter(({ position }) => position <= until);
    const last = events.at(-1);
    if (last === undefined) break;
    const writes = await foldFeed(feed, events, readModels);
    const next = { ...previous, position: last.position, eventId: last.id };
    lease?.check();
    const { epoch } = order;
    await readModels.commit({
      writes,
      checkpoint: { name: fillName, previous, next, ...(epoch === undefined ? {} : { epoch }) },
    });
    previous = next;
    if (last.position === until) break;
  }
  signal.throwIfAborted();
}

/** Both stand at the very same position: from one commit to the next the others are live. */
async function switchTo(run: FeedingRun, feed: Feed): Promise<void> {
  const { readModels, checkpoint, epoch, lease } = run;
  if (checkpoint === null) throw new Error('nothing has been folded yet');
  const names = feed.projections.map(({ name }) => name);
  const before = run.live.filter(({ name }) => names.includes(name));
  const check = (): void => lease?.check();
  const storagesBefore = Object.fromEntries(before.map(({ name, version }) => [name, version]));
  if (before.length > 0) await noteRetiring({ readModels, epoch, check }, storagesBefore);
  const storages = Object.fromEntries(feed.projections.map(({ name, version }) => [name, version]));
  const next = { ...checkpoint, live: { ...checkpoint.live, ...storages } };
  check();
  await readModels.commit({
    writes: [],
    checkpoint: { name: checkpointName, previous: checkpoint, next, ...(epoch === undefined ? {} : { epoch }) },
  });
  const parkedBefore = run.parked;
  run.checkpoint = next;
  run.live = [...run.live.filter(({ name }) => !names.includes(name)), ...feed.projections];
  run.handlers = handlersOf(run.live);
  run.parked = new Map([
    ...[...run.parked].filter(([, { view }]) => !names.includes(view)),
    ...[...feed.parked].filter(([, { view }]) => names.includes(view)),
  ]);
  const old: Feed = { projections: before, handlers: handlersOf(before), park: true, parked: parkedBefore };
  run.feeds = [...run.feeds.filter((other) => other !== feed), ...(before.length > 0 ? [old] : [])];
  // A feed that parks has written what it has parked.
  if (!feed.park) await unpark({ readModels, epoch, check }, ({ view }) => names.includes(view), next);
  // It has been carried out. The next rebuild clears away what is left.
  await forgetFill(readModels, storages).catch(() => undefined);
}

/** Unless it is that of another rebuild by now. Under this lease nobody knows the epoch of that one. */
async function forgetFill(readModels: ReadModels, storages: Storages): Promise<void> {
  const previous = await readModels.checkpoint(fillName);
  if (previous !== null && sameStorages(previous.live, storages)) await readModels.forget({ name: fillName, previous });
}
