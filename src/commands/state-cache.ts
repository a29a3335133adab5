/** The streams of one kind as far as they have been folded: a bounded memory of them, and the reads that fold what came after. */
import { codec, isUnreadable, UnreadableEventError, type DomainEvent } from '../events/codec.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import type { Folded } from './batch.js';
import type { Decider } from './decider.js';

export interface FoldedStreams<State> {
  /** A stream of which nothing has been folded. */
  readonly unread: Folded<State>;
  /** As far as it is remembered. */
  known(stream: string): Folded<State> | undefined;
  /** The least recently remembered is dropped for it, where there are too many. */
  remember(stream: string, folded: Folded<State>): void;
  forget(stream: string): void;
  /**
   * Folds what lies behind the known state, in a read that begins after this call: one that runs already may have
   * passed what the caller must see. All that wait for it share the next one.
   */
  readTail(stream: string): Promise<Folded<State>>;
  /** Folds what came after this state, which must be a true fold of the stream's first events. */
  foldTail(stream: string, start: Folded<State>): Promise<Folded<State>>;
}

export interface FoldedStreamsOptions<State, Event extends DomainEvent> {
  readonly reader: Pick<EventReader, 'readStream'>;
  readonly decider: Pick<Decider<State, never, Event>, 'initial' | 'evolve' | 'knows'>;
  /** Folded states kept in memory, the least recently used dropped first. */
  readonly cacheSize: number;
}

export function createFoldedStreams<State, Event extends DomainEvent>(
  options: FoldedStreamsOptions<State, Event>,
): FoldedStreams<State> {
  const { reader, decider, cacheSize } = options;
  const unread: Folded<State> = { state: decider.initial, revision: -1n, position: '', at: '' };
  const cache = new Map<string, Folded<State>>();
  /**
   * Up to an event that cannot be read: where the next read begins, so that none goes over all of it again. Never in the
   * cache, which passes for the whole stream.
   */
  const beginnings = new Map<string, Folded<State>>();
  const reads = new Map<string, { readonly running: Promise<Folded<State>>; next?: Promise<Folded<State>> }>();

  const remember = (stream: string, folded: Folded<State>): void => keep(cache, stream, folded);

  function keep(kept: Map<string, Folded<State>>, stream: string, folded: Folded<State>): void {
    kept.delete(stream);
    kept.set(stream, folded);
    if (kept.size <= cacheSize) return;
    for (const oldest of kept.keys()) {
      kept.delete(oldest);
      return;
    }
  }

  function readTail(stream: string): Promise<Folded<State>> {
    const reading = reads.get(stream);
    if (reading === undefined) return startRead(stream);
    reading.next ??= reading.running.then(
      () => startRead(stream),
      () => startRead(stream),
    );
    return reading.next;
  }

  function startOf(stream: string): Folded<State> {
    const known = cache.get(stream) ?? unread;
    const beginning = beginnings.get(stream);
    return beginning !== undefined && beginning.revision > known.revision ? beginning : known;
  }

  function startRead(stream: string): Promise<Folded<State>> {
    const running = foldTail(stream, startOf(stream));
    const entry = { running };
    reads.set(stream, entry);
    const forget = (): void => {
      if (reads.get(stream) === entry) reads.delete(stream);
    };
    running.then(forget, forget);
    return running;
  }

  async function foldTail(stream: string, start: Folded<State>): Promise<Folded<State>> {
    let folded = start;
    try {
      for await (const events of reader.readStream(stream, { from: start.revision + 1n }))
        for (const stored of events) folded = foldOne(folded, stored);
    } catch (error) {
      if (isUnreadable(error) && folded.revision >= 0n) keep(beginnings, stream, folded);
      throw error;
    }
    // An append of our own may have gone further while this read was under way.
    const newest = cache.get(stream);
    if (newest !== undefined && newest.revision > folded.revision) return newest;
    if (folded.revision >= 0n) remember(stream, folded);
    return folded;
  }

  function foldOne(folded: Folded<State>, stored: StoredEvent): Folded<State> {
    const { event, metadata, revision, position } = codec.decode(stored);
    if (!decider.knows(event))
      throw new UnreadableEventError(
        `event ${event.type} at revision ${revision} of ${stored.stream}, position ${position}, is none of this stream`,
      );
    return { state: decider.evolve(folded.state, event), revision, position, at: metadata.at };
  }

  return {
    unread,
    remember,
    readTail,
    foldTail,
    known: (stream) => cache.get(stream),
    forget: (stream) => void cache.delete(stream),
  };
}
