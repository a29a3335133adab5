/** Several processes of one service on the test servers: one log, one database, one secret. */
import { randomBytes } from 'node:crypto';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { openMongoReadModels } from '../../src/readmodels/mongodb/read-models.js';
import type { ReadModels } from '../../src/readmodels/read-models.js';
import { deletePrefix, eventStoreUrl, newPrefix } from '../support/eventstoredb-server.js';
import { openTestDatabase, testMongoUrl } from '../support/mongodb.js';
import { startService, type Overrides, type Service } from '../support/service.js';

/** Why tests of several processes cannot run; undefined when they can. */
export const noServers =
  eventStoreUrl === undefined || testMongoUrl === undefined
    ? 'several processes need TEST_EVENTSTORE_URL and TEST_MONGODB_URL'
    : undefined;

export interface Deployment {
  /** What each process is given. */
  readonly env: Overrides;
  /** Starts one more process and waits until it is ready. */
  start(env?: Overrides): Promise<Service>;
  readonly log: EventReader;
  readonly views: ReadModels;
  /** Ends what still runs and leaves nothing on the servers. */
  close(): Promise<void>;
}

export function newDeployment(): Deployment {
  const prefix = newPrefix();
  const esdb = eventStoreUrl ?? '';
  const database = openTestDatabase(testMongoUrl ?? '');
  const env: Overrides = {
    EVENTSTORE_URL: esdb,
    EVENTSTORE_PREFIX: prefix,
    MONGODB_URL: database.url,
    SECRET: randomBytes(32).toString('hex'),
  };
  const services: Service[] = [];
  const log = openEventStoreDb({ url: esdb, prefix });
  const views = openMongoReadModels({ url: database.url });
  return {
    env,
    log,
    views,
    async start(more = {}) {
      const service = await startService({ env: { ...env, ...more } });
      services.push(service);
      return service;
    },
    async close() {
      await Promise.all(services.map((service) => service.close()));
      await log.close();
      await views.close();
      await database.close();
      await deletePrefix(esdb, prefix);
    },
  };
}
