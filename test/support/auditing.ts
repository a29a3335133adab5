/** A log for the auditor: what happened when, appended as given, and the histories over it. */
import { createAudit, type Audit } from '../../src/audit/audit.js';
import type { EmailHint, EmailHints } from '../../src/audit/emails.js';
import type { HistoryRequest } from '../../src/audit/history.js';
import type { HistoryItem } from '../../src/audit/answers.js';
import type { AuditReader } from '../../src/audit/reading.js';
import { subjectOf } from '../../src/commands/mustache.js';
import type { DomainEvent } from '../../src/events/codec.js';
import type { Metadata } from '../../src/events/envelope.js';
import type { EventReader, EventToAppend } from '../../src/eventstore/event-store.js';
import type { SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { createLogBasis } from '../../src/integrity/log-basis.js';
import type { KnownSeal } from '../../src/integrity/seal.js';
import { openLog } from './event-log.js';
import { examples, toAppend } from './examples.js';

/** Second number `second` of the example hour. */
export const second = (number: number): string => new Date(Date.UTC(2026, 2, 1, 10, 0, number)).toISOString();

export const contactStream = examples.contactStream;

/** Where an event belongs. */
function streamOf({ type }: DomainEvent): string {
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
  /** All items of all pages. */
  history(request?: Partial<HistoryRequest>): Promise<readonly HistoryItem[]>;
}

/** When the auditor answers: an hour after the example hour. */
export const answerTime = Date.UTC(2026, 2, 1, 11);

/** Finds e-mails without a view: by going through the log. */
export const emailsInLog = (reader: Pick<EventReader, 'readAll' | 'head'>): EmailHints => ({
  until: () => reader.head(),
  async *to(recipientKey) {
    const found = new Map<string, EmailHint>();
    for await (const events of reader.readAll())
      for (const { type, stream, position, data } of events) {
        const known = found.get(stream);
        if (known !== undefined) found.set(stream, { ...known, last: position });
        if (type === 'EmailRequested' && data.includes(recipientKey))
          found.set(stream, { stream, first: position, last: position });
      }
    yield [...found.values()];
  },
  subjectOf,
});

/** Creates the basis of answers for an embedded log with this newest seal. */
export const basisOf = (reader: AuditReader & Pick<SqliteEventStore, 'tree'>, seal?: () => KnownSeal | undefined) =>
  createLogBasis({
    log: reader,
    ordinalAt: async (position) => (await reader.tree.ordinalsAt([position]))[0],
    newestSeal: async () => await Promise.resolve(seal?.()),
  });

export const auditOf = (
  reader: AuditReader & Pick<SqliteEventStore, 'tree'>,
  seal?: () => KnownSeal | undefined,
): Audit =>
  createAudit({
    reader,
    ...basisOf(reader, seal),
    clock: () => answerTime,
    emails: emailsInLog(reader),
  });

export async function auditedLog(seal?: () => KnownSeal | undefined): Promise<AuditedLog> {
  const { store } = await openLog();
  const audit = auditOf(store, seal);
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
        items.push(...page.items);
        after = page.next_cursor;
      } while (after !== undefined);
      return items;
    },
  };
}
