/** The stores of a deployment on servers without an EventStoreDB: the stand-in for it, and a database on the MongoDB of the tests. */
import { startStandIn, type StandIn } from '../eventstoredb/stand-in/stand-in.js';
import { openTestDatabase, type TestDatabase } from './mongodb.js';
import type { Overrides } from './stores.js';

interface StandInServers {
  readonly server: StandIn;
  readonly database: TestDatabase;
  /** The environment of a service on these stores. */
  readonly env: Overrides;
  /** Drops the database and ends the stand-in. Close the services first. */
  close(): Promise<void>;
}

export const standInPrefix = 'standin_';

export async function startStandInServers(mongodbUrl: string): Promise<StandInServers> {
  const server = await startStandIn();
  const database = openTestDatabase(mongodbUrl);
  return {
    server,
    database,
    env: {
      EVENTSTORE_URL: server.url,
      EVENTSTORE_PREFIX: standInPrefix,
      MONGODB_URL: database.url,
      SECRET: 'a secret of the stand-in, long enough for a start',
    },
    async close() {
      await database.close();
      await server.close();
    },
  };
}
