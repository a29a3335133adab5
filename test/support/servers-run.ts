/** Before the end-to-end tests run on servers: names for this run alone. Afterwards everything under these names goes; what a killed run left behind goes with the next one. */
import { EventStoreDBClient } from '@eventstore/db-client';
import { MongoClient } from 'mongodb';
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { withDatabase } from './mongodb.js';
import type { ServersOfRun } from './stores.js';

const deletesAtOnce = 32;
/** No run takes so long. */
const abandonedMs = 3 * 60 * 60 * 1000;

/** They tell when the run began, and are all of one length: no prefix of streams may begin with another one. */
const newNames = (): string => `e2e_${Date.now().toString(36).padStart(9, '0')}${randomBytes(2).toString('hex')}_`;
const beginning = /^e2e_([0-9a-z]{9})[0-9a-f]{4}_/;

/** @returns what is to be done after the last test */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const eventStoreUrl = process.env['TEST_EVENTSTORE_URL'] ?? '';
  const mongodb = process.env['TEST_MONGODB_URL'] ?? '';
  const names = newNames();
  const mongodbUrl = withDatabase(mongodb, names);
  const run: ServersOfRun = { eventStoreUrl, mongodbUrl, names, after: await endOfLog(eventStoreUrl) };
  for (const abandoned of await abandonedRuns(run)) await remove({ ...run, names: abandoned, after: '' });
  project.provide('servers', run);
  return () => remove(run);
}

/** The streams first: where databases are left the run is found again. */
async function remove(run: ServersOfRun): Promise<void> {
  await deleteStreams(run);
  await dropDatabases(run);
}

/** Whoever wrote last. */
async function endOfLog(url: string): Promise<string> {
  const everything = openEventStoreDb({ url, prefix: '' });
  try {
    return await everything.head();
  } finally {
    await everything.close();
  }
}

async function deleteStreams({ eventStoreUrl, names, after }: ServersOfRun): Promise<void> {
  const ours = openEventStoreDb({ url: eventStoreUrl, prefix: names });
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  try {
    const streams = new Set<string>();
    for await (const batch of ours.readAll({ after })) for (const { stream } of batch) streams.add(names + stream);
    const left = [...streams];
    while (left.length > 0)
      await Promise.all(left.splice(0, deletesAtOnce).map((stream) => client.deleteStream(stream)));
  } finally {
    await client.dispose();
    await ours.close();
  }
}

/** Every service has a database: they tell which runs there were. */
const abandonedRuns = ({ mongodbUrl }: ServersOfRun): Promise<ReadonlySet<string>> =>
  withMongo(mongodbUrl, (_client, databases) => {
    const runs = databases.flatMap((name) => {
      const [names, began] = beginning.exec(name) ?? [];
      return names === undefined || Date.now() - parseInt(String(began), 36) < abandonedMs ? [] : [names];
    });
    return Promise.resolve(new Set(runs));
  });

const dropDatabases = ({ mongodbUrl, names }: ServersOfRun): Promise<void> =>
  withMongo(mongodbUrl, async (client, databases) => {
    for (const name of databases) if (name.startsWith(names)) await client.db(name).dropDatabase();
  });

async function withMongo<Result>(
  url: string,
  use: (client: MongoClient, databases: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const client = new MongoClient(url);
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    return await use(
      client,
      databases.map(({ name }) => name),
    );
  } finally {
    await client.close();
  }
}
