/** Keeps the loaded states of the streams of one kind in a bounded cache, and reads streams to fold later events. */
import { codec, UnreadableEventError, type DomainEvent } from '../events/codec.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import { createSingleFlight } from '../flow/single-flight.js';
import type { LoadedState } from './batch.js';
import type { Decider } from './decider.js';
import { createJointReads } from './reads-together.js';

interface StateCacheOptions<State, Event extends DomainEvent> {
  readonly reader: Pick<EventReader, 'readStream' | 'readStreams'>;
  readonly decider: Pick<Decider<State, never, Event>, 'initial' | 'evolve' | 'knows' | 'isStateless'>;
  readonly cacheSize: number;
}

const lastOnly = { direction: 'backwards', limit: 1 } as const;

export function createStateCache<State, Event extends DomainEvent>(options: StateCacheOptions<State, Event>) {
  const { reader, decider, cacheSize } = options;
  const readWhole = createJointReads(reader);
  const unread: LoadedState<State> = { state: decider.initial, revision: -1n, position: '', at: '' };
  const cache = new Map<string, LoadedState<State>>();

  function remember(stream: string, loaded: LoadedState<State>): void {
    cache.delete(stream);
    cache.set(stream, loaded);
    if (cache.size <= cacheSize) return;
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      return;
    }
  }

  /** Folds the events after the cached state, in a read that begins after this call. */
  const readTail = createSingleFlight((stream: string) => foldTail(stream, cache.get(stream) ?? unread));

  /** Folds what came after this state, which must be a true fold of the stream's first events. */
  async function foldTail(stream: string, start: LoadedState<State>): Promise<LoadedState<State>> {
    let loaded = start;
    for await (const events of eventsAfter(stream, start.revision))
      for (const stored of events) loaded = foldOne(loaded, stored);
    // An append of this process may have gone further during this read.
    const newest = cache.get(stream);
    if (newest !== undefined && newest.revision > loaded.revision) return newest;
    if (loaded.revision >= 0n) remember(stream, loaded);
    return loaded;
  }

  async function* eventsAfter(stream: string, revision: bigint): AsyncGenerator<readonly StoredEvent[]> {
    const isStateless = decider.isStateless === true;
    const whole = revision < 0n && !isStateless ? await readWhole(stream) : undefined;
    if (whole !== undefined) yield whole;
    else yield* reader.readStream(stream, isStateless ? lastOnly : { from: revision + 1n });
  }

  function foldOne(loaded: LoadedState<State>, stored: StoredEvent): LoadedState<State> {
    const { event, metadata, revision, position } = codec.decode(stored);
    if (!decider.knows(event))
      throw new UnreadableEventError(
        `event ${event.type} at revision ${revision} of ${stored.stream}, position ${position}, is none of this stream`,
      );
    return { state: decider.evolve(loaded.state, event, metadata), revision, position, at: metadata.at };
  }

  return {
    unread,
    remember,
    readTail,
    foldTail,
    known: (stream: string) => cache.get(stream),
    forget: (stream: string) => void cache.delete(stream),
  };
}
