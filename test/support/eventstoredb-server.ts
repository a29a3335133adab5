/** The EventStoreDB server that tests may use, named by TEST_EVENTSTORE_URL, and how to leave it as it was. */
import { EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { copiesStream } from '../../src/eventstore/eventstoredb/positions.js';

export const eventStoreUrl = process.env['TEST_EVENTSTORE_URL'];
export const noEventStore = 'there is no EventStoreDB: set TEST_EVENTSTORE_URL to the URL of one';

/** Of this run alone: others may use the server at the same time. */
export const newPrefix = (): string => `test-${randomUUID().slice(0, 8)}-`;

const deletesAtOnce = 32;

/** Deletes every stream whose name begins with one of these. */
export async function deletePrefix(url: string, ...prefixes: readonly string[]): Promise<void> {
  if (prefixes.some((prefix) => prefix.length < 8)) throw new Error('a prefix this short could hit streams of others');
  const client = EventStoreDBClient.connectionString(url);
  try {
    const streams = new Set<string>();
    for (const prefix of prefixes) {
      const own = openEventStoreDb({ url, prefix });
      for await (const batch of own.readAll()) for (const { stream } of batch) streams.add(prefix + stream);
      await own.close();
    }
    for (const prefix of prefixes) streams.add(copiesStream(prefix));
    const left = [...streams];
    // Some may be gone already.
    while (left.length > 0)
      await Promise.allSettled(left.splice(0, deletesAtOnce).map((stream) => client.deleteStream(stream)));
  } finally {
    await client.dispose();
  }
}
