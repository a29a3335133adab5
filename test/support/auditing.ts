/** A log for the auditor: what happened when, appended as given, and the histories over it. */
import { createAudit, type Audit } from '../../src/audit/audit.js';
import type { HistoryRequest } from '../../src/audit/history.js';
import type { HistoryItem } from '../../src/audit/history-item.js';
import type { DomainEvent } from '../../src/events/codec.js';
import type { Metadata } from '../../src/events/envelope.js';
import type { EventToAppend } from '../../src/eventstore/event-store.js';
import type { SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { openLog } from './event-log.js';
import { examples, toAppend } from './examples.js';

/** Second number `second` of the example hour. */
export const second = (number: number): string => new Date(Date.UTC(2026, 2, 1, 10, 0, number)).toISOString();

export const contactStream = examples.contactStream;

/** Where an event belongs. */
export function streamOf({ type }: DomainEvent): string {
  if (type.startsWith('List')) return 'lists';
  if (type.startsWith('Tag') && !type.startsWith('Tags')) return 'tags';
  return contactStream;
}

export interface AuditedLog {
  readonly store: SqliteEventStore;
  readonly audit: Audit;
  /** Appends events one by one, each at that second. */
  at(second: number, ...events: readonly DomainEvent[]): Promise<void>;
  append(stream: string, event: DomainEvent, metadata?: Partial<Metadata>): Promise<string>;
  appendRaw(stream: string, event: EventToAppend): Promise<string>;
  /** All items of all pages; undefined where the contact is unknown. */
  history(request?: Partial<HistoryRequest>): Promise<readonly HistoryItem[] | undefined>;
}

export async function auditedLog(): Promise<AuditedLog> {
  const { store } = await openLog();
  const audit = createAudit(store);
  const appendRaw = async (stream: string, event: EventToAppend): Promise<string> =>
    (await store.append(stream, [event], { expectedRevision: 'any' })).position;
  const append = (stream: string, event: DomainEvent, metadata: Partial<Metadata> = {}): Promise<string> =>
    appendRaw(stream, toAppend(event, metadata));
  return {
    store,
    audit,
    append,
    appendRaw,
    async at(number, ...events) {
      for (const event of events) await append(streamOf(event), event, { at: second(number) });
    },
    async history(request = {}) {
      const items: HistoryItem[] = [];
      let after: string | undefined;
      do {
        const page = await audit.history({ stream: contactStream, limit: 50, ...request, after });
        if (page === undefined) return undefined;
        items.push(...page.items);
        after = page.next;
      } while (after !== undefined);
      return items;
    },
  };
}
