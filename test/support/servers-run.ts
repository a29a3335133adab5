/** Before the end-to-end tests run on servers: names for this run alone. Afterwards: everything under these names goes. */
import { EventStoreDBClient } from '@eventstore/db-client';
import { MongoClient } from 'mongodb';
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb.js';
import { withDatabase } from './mongodb.js';
import type { ServersOfRun } from './stores.js';

const deletesAtOnce = 32;

/** @returns what is to be done after the last test */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const eventStoreUrl = process.env['TEST_EVENTSTORE_URL'] ?? '';
  const names = `e2e_${randomBytes(4).toString('hex')}_`;
  const mongodbUrl = withDatabase(process.env['TEST_MONGODB_URL'] ?? '', names);
  const run: ServersOfRun = { eventStoreUrl, mongodbUrl, names, after: await endOfLog(eventStoreUrl) };
  project.provide('servers', run);
  return async () => {
    await Promise.all([deleteStreams(run), dropDatabases(run)]);
  };
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

async function dropDatabases({ mongodbUrl, names }: ServersOfRun): Promise<void> {
  const client = new MongoClient(mongodbUrl);
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) if (name.startsWith(names)) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
