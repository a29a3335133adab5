/** How far an erasure that is not completed reaches: who came, or was written to, after that is not in it. */
import { codec } from '../events/codec.js';
import { isLaterPart } from '../events/contact.js';
import { contactStream } from '../events/streams.js';
import type { EventStore } from '../eventstore/event-store.js';
import { requestOf, type EraseOptions } from './erase.js';

interface ReachOptions {
  readonly store: Pick<EventStore, 'readStream' | 'head'>;
  readonly views: Pick<EraseOptions['views'], 'shown' | 'emailsTo'>;
}

/** Whether it takes all that is stored of the person now. @throws ServiceError `unavailable` @throws what the stores throw */
export async function takesAll({ store, views }: ReachOptions, erasureId: string): Promise<boolean> {
  const requested = await requestOf(store, erasureId);
  const key = requested.event.data.subject_key;
  const contact = await lastTurn(store, contactStream(key));
  if (contact?.event.type === 'ContactCreated') return contact.position < requested.position;
  const isItsEnd = contact?.event.type === 'ContactErased' && contact.event.data.erasure_id === erasureId;
  const reach = isItsEnd ? contact.position : requested.position;
  await views.shown(await store.head());
  for await (const page of views.emailsTo(key)) if (page.some(({ first }) => first > reach)) return false;
  return true;
}

/** The last beginning or end of a contact. */
async function lastTurn(store: ReachOptions['store'], stream: string) {
  for await (const batch of store.readStream(stream, { direction: 'backwards' }))
    for (const stored of batch) {
      const recorded = codec.decode(stored);
      const { event, revision } = recorded;
      if (event.type === 'ContactCreated') return recorded;
      if (event.type === 'ContactErased' && !isLaterPart(event.data, revision)) return recorded;
    }
  return undefined;
}
