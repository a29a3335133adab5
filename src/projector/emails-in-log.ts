/** The e-mails and their states, folded from the log itself: for where no service keeps its views. */
import { codec, isUnreadable } from '../events/codec.js';
import type { EventReader } from '../eventstore/event-store.js';
import { emails, type EmailDocument } from '../projections/emails.js';
import { CannotFoldError } from '../projections/projection.js';

interface EmailsInLog {
  /** By id, which is by time. */
  readonly documents: readonly EmailDocument[];
  /** How many have events that cannot be read: their states may be wrong. */
  readonly unreadable: number;
}

/** @throws StoreUnavailableError */
export async function emailsInLog(log: EventReader, signal: AbortSignal): Promise<EmailsInLog> {
  const documents = new Map<string, EmailDocument>();
  const unreadable = new Set<string>();
  for await (const batch of log.readAll({ signal }))
    for (const stored of batch) {
      if (!emails.handles.some((type) => type === stored.type)) continue;
      try {
        const recorded = codec.decode(stored);
        for (const id of emails.keys(recorded)) {
          const document = emails.evolve(documents.get(id), recorded, id);
          if (document !== null) documents.set(id, document);
        }
      } catch (error) {
        if (!isUnreadable(error) && !(error instanceof CannotFoldError)) throw error;
        unreadable.add(stored.stream);
      }
    }
  const sorted = [...documents.values()].sort((one, other) => (one.email_id < other.email_id ? -1 : 1));
  return { documents: sorted, unreadable: unreadable.size };
}
