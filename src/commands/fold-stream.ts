import { codec, type DomainEvent } from '../events/codec.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { Decider } from './decider.js';

/** Reads a stream of the log and returns its state. @throws StoreUnavailableError @throws UnreadableEventError */
export async function foldStream<State, Event extends DomainEvent>(
  log: Pick<EventReader, 'readStream'>,
  stream: string,
  { initial, knows, evolve }: Pick<Decider<State, never, Event>, 'initial' | 'knows' | 'evolve'>,
): Promise<State> {
  let state = initial;
  for await (const batch of log.readStream(stream))
    for (const stored of batch) {
      const { event, metadata } = codec.decode(stored);
      if (knows(event)) state = evolve(state, event, metadata);
    }
  return state;
}
