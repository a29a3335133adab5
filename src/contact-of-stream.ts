/** Whose stream it is, asked of the log: for views that keep no index of streams. */
import { z } from 'zod';
import type { EventReader } from './eventstore/event-store.js';

const ofContact = z.object({ contact_id: z.string() });

/** The contact id in the stream's last event, hence that of its last life; undefined where there is none. @throws StoreUnavailableError */
export async function contactOfStream(
  reader: Pick<EventReader, 'readStream'>,
  stream: string,
): Promise<string | undefined> {
  for await (const events of reader.readStream(stream, { direction: 'backwards', limit: 1 }))
    for (const { data } of events) return contactIn(data);
  return undefined;
}

function contactIn(data: string): string | undefined {
  try {
    return ofContact.safeParse(JSON.parse(data)).data?.contact_id;
  } catch {
    // Such an event parks its stream, which is answered before anybody gets here.
    return undefined;
  }
}
