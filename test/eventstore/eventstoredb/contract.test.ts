/** The EventStoreDB adapter keeps the contract of the port: on the stand-in everywhere, on a real server where there is one. */
import { describe, it } from 'vitest';
import { openEventStoreDb } from '../../../src/eventstore/eventstoredb/event-store.js';
import { eventStoreContract } from '../../contract/event-store.js';
import { deletePrefix, eventStoreUrl, newPrefix, noEventStore } from '../../support/eventstoredb-server.js';
import { startStandIn } from '../../eventstoredb/stand-in/stand-in.js';

const skips = { 'several streams in one read: each is whole, or left out': 'it has no such read' };

eventStoreContract('the EventStoreDB event store, on the stand-in,', async () => {
  const server = await startStandIn();
  const prefix = newPrefix();
  return {
    skips,
    open: async () => openEventStoreDb({ url: server.url, prefix, timings: { appendMs: 15_000 } }),
    cleanup: () => server.close(),
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
      skips,
      open: async () => openEventStoreDb({ url, prefix, timings: { appendMs: 15_000 } }),
      cleanup: () => deletePrefix(url, prefix),
    };
  });
}
