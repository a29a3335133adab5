/** An index of appends by what they touch: streams, collections, parts of collections, documents. */
import type { DomainEvent } from '../events/codec.js';
import type { AppendedEvents, RecordedEvent } from '../events/envelope.js';
import type { Projection } from '../projections/projection.js';

/** The name under which streams are indexed, beside the names of views. */
export const streamsKey = 'stream:';
/** Key of every document of a view together. */
export const wholeView = '';
/** Key of writes that count as one to each document of their view. No document has this id. */
const everyDocument = '/';

export function createGeneration() {
  /** Position of the last append by view, then by document, by part (ends with a slash) or `wholeView`. Streams are indexed like a view. */
  const views = new Map<string, Map<string, string>>();
  let newest = '';
  let size = 0;

  function entriesOf(view: string): Map<string, string> {
    let entries = views.get(view);
    if (entries === undefined) views.set(view, (entries = new Map<string, string>()));
    return entries;
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
      set(entriesOf(streamsKey), stream);
      for (const { id, event, metadata } of events) {
        const recorded: RecordedEvent<DomainEvent> = { stream, revision, position, id, event, metadata };
        for (const projection of byType.get(event.type) ?? []) {
          const entries = entriesOf(projection.name);
          set(entries, wholeView);
          for (const key of keysOf(projection, recorded)) set(entries, key);
        }
      }
    },
    /** Returns the position of the last append that changes what the key names: a document, a part (`prefix/`), `wholeView`, or a stream. Returns `''` if no append has changed it. */
    lastWrite(view: string, key: string): string {
      const entries = views.get(view);
      if (entries === undefined) return '';
      if (key === wholeView || view === streamsKey) return entries.get(key) ?? '';
      const one = entries.get(part(key)) ?? '';
      const each = entries.get(everyDocument) ?? '';
      return one > each ? one : each;
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
