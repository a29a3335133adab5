/** Stored events as what they say; what becomes of those that this version of the service cannot read, the caller decides. */
import { codec, isUnreadable, type DomainEvent } from '../events/codec.js';
import { contactSchemas, type ContactEvent } from '../events/contact.js';
import { emailSchemas, type EmailEvent } from '../events/email.js';
import type { RecordedEvent } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';

/** An answer would rest on an event that this version of the service cannot read. The message names its place, never a value. */
export class UnreadableHistoryError extends Error {
  override readonly name = 'UnreadableHistoryError';
}

/** @throws UnreadableHistoryError */
export function decoded(stored: StoredEvent): RecordedEvent<DomainEvent> {
  try {
    return codec.decode(stored);
  } catch (error) {
    if (isUnreadable(error)) throw new UnreadableHistoryError(error.message, { cause: error });
    throw error;
  }
}

/** Undefined: it cannot be read. The caller must name it in the answer. */
export function readable(stored: StoredEvent): RecordedEvent<DomainEvent> | undefined {
  try {
    return codec.decode(stored);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** As `readable`; undefined also where it is no event of a contact. */
export function readableContact(stored: StoredEvent): RecordedEvent<ContactEvent> | undefined {
  const recorded = readable(stored);
  return recorded !== undefined && isOfContact(recorded) ? recorded : undefined;
}

const isOfContact = (recorded: RecordedEvent<DomainEvent>): recorded is RecordedEvent<ContactEvent> =>
  Object.hasOwn(contactSchemas, recorded.event.type);

/** As `readable`; undefined also where it is no event of an e-mail. */
export function readableEmail(stored: StoredEvent): RecordedEvent<EmailEvent> | undefined {
  const recorded = readable(stored);
  return recorded !== undefined && isOfEmail(recorded) ? recorded : undefined;
}

const isOfEmail = (recorded: RecordedEvent<DomainEvent>): recorded is RecordedEvent<EmailEvent> =>
  Object.hasOwn(emailSchemas, recorded.event.type);
