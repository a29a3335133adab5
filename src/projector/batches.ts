/** Turns a subscription into the batches that are folded at once: small when idle, so that a write is soon visible; large under load. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventReader, Position, StoredEvent, SubscriptionMessage } from '../eventstore/event-store.js';

/** A batch is closed at this many events or characters of data: at most one message of the subscription beyond. */
export const batchBounds = { events: 2_000, characters: 4 * 1024 * 1024 };

export interface Batch {
  /** Empty when only `caught_up` came. */
  readonly events: readonly StoredEvent[];
  /** Nothing was waiting in the log after these events. */
  readonly caughtUp: boolean;
}

/** Takes what the subscription has ready, without waiting for more. Ends when the subscription does; it may be left at any time. */
export async function* batches(
  reader: Pick<EventReader, 'subscribe'>,
  { after, signal }: { readonly after: Position; readonly signal: AbortSignal },
): AsyncGenerator<Batch> {
  // Its own controller: a subscription that waits for events ends at once only when it is aborted.
  const left = new AbortController();
  const options = { after, signal: AbortSignal.any([signal, left.signal]) };
  const iterator = reader.subscribe(options)[Symbol.asyncIterator]();
  let next = readAhead(iterator);
  try {
    for (;;) {
      const { messages, done, ahead } = await collect(iterator, next);
      next = ahead;
      if (messages.length > 0)
        yield {
          events: messages.flatMap((message) => (message.type === 'events' ? message.events : [])),
          caughtUp: messages.at(-1)?.type === 'caught_up',
        };
      if (done) return;
    }
  } finally {
    left.abort();
    await iterator.return?.();
  }
}

type Next = Promise<IteratorResult<SubscriptionMessage, unknown>>;

/** Messages until `caught_up`, a bound, the end, or until the next message is not there within a turn. */
async function collect(
  iterator: AsyncIterator<SubscriptionMessage, unknown>,
  first: Next,
): Promise<{ messages: SubscriptionMessage[]; done: boolean; ahead: Next }> {
  const messages: SubscriptionMessage[] = [];
  let events = 0;
  let characters = 0;
  let ahead = first;
  let result: IteratorResult<SubscriptionMessage, unknown> | undefined = await first;
  while (result !== undefined && result.done !== true) {
    messages.push(result.value);
    ahead = readAhead(iterator);
    if (result.value.type === 'caught_up') break;
    events += result.value.events.length;
    for (const { data } of result.value.events) characters += data.length;
    if (events >= batchBounds.events || characters >= batchBounds.characters) break;
    result = await Promise.race([ahead, nextTurn(undefined)]);
  }
  return { messages, done: result?.done === true, ahead };
}

/** The failure is handled where the result is awaited, which may be much later: until then it must not count as unhandled. */
export function readAhead<T>(iterator: AsyncIterator<T, unknown>): Promise<IteratorResult<T, unknown>> {
  const next = iterator.next();
  next.catch(() => undefined);
  return next;
}
