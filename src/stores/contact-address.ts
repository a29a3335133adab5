/** The address of a contact whose key is known, from the log: no state of it is kept. */
import { codec } from '../events/codec.js';
import { lifeChange } from '../events/contact.js';
import { contactStream } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';

/** As the contact was created with. Undefined: there is no contact, or it is erased. @throws StoreUnavailableError, and the codec's errors */
export const contactAddresses =
  (reader: Pick<EventReader, 'readStream'>) =>
  async (contactKey: string): Promise<string | undefined> => {
    for await (const page of reader.readStream(contactStream(contactKey), { direction: 'backwards' }))
      for (const stored of page) {
        const { event, revision } = codec.decode(stored);
        if (event.type === 'ContactCreated') return event.data.person?.email;
        if (lifeChange(event, revision) === 'ends') return undefined;
      }
    return undefined;
  };
