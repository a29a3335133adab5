/** Registers of logs in tests, and logs that were restored to an earlier end. */
import type { EventReader, EventStore, StoredEvent } from '../../src/eventstore/event-store.js';
import { deriveRegisterKey } from '../../src/events/streams.js';
import type { SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { demandLogId, serviceStream } from '../../src/eventstore/log-id.js';
import { isRegistered } from '../../src/recovery/registered-events.js';
import { lineOf, type RegisterLine, type RegisterOwner } from '../../src/recovery/register-line.js';
import { allEvents, openLog } from './event-log.js';
import { toAppend } from './examples.js';

export const registerSecret = 'a secret of the tests, long enough for a key';

export const ownerOf = async (log: Pick<EventReader, 'readStream'>): Promise<RegisterOwner> => ({
  logId: await demandLogId(log),
  key: deriveRegisterKey(registerSecret),
});

/** Returns the lines that the service has written for this log. */
export async function linesOf(log: EventReader): Promise<readonly RegisterLine[]> {
  const owner = await ownerOf(log);
  return (await allEvents(log)).filter(isRegistered).map((event) => lineOf(event, owner));
}

/** Returns a new log with these events, as a backup has them. */
export async function logWith(events: readonly StoredEvent[]): Promise<SqliteEventStore> {
  const { store } = await openLog();
  for (const { stream, revision, id, type, data, metadata } of events)
    await store.append(stream, [{ id, type, data, metadata }], {
      expectedRevision: revision === 0n ? 'no_stream' : revision - 1n,
    });
  return store;
}

/** Records a restore at the end of the log. */
export async function recordRestore(log: EventStore): Promise<void> {
  const data = { count: 1, root: 'a'.repeat(64), superseded: null, mac: 'b'.repeat(64) };
  await log.append(serviceStream, [toAppend({ type: 'LogRestored', data })], { expectedRevision: 'stream_exists' });
}
