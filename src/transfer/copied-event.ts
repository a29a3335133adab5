/** An event as a copy must keep it: compared, named, measured and written as a line for a digest. Nothing personal is shown. */
import type { StoredEvent } from '../eventstore/event-store.js';

/** What a copy keeps of an event, in the order in which it is compared. Positions are each log's own. */
const keptFields = ['stream', 'revision', 'id', 'type', 'data', 'metadata'] as const;

/** Undefined: the same. `place` counts the events from 1; an event that is undefined stands for the end of its log. */
export function differenceBetween(
  source: StoredEvent | undefined,
  target: StoredEvent | undefined,
  place: number,
): string | undefined {
  if (source === undefined)
    return target === undefined
      ? undefined
      : `the source ends before event ${place}, where the target has ${name(target)}`;
  if (target === undefined) return `the target ends before event ${place}, where the source has ${name(source)}`;
  const field = keptFields.find((kept) => source[kept] !== target[kept]);
  if (field === undefined) return undefined;
  if (field === 'data' || field === 'metadata')
    return `event ${place}, ${name(source)}, has other ${field} in the target than in the source`;
  return `event ${place} differs in ${field}: the source has ${name(source)}, the target ${name(target)}`;
}

/** Holds nothing personal: stream names are keyed hashes. */
export const name = ({ type, stream, revision, id }: StoredEvent): string =>
  `${type} (revision ${revision} of ${stream}, id ${id})`;

/** One line of JSON for each event: what the digest of a log is taken over. */
export const lineOf = ({ stream, revision, id, type, data, metadata }: StoredEvent): string =>
  `${JSON.stringify([stream, String(revision), id, type, data, metadata])}\n`;

/** Bytes of what an append carries of an event. */
export const sizeOf = ({ type, data, metadata }: StoredEvent): number =>
  Buffer.byteLength(type) + Buffer.byteLength(data) + Buffer.byteLength(metadata);
