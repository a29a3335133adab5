/** Events as they are stored, for those who prove them or show them to their person. */
import type { StoredEvent } from '../eventstore/event-store.js';
import { deletionOf, type NamedKind, type ReplaySources } from './names.js';
import { streamPages } from './reading.js';

export interface StoredEvents {
  /** Pages of one stream from its beginning, of the log as it grows. */
  ofStream(stream: string, signal?: AbortSignal): AsyncIterable<readonly StoredEvent[]>;
  /** Of those that were deleted. */
  deletionsOf(ids: Readonly<Record<NamedKind, ReadonlySet<string>>>): Promise<readonly StoredEvent[]>;
}

export const createStoredEvents = ({ reader, catalogues, pace }: ReplaySources): StoredEvents => ({
  ofStream: (stream, signal) => streamPages(reader, { stream, from: 0n, signal, pace }),
  async deletionsOf({ list, tag }) {
    const moment = await catalogues.now();
    const deleted = (kind: NamedKind, ids: ReadonlySet<string>): readonly string[] =>
      [...ids].flatMap((id) => deletionOf(moment.versions(kind, id))?.position ?? []);
    const events: StoredEvent[] = [];
    for (const position of [...deleted('list', list), ...deleted('tag', tag)]) {
      const event = await reader.readAt(position);
      if (event !== undefined) events.push(event);
    }
    return events;
  },
});
