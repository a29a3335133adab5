/** An event store that answers an append before it is on the disk, so that many go into one commit though they come one after the other. For a log that is empty at first, of one process, and that nobody needs before it is whole. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ReadStreamOptions,
  type StoredEvent,
} from '../src/eventstore/event-store.js';
import { formatPosition } from '../src/eventstore/sqlite/schema.js';

/** Appends that may be on their way to the disk, and after how many the answers of those before are heard. */
const most = 4_000;
const hearEvery = 128;

export interface WriteBehind extends EventStore {
  /** Events so far. */
  count(): number;
  /** Resolves when all that was appended is on the disk. @throws what a write has failed with */
  settled(): Promise<void>;
}

export function createWriteBehind(store: EventStore): WriteBehind {
  /** Where each stream stands. */
  const revisions = new Map<string, bigint>();
  /** By stream, the events of appends that are on their way, and how many appends these are. */
  const underWay = new Map<string, { readonly events: StoredEvent[]; appends: number }>();
  const waiting = new Set<Promise<void>>();
  let [count, appends] = [0, 0];
  let fault: unknown;

  function throwFault(): void {
    if (fault !== undefined) throw fault;
  }

  async function settled(): Promise<void> {
    while (waiting.size > 0) await Promise.all(waiting);
    throwFault();
  }

  async function room(): Promise<void> {
    await nextTurn();
    for (const oldest of waiting) {
      if (waiting.size <= most) return;
      await oldest;
    }
  }

  /** What the store will answer. */
  function foresee(stream: string, events: readonly EventToAppend[]): AppendResult {
    const first = (revisions.get(stream) ?? -1n) + 1n;
    const kept = underWay.get(stream) ?? { events: [], appends: 0 };
    events.forEach((event, index) => {
      const position = formatPosition((count += 1));
      kept.events.push({ ...event, stream, revision: first + BigInt(index), position });
    });
    kept.appends += 1;
    underWay.set(stream, kept);
    const revision = first + BigInt(events.length) - 1n;
    revisions.set(stream, revision);
    return { revision, position: formatPosition(count) };
  }

  async function write(stream: string, events: readonly EventToAppend[], foreseen: AppendResult): Promise<void> {
    const before = foreseen.revision - BigInt(events.length);
    const { revision, position } = await store.append(stream, events, {
      expectedRevision: before < 0n ? 'no_stream' : before,
    });
    if (revision !== foreseen.revision || position !== foreseen.position)
      throw new Error('another process writes to this log');
    const kept = underWay.get(stream);
    if (kept !== undefined && (kept.appends -= 1) === 0) underWay.delete(stream);
  }

  /** Undefined: what is under way is not all that there is of the stream. */
  function inMemory(stream: string, { from, direction, limit }: ReadStreamOptions): readonly StoredEvent[] | undefined {
    const events = underWay.get(stream)?.events;
    if (events?.[0]?.revision !== 0n) return undefined;
    const isBackwards = direction === 'backwards';
    const ordered = isBackwards ? events.toReversed() : events;
    const asked = ordered.filter(({ revision }) =>
      from === undefined ? true : isBackwards ? revision <= from : revision >= from,
    );
    return asked.slice(0, limit);
  }

  async function* readStream(stream: string, options: ReadStreamOptions = {}) {
    if (!revisions.has(stream)) return;
    const found = inMemory(stream, options);
    if (found === undefined) {
      if (underWay.has(stream)) await settled();
      yield* store.readStream(stream, options);
    } else if (found.length > 0) yield found;
  }

  // Without `readStreams`, which is for many readers at once.
  const { readStreams: _, ...whole } = store;
  return {
    ...whole,
    count: () => count,
    settled,
    async append(stream, events, { expectedRevision }) {
      throwFault();
      const stands = revisions.get(stream) ?? 'no_stream';
      if (stands !== expectedRevision) throw new WrongExpectedRevisionError(expectedRevision, stands);
      const foreseen = foresee(stream, events);
      const written = write(stream, events, foreseen)
        .catch((error: unknown) => void (fault ??= error))
        .finally(() => waiting.delete(written));
      waiting.add(written);
      if ((appends += 1) % hearEvery === 0) await room();
      return foreseen;
    },
    readStream,
    async redact(stream, through) {
      await settled();
      return await store.redact(stream, through);
    },
    async *readAll(options) {
      await settled();
      yield* store.readAll(options);
    },
    async readAt(position) {
      await settled();
      return await store.readAt(position);
    },
    async head() {
      await settled();
      return await store.head();
    },
  };
}
