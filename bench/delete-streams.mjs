// Deletes every stream of a server whose name begins with the prefix.
import { EventStoreDBClient } from '@eventstore/db-client';
import { openEventStoreDb } from '../dist/eventstore/eventstoredb/event-store.js';

export async function deleteStreams(url, prefix) {
  const store = openEventStoreDb({ url, prefix });
  const streams = new Set();
  for await (const events of store.readAll()) for (const { stream } of events) streams.add(prefix + stream);
  await store.close();
  const client = EventStoreDBClient.connectionString(url);
  const names = [...streams];
  for (let from = 0; from < names.length; from += 64)
    await Promise.all(names.slice(from, from + 64).map((name) => client.deleteStream(name).catch(() => undefined)));
  await client.dispose();
}
