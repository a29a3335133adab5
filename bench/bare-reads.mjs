// The yardsticks for a rebuild on servers: reading the whole log and decoding its events, and nothing else, by EventStoreDB's client alone and by the adapter.
// argv: url, prefix, client | adapter. Sends { events, seconds }.
import { EventStoreDBClient } from '@eventstore/db-client';
import { codec, eventSchemas } from '../dist/events/codec.js';
import { metadataSchema } from '../dist/events/envelope.js';
import { openEventStoreDb } from '../dist/eventstore/eventstoredb/event-store.js';

const [url, prefix, who] = process.argv.slice(2);

/** The client parses data and metadata of each event; what is left of decoding is the schemas. It reads everybody's events, so all count. */
async function byClient() {
  const client = EventStoreDBClient.connectionString(url);
  // Connected.
  for await (const _ of client.readAll({ maxCount: 1 }));
  const begun = performance.now();
  let events = 0;
  for await (const { event } of client.readAll()) {
    if (event === undefined) continue;
    eventSchemas[event.type]?.parse(event.data);
    metadataSchema.safeParse(event.metadata);
    events += 1;
  }
  const seconds = (performance.now() - begun) / 1000;
  await client.dispose();
  return { events, seconds };
}

async function byAdapter() {
  const store = openEventStoreDb({ url, prefix });
  await store.head();
  const begun = performance.now();
  let events = 0;
  for await (const batch of store.readAll())
    for (const stored of batch) {
      codec.decode(stored);
      events += 1;
    }
  const seconds = (performance.now() - begun) / 1000;
  await store.close();
  return { events, seconds };
}

process.send(await (who === 'client' ? byClient() : byAdapter()));
process.disconnect();
