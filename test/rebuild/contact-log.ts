/** A log of contacts, for tests of what is folded from it. */
import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '../../src/events/codec.js';
import type { SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { openLog } from '../support/event-log.js';
import { exampleEvents as e, exampleMetadata, toAppend } from '../support/examples.js';

export async function logOf(contactCount: number): Promise<SqliteEventStore> {
  const { store } = await openLog();
  await append(store, 'service', e.serviceInitialised);
  await append(store, 'lists', e.listCreated);
  await appendContacts(store, { count: contactCount });
  return store;
}

export const append = (store: SqliteEventStore, stream: string, ...events: readonly DomainEvent[]) =>
  store.append(
    stream,
    events.map((event) => toAppend(event)),
    { expectedRevision: 'any' },
  );

export const contactId = (index: number): string => `con_${String(index).padStart(6, '0')}`;

export async function appendContacts(store: SqliteEventStore, { count, from = 0 }: { count: number; from?: number }) {
  await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const contact_id = contactId(from + index);
      return append(
        store,
        `contact-${contact_id}`,
        { ...e.contactCreated, data: { ...e.contactCreated.data, contact_id } },
        { ...e.subscribed, data: { ...e.subscribed.data, contact_id } },
      );
    }),
  );
}

export const changeProfile = (store: SqliteEventStore, index: number) =>
  append(store, `contact-${contactId(index)}`, {
    ...e.profileChanged,
    data: { ...e.profileChanged.data, contact_id: contactId(index) },
  });

/** Of the first contact: an event that cannot be folded. */
export const unreadable = () => ({
  id: randomUUID(),
  type: 'ContactProfileChanged',
  data: JSON.stringify({ contact_id: contactId(0), person: { firstName: 7, city: 'ada@example.com' } }),
  metadata: JSON.stringify(exampleMetadata),
});
