/** An index of appends by what they touch: streams, collections, parts of collections, documents. */
import type { DomainEvent } from '../events/codec.js';
import type { AppendedEvents, RecordedEvent } from '../events/envelope.js';
import type { Projection } from '../projections/projection.js';

const streamMark = 'stream:';
/** Key of writes that count as one to each document of their view. No document has this id. */
const everyDocument = '/';

// What a read names to see the writes before it. A whole collection: the name of its view.
export const touchedDocument = (view: string, id: string): string => `${view}/${id}`;
/** Where ids are `prefix/rest`: all documents of one prefix. They are not told apart. */
export const touchedPart = (view: string, prefix: string): string => `${view}/${prefix}/`;
export const touchedStream = (name: string): string => streamMark + name;

export function createGeneration() {
  /** Position of the last append by view, then by document, part (ends with a slash) or `''` for the whole view. Streams are such a view. */
  const views = new Map<string, Map<string, string>>();
  let newest = '';
  let size = 0;

  function entriesOf(view: string): Map<string, string> {
    let entries = views.get(view);
    if (entries === undefined) views.set(view, (entries = new Map<string, string>()));
    return entries;
  }

  function find(touched: string): string | undefined {
    if (touched.startsWith(streamMark)) return views.get(streamMark)?.get(touched.slice(streamMark.length));
    const slash = touched.indexOf('/');
    if (slash < 0) return views.get(touched)?.get('');
    const entries = views.get(touched.slice(0, slash));
    const [one, each] = [entries?.get(part(touched.slice(slash + 1))) ?? '', entries?.get(everyDocument) ?? ''];
    return one > each ? one : each;
  }

  return {
    /** Position of the last append noted, `''` where there is none. */
    get newest(): string {
      return newest;
    },
    size: (): number => size,
    note(
      { stream, events, revision, position }: AppendedEvents<DomainEvent>,
      byType: ReadonlyMap<string, readonly Projection[]>,
    ): void {
      // Appends to different streams may be answered in another order, and a repeat tells an old position.
      const isLate = position < newest;
      const set = (entries: Map<string, string>, key: string): void => {
        if (!isLate || (entries.get(key) ?? '') < position) entries.set(key, position);
      };
      size += 1;
      if (!isLate) newest = position;
      set(entriesOf(streamMark), stream);
      for (const { id, event, metadata } of events) {
        const recorded: RecordedEvent<DomainEvent> = { stream, revision, position, id, event, metadata };
        for (const projection of byType.get(event.type) ?? []) {
          const entries = entriesOf(projection.name);
          set(entries, '');
          for (const key of keysOf(projection, recorded)) set(entries, key);
        }
      }
    },
    /** Position of the last append that touches one of these; see `visible` of read-your-writes.ts. */
    lastWrite(touched: readonly string[]): string {
      let last = '';
      for (const one of touched) {
        const position = find(one) ?? '';
        if (position > last) last = position;
      }
      return last;
    },
  };
}

/** The write is durable: where `keys` throws, which parks the stream, it must be noted all the same. */
function keysOf(projection: Projection, recorded: RecordedEvent<DomainEvent>): readonly string[] {
  if (projection.readAsWhole === true) return [everyDocument];
  try {
    return projection.keys(recorded).map(part);
  } catch {
    return [everyDocument];
  }
}

/** `prefix/` of an id `prefix/rest`, the id itself where it has no parts. */
function part(id: string): string {
  const slash = id.indexOf('/');
  return slash < 0 ? id : id.slice(0, slash + 1);
}
