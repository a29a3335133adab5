/** The EventStoreDB adapter keeps the contract of the port: on the stand-in everywhere, on a real server where there is one. */
import { describe, it } from 'vitest';
import { openEventStoreDb } from '../../../src/eventstore/eventstoredb/event-store.js';
import { eventStoreContract } from '../../contract/event-store.js';
import { deletePrefix, eventStoreUrl, newPrefix, noEventStore } from '../../support/eventstoredb-server.js';
import { startStandIn } from '../../support/eventstoredb-stand-in.js';

/** Until the adapter can. */
const skips = Object.fromEntries(
  [
    'digests take the place of personal data up to the revision, and all else stays',
    'again, of a stream without personal data, or without events, changes nothing',
    'every read yields redacted events in their places',
    'a stream goes on after a redaction, and a later one reaches further',
    'redactions at once, among appends and reads, all hold',
    'large values go, and what is redacted stays so for a store that is opened later',
  ].map((title) => [title, 'redaction comes to this adapter next']),
);

eventStoreContract('the EventStoreDB event store, on the stand-in,', async () => {
  const server = await startStandIn();
  const prefix = newPrefix();
  return {
    open: async () => openEventStoreDb({ url: server.url, prefix, timings: { appendMs: 15_000 } }),
    cleanup: () => server.close(),
    skips,
  };
});

if (eventStoreUrl === undefined)
  describe('the EventStoreDB event store keeps the contract of the event-store port', () => {
    it('on a real server', (context) => context.skip(noEventStore));
  });
else {
  const url = eventStoreUrl;
  eventStoreContract('the EventStoreDB event store', async () => {
    const prefix = newPrefix();
    return {
      open: async () => openEventStoreDb({ url, prefix, timings: { appendMs: 15_000 } }),
      cleanup: () => deletePrefix(url, prefix),
      skips,
    };
  });
}
