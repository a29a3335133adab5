/** For tests of the EventStoreDB adapter against faults: a store on a stand-in, another beside it, and what one does with them. */
import type { Timings } from '../../../src/eventstore/eventstoredb/connection.js';
import { randomUUID } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import {
  AppendInDoubtError,
  StoreUnavailableError,
  type EventStore,
  type EventToAppend,
  type Position,
  type StoredEvent,
} from '../../../src/eventstore/event-store.js';
import {
  openEventStoreDb,
  type EventStoreDbOptions,
  type EventStoreDbStore,
} from '../../../src/eventstore/eventstoredb/event-store.js';
import { startStandIn, type StandIn, type StandInOptions } from '../../eventstoredb/stand-in/stand-in.js';
import { realTime } from '../../support/real-time.js';

export const prefix = 'audience-';

const timingsOfTests: Timings = {
  appendMs: 15_000,
  silenceMs: 15_000,
  pollMs: 250,
  stalledMs: 300,
  firstBackOffMs: 5,
  lastBackOffMs: 50,
};

/** For what is to be given up. Everything else has time, however busy the machine. */
export const impatient = { appendMs: 700, silenceMs: 700 };

export interface Faulty {
  readonly server: StandIn;
  readonly store: EventStoreDbStore;
  /** What the store reported beside its answers. */
  readonly reported: Error[];
  /** As another process on the same log, on a connection of its own, and patient. */
  readonly other: EventStoreDbStore;
}

export async function faultyStore(timings: Partial<Timings> = {}, options: StandInOptions = {}): Promise<Faulty> {
  const server = await startStandIn(options);
  const reported: Error[] = [];
  const open = (options: Pick<EventStoreDbOptions, 'url' | 'onFault' | 'timings'>): EventStoreDbStore =>
    openEventStoreDb({ ...options, prefix, random: () => 1 });
  const store = open({
    url: server.url,
    onFault: (fault) => reported.push(fault),
    timings: { ...timingsOfTests, ...timings },
  });
  // Within a process grpc-js shares one connection among all that ask for the same: this one asks for another.
  const other = open({ url: `${server.url}&keepAliveInterval=10001`, timings: timingsOfTests });
  onTestFinished(async () => {
    await Promise.all([store.close(), other.close()]);
    await server.close();
  });
  return { server, store, reported, other };
}

export const said = (count: number): EventToAppend[] =>
  Array.from({ length: count }, (_, at) => ({
    id: randomUUID(),
    type: 'Said',
    data: JSON.stringify({ at }),
    metadata: JSON.stringify({ $correlationId: randomUUID() }),
  }));

/** Ids of what stands in a stream of the log, by the server's own account. */
export const idsIn = (server: StandIn, stream: string): string[] =>
  server
    .events(prefix + stream)
    .filter((event) => event.stream === prefix + stream)
    .map(({ id }) => id);

/** What a promise was rejected with. */
export async function faultIn(attempt: Promise<unknown>): Promise<unknown> {
  try {
    await attempt;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

/** Asks until the store is there again, as callers do. */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError || error instanceof AppendInDoubtError)) throw error;
      await realTime(10);
    }
  }
}

export async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, { interval: 5, timeout: 60_000 });
}

export async function collected(reading: AsyncIterable<readonly StoredEvent[]>): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of reading) events.push(...batch);
  return events;
}

/** Follows the log as the projector does: a fault means starting again from the last event seen. */
export function follow(store: EventStore, after: Position | 'now') {
  const abort = new AbortController();
  const seen: StoredEvent[] = [];
  const faults: StoreUnavailableError[] = [];
  let caughtUp = 0;
  const ended = (async () => {
    let from = after;
    while (!abort.signal.aborted)
      try {
        for await (const message of store.subscribe({ after: from, signal: abort.signal })) {
          if (message.type === 'caught_up') caughtUp += 1;
          else seen.push(...message.events);
          from = seen.at(-1)?.position ?? from;
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        faults.push(error);
        await realTime(10);
      }
  })();
  onTestFinished(async () => {
    abort.abort();
    await ended;
  });
  return {
    seen,
    faults,
    caughtUp: () => caughtUp,
    ids: () => seen.map(({ id }) => id),
    until: (condition: () => boolean) => Promise.race([until(condition), ended]),
  };
}
