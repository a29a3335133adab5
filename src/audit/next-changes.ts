/** What changed the facts of a contact next: the events after the time that is asked for. */
import type { ContactEvent } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { Fact, ContactFold, Life, MembershipFacts, TagHeld } from './contact-facts.js';
import { ownerOf, unreadableEvent } from './unreadable.js';

interface Sought {
  readonly contactId?: string | undefined;
  readonly listId?: string | undefined;
}

export function noteNextChange(
  state: ContactFold,
  recorded: Recorded<ContactEvent>,
  { contactId, listId }: Sought,
): void {
  const { event } = recorded;
  if (event.type === 'ContactCreated') begin(state, recorded, contactId);
  else if (event.data.contact_id === soughtIn(state, contactId)) change(state, recorded, listId);
}

const soughtIn = ({ contactId, creation }: ContactFold, asked: string | undefined): string | undefined =>
  contactId ?? asked ?? creation?.event.data.contact_id;

export interface UnreadableFound {
  readonly stored: StoredEvent;
  readonly current: string | undefined;
  readonly asked: string | undefined;
}

/** An event that is certainly of another contact in the stream changes nothing here. Any other may. */
export function noteUnreadable(state: ContactFold, { stored, current, asked }: UnreadableFound): void {
  if (state.nextUnreadable !== undefined) return;
  // Before the creation is found, an event that names no contact may be the creation.
  const until = state.contactId === undefined ? null : (current ?? null);
  const owner = ownerOf(stored, until);
  if (owner === null || owner !== current || owner === soughtIn(state, asked))
    state.nextUnreadable = unreadableEvent(stored, until);
}

/** An erasure, or a new contact in the stream, ends all facts; where there was none before, it may be the one that is asked for. */
function begin(state: ContactFold, recorded: Recorded<ContactEvent>, contactId: string | undefined): void {
  if (state.life !== undefined) end(state, recorded);
  else if (contactId === undefined || contactId === recorded.event.data.contact_id) state.creation ??= recorded;
}

function end(state: ContactFold, recorded: Recorded<ContactEvent>): void {
  if (state.life !== undefined) for (const fact of factsOf(state, state.life)) fact.next ??= recorded;
}

function* factsOf({ memberships }: ContactFold, { profileFact }: Life): Generator<Fact> {
  yield profileFact;
  for (const { fact, tags } of memberships.values()) {
    yield fact;
    for (const tag of tags.values()) yield tag.fact;
  }
}

function change(state: ContactFold, recorded: Recorded<ContactEvent>, listId: string | undefined): void {
  const { event } = recorded;
  switch (event.type) {
    case 'ContactProfileChanged':
      if (state.life !== undefined) state.life.profileFact.next ??= recorded;
      return;
    case 'ContactSubscribed':
    case 'ContactUnsubscribed': {
      const { list_id, list_name } = event.data;
      const known = state.memberships.get(list_id);
      if (known !== undefined) known.fact.next ??= recorded;
      else if (list_id === listId) state.memberships.set(list_id, entering(list_name, recorded));
      return;
    }
    case 'TagsDetached':
      for (const tag of heldOf(state, event.data)) tag.fact.next ??= recorded;
      return;
    case 'ContactErased':
      return end(state, recorded);
    case 'ContactCreated':
    case 'ConsentRecorded':
    case 'TagsAttached':
      return;
    default:
      return event satisfies never;
  }
}

function heldOf(
  { memberships }: ContactFold,
  { list_id, tags }: Extract<ContactEvent, { type: 'TagsDetached' }>['data'],
): readonly TagHeld[] {
  const held = memberships.get(list_id)?.tags;
  return tags.flatMap(({ tag_id }) => held?.get(tag_id) ?? []);
}

const entering = (name: string, recorded: Recorded<ContactEvent>): MembershipFacts => ({
  name,
  status: null,
  fact: { because: undefined, next: recorded },
  consent: undefined,
  tags: new Map(),
});
