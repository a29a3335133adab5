/** Commands on a kind of stream that few things have: one that was never begun is known without a read. */
import { createBloomFilter } from '../flow/bloom-filter.js';
import type { EventStore } from '../eventstore/event-store.js';
import type { CommandHandler } from './command-handler.js';
import type { Decider } from './decider.js';

/** 1 MiB. With 500,000 streams one in 500 others is read for nothing, with a million one in 40. */
const filterBits = 2 ** 23;

interface WrittenStreamsOptions<State> {
  readonly store: Pick<EventStore, 'soleWriter' | 'streamNames'>;
  /** With which the names of these streams begin, and no others. */
  readonly prefix: string;
  readonly decider: Pick<Decider<State, never, never>, 'initial'>;
}

interface KnowingHandler<State, Command, Event> extends CommandHandler<State, Command, Event> {
  /** No stream of this kind was ever begun. False: perhaps one was. */
  isNoneWritten(): boolean;
}

/**
 * The handler, which all appends to these streams go through from now on: `known` answers for those that were never begun,
 * too. A stream is noted before its append, so none that is in the log is missed, whatever became of its answer. Where other
 * processes append, it stays as it is. @throws StoreUnavailableError
 */
export async function knowingStreams<State, Command, Event>(
  handler: CommandHandler<State, Command, Event>,
  { store, prefix, decider }: WrittenStreamsOptions<State>,
): Promise<KnowingHandler<State, Command, Event>> {
  const names = store.soleWriter ? store.streamNames?.(prefix) : undefined;
  if (names === undefined) return { ...handler, isNoneWritten: () => false };
  const written = createBloomFilter(filterBits);
  let isNone = true;
  const note = (stream: string): void => {
    isNone = false;
    written.add(stream);
  };
  for await (const portion of names) for (const name of portion) note(name);
  const never = { state: decider.initial, revision: -1n, position: '', at: '' };
  return {
    ...handler,
    execute(request) {
      note(request.stream);
      return handler.execute(request);
    },
    isNoneWritten: () => isNone,
    known: (stream, suffices) => (written.has(stream) ? handler.known(stream, suffices) : never),
  };
}
