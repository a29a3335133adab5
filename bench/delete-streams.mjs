// Deletes every stream of a server whose name begins with the prefix.
import { BACKWARDS, END, EventStoreDBClient } from '@eventstore/db-client';

export async function deleteStreams(url, prefix) {
  const client = EventStoreDBClient.connectionString(url);
  const streams = new Set();
  for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END }))
    if (event?.streamId.startsWith(prefix)) streams.add(event.streamId);
  const names = [...streams];
  for (let from = 0; from < names.length; from += 64)
    await Promise.all(names.slice(from, from + 64).map((name) => client.deleteStream(name).catch(() => undefined)));
  await client.dispose();
}
