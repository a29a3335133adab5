/** Opens the event log for commands that only read: beside a running service, and without waiting long for a server. */
import { StoreUnavailableError, type EventReader } from '../eventstore/event-store.js';
import { openSqliteEventReader } from '../eventstore/sqlite-reader.js';
import type { StoreAddresses } from './command-line.js';
import { CommandFailedError } from './failures.js';

/** @throws CommandFailedError @throws StoreUnavailableError */
export async function openLogForReading(
  address: StoreAddresses['events'],
  { signal }: { readonly signal: AbortSignal },
): Promise<EventReader> {
  if (address.kind === 'embedded') return openSqliteEventReader({ file: address.file });
  const { openEventStoreDb } = await import('../eventstore/eventstoredb.js');
  const store = openEventStoreDb(address);
  try {
    const check = await store.check();
    signal.throwIfAborted();
    if (check.status === 'ready') return store;
    throw new CommandFailedError(`EventStoreDB (EVENTSTORE_URL) cannot be used: ${check.reason}`, {
      type: 'unavailable',
    });
  } catch (error) {
    await store.close();
    throw error instanceof Error ? error : new StoreUnavailableError(String(error));
  }
}
