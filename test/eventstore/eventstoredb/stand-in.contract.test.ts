/** The EventStoreDB adapter keeps the contract of the port wherever tests run: on the stand-in. */
import { openEventStoreDb } from '../../../src/eventstore/eventstoredb/event-store.js';
import { eventStoreContract } from '../../contract/event-store.js';
import { startStandIn } from '../../support/eventstoredb-stand-in.js';

eventStoreContract('the EventStoreDB event store, on the stand-in,', async () => {
  const server = await startStandIn();
  return {
    open: async () => openEventStoreDb({ url: server.url, prefix: 'contract-', timings: { appendMs: 15_000 } }),
    cleanup: server.close,
  };
});
