/** The erasures of one person: from the register, and from the stream of the contact. */
import { readable } from '../audit/reading.js';
import type { StoredEvents } from '../audit/stored-events.js';
import type { DomainEvent } from '../events/codec.js';
import { lifeChange } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
import { erasuresStream, recipientOf } from '../events/streams.js';
import type { Position, StoredEvent } from '../eventstore/event-store.js';
import type { ErasureOfPerson } from './export-answer.js';

interface ErasuresRequest {
  /** Of the person as a contact. */
  readonly stream: string;
  readonly horizon: Position;
  readonly signal?: AbortSignal | undefined;
}

/** Oldest first. @throws StoreUnavailableError */
export async function erasuresOf(
  stored: Pick<StoredEvents, 'ofStream'>,
  { stream, horizon, signal }: ErasuresRequest,
): Promise<readonly ErasureOfPerson[]> {
  const found = new Map<string, ErasureOfPerson>();
  const key = recipientOf(stream);
  const take = (event: StoredEvent): void => {
    const recorded = isAbout(event, key, found) ? readable(event) : undefined;
    const known = recorded && 'erasure_id' in recorded.event.data ? recorded.event.data.erasure_id : undefined;
    if (recorded === undefined || known === undefined) return;
    found.set(known, { ...none(known), ...found.get(known), ...toldBy(recorded) });
  };
  for (const name of [erasuresStream, stream])
    for await (const page of stored.ofStream(name, signal))
      for (const event of page) if (event.position <= horizon) take(event);
  return [...found.values()];
}

/** Nearly no event needs to be parsed. */
function isAbout({ type, data }: StoredEvent, key: string, found: ReadonlyMap<string, unknown>): boolean {
  if (type === 'ContactErased') return true;
  if (type === 'ErasureRequested') return data.includes(key);
  return type === 'ErasureCompleted' && found.size > 0 && [...found.keys()].some((id) => data.includes(id));
}

const none = (erasure_id: string): ErasureOfPerson => ({
  erasure_id,
  requested_at: null,
  requested_by: null,
  reason: null,
  contact_id: null,
  erased_at: null,
  completed_at: null,
  emails: null,
});

function toldBy({ event, metadata, revision }: Recorded<DomainEvent>): Partial<ErasureOfPerson> {
  const { at, actor } = metadata;
  switch (event.type) {
    case 'ErasureRequested':
      return { requested_at: at, requested_by: actor, reason: event.data.reason ?? null };
    case 'ContactErased':
      return lifeChange(event, revision) === undefined ? {} : { contact_id: event.data.contact_id, erased_at: at };
    case 'ErasureCompleted':
      return { completed_at: at, emails: event.data.emails };
    default:
      return {};
  }
}
