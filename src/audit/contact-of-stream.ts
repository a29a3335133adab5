/** The id of the contact that a stream is about, read from its end. */
import { z } from 'zod';
import { isLaterPart } from '../events/contact.js';
import { StoreUnavailableError, type EventReader } from '../eventstore/event-store.js';

const ofContact = z.object({ contact_id: z.string(), through: z.int().optional() });

const timeoutMs = 2_000;

/** The contact id in the last event that has one: that of the last contact in the stream; undefined where there is none. @throws StoreUnavailableError */
export async function contactOfStream(
  reader: Pick<EventReader, 'readStream'>,
  stream: string,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  // The last event is nearly always enough: do not read a long stream for it.
  for (const limit of [1, Infinity]) {
    let isEmpty = true;
    for await (const events of reader.readStream(stream, {
      direction: 'backwards',
      signal,
      ...(limit === 1 ? { limit } : {}),
    }))
      for (const { data, revision } of events) {
        isEmpty = false;
        const id = contactIn(data, revision);
        if (id !== undefined) return id;
      }
    if (signal.aborted) throw new StoreUnavailableError('the event log did not answer in time');
    if (isEmpty) return undefined;
  }
  return undefined;
}

function contactIn(text: string, revision: bigint): string | undefined {
  try {
    const { data } = ofContact.safeParse(JSON.parse(text));
    // A later event of an erasure names the contact that it erased, and not the one that has followed in the stream.
    const isOfEarlier = data?.through !== undefined && isLaterPart({ through: data.through }, revision);
    return isOfEarlier ? undefined : data?.contact_id;
  } catch {
    return undefined;
  }
}
