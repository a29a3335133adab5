/** The EventStoreDB server that tests may use, named by TEST_EVENTSTORE_URL, and how to leave it as it was. */
import { BACKWARDS, END, EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';

export const eventStoreUrl = process.env['TEST_EVENTSTORE_URL'];
export const noEventStore = 'there is no EventStoreDB: set TEST_EVENTSTORE_URL to the URL of one';

/** Of this run alone: others may use the server at the same time. */
export const newPrefix = (): string => `test-${randomUUID().slice(0, 8)}-`;

/** Deletes every stream whose name begins with this prefix. */
export async function deletePrefix(url: string, prefix: string): Promise<void> {
  if (prefix.length < 8) throw new Error('a prefix this short could hit streams of others');
  const client = EventStoreDBClient.connectionString(url);
  try {
    const streams = new Set<string>();
    for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END }))
      if (event?.streamId.startsWith(prefix) === true) streams.add(event.streamId);
    for (const stream of streams) await client.deleteStream(stream).catch(() => undefined);
  } finally {
    await client.dispose();
  }
}
