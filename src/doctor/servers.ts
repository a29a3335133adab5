/** What the servers of the stores say of themselves: asked once, for all checks. Nothing is written there. */
import { printable } from '../events/printable.js';
import type { StoreSettings } from '../stores/stores.js';

interface SeenServer {
  readonly name: 'EventStoreDB' | 'KurrentDB' | 'MongoDB';
  /** Undefined: it does not tell. */
  readonly version?: string | undefined;
  /** Milliseconds by which this machine's clock is ahead of its clock; undefined: it does not tell. */
  readonly ahead?: number | undefined;
  /** Why it cannot be used, where this look alone tells. */
  readonly reason?: string | undefined;
}

/** Each is undefined where the store is embedded. */
export interface Servers {
  ofLog(): Promise<SeenServer | undefined>;
  ofViews(): Promise<SeenServer | undefined>;
}

export function seeServers({ events, views }: StoreSettings, clock: () => number): Servers {
  const ofLog = once(async () => {
    if (events.kind === 'embedded') return undefined;
    const { seeEventStoreDb } = await import('../eventstore/eventstoredb/server-info.js');
    const seen = await timed(() => seeEventStoreDb(events.url), clock);
    return { name: eventStoreOf(seen.version), ...seen } as const;
  });
  const ofViews = once(async () => {
    if (views.kind === 'embedded') return undefined;
    const { seeMongo } = await import('../readmodels/mongodb/check.js');
    return { name: 'MongoDB', ...(await timed(() => seeMongo(views.url), clock)) } as const;
  });
  return { ofLog, ofViews };
}

/** Returns the name of an event store of this version. EventStoreDB became KurrentDB with version 25. */
const eventStoreOf = (version: string | undefined): 'EventStoreDB' | 'KurrentDB' =>
  Number.parseInt(version ?? '', 10) >= 25 ? 'KurrentDB' : 'EventStoreDB';

interface Said {
  readonly version?: string | undefined;
  /** Milliseconds since 1970. */
  readonly time?: number | undefined;
  readonly reason?: string;
}

/** Half of the round trip is taken for the way there. */
async function timed(see: () => Promise<Said>, clock: () => number): Promise<Omit<SeenServer, 'name'>> {
  const asked = clock();
  const { version, time, reason } = await see();
  return { version, reason, ahead: time === undefined ? undefined : Math.round((asked + clock()) / 2 - time) };
}

export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

export const sayServer = ({ name, version }: SeenServer): string =>
  `${name} ${version === undefined ? 'answers, and does not tell its version' : `${version} answers`}`;

export const messageOf = (error: unknown): string => printable(error instanceof Error ? error.message : String(error));
