/** The embedded event store keeps the contract of the port. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { eventStoreContract } from '../../contract/event-store.js';

eventStoreContract('the embedded event store', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'event-log-'));
  return {
    open: () => openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now }),
    cleanup: () => rm(folder, { recursive: true }),
    skips: {
      'text that is not canonical JSON is refused for good and leaves nothing':
        'it keeps every text as it is; the codec, import and migration write canonical texts only',
    },
  };
});
