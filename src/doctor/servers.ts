/** Asks the servers of the stores about themselves, once for all checks. Writes nothing. */
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

/** The stores of a deployment as the checks see them: the answers of their servers, and the remedies for their faults. */
export interface SeenStores {
  /** Returns undefined if the log is embedded. */
  seeLog(): Promise<SeenServer | undefined>;
  /** Returns undefined if the views are embedded. */
  seeViews(): Promise<SeenServer | undefined>;
  /** Whether views stay behind the log while no service is known to run. Other processes may fold views on servers. */
  readonly needService: boolean;
  readonly remedies: {
    readonly log: string;
    readonly views: string;
    /** The remedy for views of another log. */
    readonly dropViews: string;
  };
}

export const seeStores = (stores: StoreSettings, clock: () => number): SeenStores =>
  stores.deployment === 'embedded' ? embedded : onServers(stores, clock);

const embedded: SeenStores = {
  seeLog: () => Promise.resolve(undefined),
  seeViews: () => Promise.resolve(undefined),
  needService: true,
  remedies: {
    log: 'Run the check again, and look at the kernel messages (dmesg), because a read error may be temporary. Do not change the file. If the check fails again, restore the log from the last good backup.',
    views: 'Remove views.db while no service runs: it is built again from the log.',
    dropViews: 'remove views.db',
  },
};

const onServers = (
  { events, views }: Extract<StoreSettings, { deployment: 'servers' }>,
  clock: () => number,
): SeenStores => ({
  seeLog: once(async () => {
    const { seeEventStoreDb } = await import('../eventstore/eventstoredb/server-info.js');
    const seen = await timed(() => seeEventStoreDb(events.url), clock);
    return { name: eventStoreOf(seen.version), ...seen };
  }),
  seeViews: once(async () => {
    const { seeMongo } = await import('../readmodels/mongodb/check.js');
    return { name: 'MongoDB', ...(await timed(() => seeMongo(views.url), clock)) };
  }),
  needService: false,
  remedies: {
    log: 'Look at the log of EventStoreDB and at EVENTSTORE_URL: its address, user, and TLS.',
    views: 'Look at the log of MongoDB and at MONGODB_URL: its address, user, and TLS.',
    dropViews: 'drop the database of MONGODB_URL',
  },
});

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
