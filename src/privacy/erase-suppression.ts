/** What an erasure takes of refused mail: what was said about it, in the events up to SuppressionErased. What is refused stays, under the key alone. */
import type { CommandContext } from '../commands/batch.js';
import { codec, type DomainEvent } from '../events/codec.js';
import type { RecordedEvent } from '../events/envelope.js';
import { suppressionStream } from '../events/streams.js';
import type { EventStore } from '../eventstore/event-store.js';
import type { SuppressionHandler } from '../commands/suppression-requests.js';
import { isErasable } from '../commands/suppressions.js';

type Reader = Pick<EventStore, 'readStream'>;

interface SuppressionOptions {
  readonly store: Reader;
  readonly suppressions: SuppressionHandler;
  readonly subjectKey: string;
  /** Position of the request of the erasure. */
  readonly requested: string;
}

interface ErasedSuppression {
  readonly stream: string;
  readonly through: bigint;
  /** Position of SuppressionErased. */
  readonly last: string;
}

/**
 * Erases the personal data of the stream and ends its counted refusals. Returns undefined if the stream has neither. Events
 * after SuppressionErased are not changed.
 */
export async function eraseSuppression(
  options: SuppressionOptions,
  context: CommandContext,
): Promise<ErasedSuppression | undefined> {
  const { suppressions, subjectKey } = options;
  const stream = suppressionStream(subjectKey);
  const { state } = await suppressions.fresh(stream);
  if (!isErasable(state) && state.erased_through === null) return undefined;
  const earlier = await erasedSince(options);
  if (earlier !== undefined || !isErasable(state)) return earlier;
  await suppressions.execute({ stream, command: { type: 'EraseSuppression' }, context });
  return await erasedSince(options);
}

/** Whether something personal has come since the erasure was there. */
export async function hasSuppressionLeft(options: SuppressionOptions): Promise<boolean> {
  const { state } = await options.suppressions.fresh(suppressionStream(options.subjectKey));
  return state.hasPerson && (await erasedSince(options)) !== undefined;
}

async function erasedSince({
  store,
  subjectKey,
  requested,
}: SuppressionOptions): Promise<ErasedSuppression | undefined> {
  const since = await eventsSince(store, suppressionStream(subjectKey), requested);
  for (const { event, stream, position } of since)
    if (event.type === 'SuppressionErased') return { stream, last: position, through: BigInt(event.data.through) };
  return undefined;
}

/** Those of a stream after a position, the last one first. */
export async function eventsSince(
  store: Reader,
  stream: string,
  after: string,
): Promise<readonly RecordedEvent<DomainEvent>[]> {
  const since: RecordedEvent<DomainEvent>[] = [];
  for await (const batch of store.readStream(stream, { direction: 'backwards' }))
    for (const stored of batch) {
      if (stored.position <= after) return since;
      since.push(codec.decode(stored));
    }
  return since;
}
