// The yardstick for a rebuild on servers: reading the whole log and decoding its events, and nothing else.
// argv: url, prefix. Prints { events, seconds }.
import { codec } from '../dist/events/codec.js';
import { openEventStoreDb } from '../dist/eventstore/eventstoredb.js';

const [url, prefix] = process.argv.slice(2);
const store = openEventStoreDb({ url, prefix });
await store.head();
const begun = performance.now();
let events = 0;
for await (const batch of store.readAll())
  for (const stored of batch) {
    codec.decode(stored);
    events += 1;
  }
process.send({ events, seconds: (performance.now() - begun) / 1000 });
await store.close();
process.disconnect();
