/** How the auditor reads the log: in small pages, so that other requests go on, and as of one moment. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { codec, isUnreadable, type DomainEvent } from '../events/codec.js';
import { contactSchemas, type ContactEvent } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';

/** What auditing reads from. */
export type AuditReader = Pick<EventReader, 'readStream' | 'readAll' | 'readAt' | 'subscribe' | 'head'>;

/** An answer would rest on an event that this version of the service cannot read. The message names its place, never a value. */
export class UnreadableHistoryError extends Error {
  override readonly name = 'UnreadableHistoryError';
}

export interface StreamReading {
  readonly stream: string;
  /** First revision. */
  readonly from: bigint;
  /** Events after this position are not seen. */
  readonly horizon?: string;
  /** Events a page. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Reading and decoding this many takes about a millisecond. */
const eventsPerPage = 256;

/** Pages of one stream up to the horizon; others get their turn between two of them. @throws StoreUnavailableError, and the signal's reason when it aborts */
export async function* streamPages(
  reader: Pick<EventReader, 'readStream'>,
  { stream, from, horizon, size = eventsPerPage, signal }: StreamReading,
): AsyncGenerator<readonly StoredEvent[]> {
  let next = from;
  let limit = size;
  for (;;) {
    const options = { from: next, limit, ...(signal === undefined ? {} : { signal }) };
    let count = 0;
    for await (const page of reader.readStream(stream, options)) {
      const seen = horizon === undefined ? page : upTo(page, horizon);
      if (seen.length > 0) yield seen;
      if (seen.length < page.length) return;
      count += page.length;
    }
    // A reading that was given up ends early; its part must not pass for the whole.
    signal?.throwIfAborted();
    if (count < limit) return;
    next += BigInt(count);
    // Who reads on after a first small page reads much.
    limit = eventsPerPage;
    await nextTurn();
  }
}

function upTo(page: readonly StoredEvent[], horizon: string): readonly StoredEvent[] {
  const last = page.at(-1);
  return last === undefined || last.position <= horizon ? page : page.filter(({ position }) => position <= horizon);
}

/** @throws UnreadableHistoryError */
export function decoded(stored: StoredEvent): Recorded<DomainEvent> {
  try {
    return codec.decode(stored);
  } catch (error) {
    if (isUnreadable(error)) throw new UnreadableHistoryError(error.message, { cause: error });
    throw error;
  }
}

/** Undefined: it cannot be read, or is no event of a contact. The caller must name it in the answer. */
export function readableContact(stored: StoredEvent): Recorded<ContactEvent> | undefined {
  let recorded: Recorded<DomainEvent>;
  try {
    recorded = codec.decode(stored);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
  return isOfContact(recorded) ? recorded : undefined;
}

const isOfContact = (recorded: Recorded<DomainEvent>): recorded is Recorded<ContactEvent> =>
  Object.hasOwn(contactSchemas, recorded.event.type);
