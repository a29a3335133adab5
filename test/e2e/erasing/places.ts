/** All places where a service under test keeps something: its data folder, what it prints, and its servers. */
import { setImmediate as breathe } from 'node:timers/promises';
import { realTime } from '../../support/real-time.js';
import { filesIn, type Place, type Search } from './traces.js';
import type { Service } from '../../support/service.js';
import { storeVariables } from '../../support/stores.js';

/** Of EventStoreDB, where they can be read; undefined elsewhere. */
const chunkFolder = process.env['TEST_EVENTSTORE_DATA'];

/** What is found in the data folder, in what the service has printed, and in the views on MongoDB. */
export async function foundIn(service: Service, search: Search): Promise<readonly string[]> {
  const found = search({ name: 'output', bytes: Buffer.from(service.output()) }).slice();
  for (const place of filesIn(service.dataDir)) {
    found.push(...search(place));
    // So that connections that were closed meanwhile are known to be.
    await breathe();
  }
  const url = storeVariables(service.dataDir)['MONGODB_URL'];
  if (url !== undefined) for await (const place of documentsIn(url)) found.push(...search(place));
  return found;
}

/** What is found in EventStoreDB, once a scavenge has had its time. */
export async function foundOnceScavenged(service: Service, search: Search): Promise<readonly string[]> {
  const { EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix } = storeVariables(service.dataDir);
  if (url === undefined || prefix === undefined) return [];
  for (const end = Date.now() + 120_000; ; await realTime(1_000)) {
    const found: string[] = [];
    for await (const place of eventsIn(url, prefix)) found.push(...search(place));
    if (found.length === 0 && chunkFolder !== undefined)
      for (const place of filesIn(chunkFolder)) found.push(...search(place));
    if (found.length === 0 || Date.now() > end) return found;
  }
}

async function* documentsIn(url: string): AsyncGenerator<Place> {
  const { MongoClient, BSON } = await import('mongodb');
  const client = new MongoClient(url);
  try {
    for (const collection of await client.db().collections())
      for await (const document of collection.find())
        yield { name: collection.collectionName, bytes: Buffer.from(BSON.serialize(document)) };
  } finally {
    await client.close();
  }
}

/** As the server itself yields them, also what the adapter has in place of others. */
async function* eventsIn(url: string, prefix: string): AsyncGenerator<Place> {
  const { EventStoreDBClient } = await import('@eventstore/db-client');
  const client = EventStoreDBClient.connectionString(url);
  const names = [prefix, `$$${prefix}`, `~redacted-${prefix}`];
  try {
    for await (const { event } of client.readAll())
      if (event !== undefined && names.some((name) => event.streamId.startsWith(name)))
        yield { name: event.streamId, bytes: Buffer.from(JSON.stringify([event.data, event.metadata])) };
  } finally {
    await client.dispose();
  }
}
