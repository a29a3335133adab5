// The yardstick for a create on servers: EventStoreDB's own client alone, appending two events as a create does, on the path that the adapter uses (a call for each append).
// argv: url, prefix. Takes { writers, milliseconds } from its parent, answers { appends, seconds, p50, p99 (milliseconds) }.
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';

const [url, prefix] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(url);
// Credentials of a call make it a call of its own; a server without security does not look at them.
const credentials = { username: 'admin', password: 'changeit' };
let count = 0;

function twoEvents() {
  const id = randomUUID();
  const metadata = {
    at: new Date().toISOString(),
    $correlationId: id,
    $causationId: id,
    request_id: id,
    actor: 'bench',
    schema: 1,
  };
  const contact = 'con_01M7Z2PK76309DCCY39V71S3Y1';
  return [
    jsonEvent({
      type: 'ContactCreated',
      data: {
        contact_id: contact,
        person: {
          email: `p${count}@example.com`,
          firstName: 'Ann',
          lastName: 'Example',
          city: 'Bern',
          salt: randomUUID().replaceAll('-', ''),
        },
      },
      metadata,
    }),
    jsonEvent({
      type: 'ContactSubscribed',
      data: {
        contact_id: contact,
        list_id: 'lst_01M7Z2PK6A47FCBKW2Z9EYQ7VP',
        list_name: 'Bench',
        previous_status: null,
      },
      metadata,
    }),
  ];
}

process.on('message', async ({ writers, milliseconds }) => {
  const latencies = [];
  const begun = performance.now();
  const ends = begun + milliseconds;
  const writer = async () => {
    for (;;) {
      count += 1;
      const started = performance.now();
      await client.appendToStream(`${prefix}bare-${process.pid}-${count}`, twoEvents(), {
        expectedRevision: NO_STREAM,
        credentials,
      });
      const now = performance.now();
      latencies.push(now - started);
      if (now >= ends) return;
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  const seconds = (performance.now() - begun) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  process.send({ appends: latencies.length, seconds, p50: at(0.5), p99: at(0.99) });
});
process.send('ready');
