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
/** Streams that are kept in memory: those that were appended to last are read next. */
const mostKept = 5_000;

export interface WriteBehind extends EventStore {
  /** Events so far. */
  count(): number;
  /** Resolves when all that was appended is on the disk. @throws where a write has failed */
  settled(): Promise<void>;
}

interface KeptStream {
  readonly events: readonly StoredEvent[];
  underWay: number;
}

export function createWriteBehind(store: EventStore): WriteBehind {
  /** Where each stream stands. */
  const revisions = new Map<string, bigint>();
  /** By stream, the last one at the end: its last events, and how many of its appends are on their way. */
  const kept = new Map<string, KeptStream>();
  const waiting = new Set<Promise<void>>();
  let [count, appends] = [0, 0];
  let fault: Error | undefined;

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
    const { underWay, events: before } = kept.get(stream) ?? { underWay: 0, events: [] };
    const added = events.map((event, index) => {
      const position = formatPosition((count += 1));
      return { ...event, stream, revision: first + BigInt(index), position };
    });
    kept.delete(stream);
    kept.set(stream, { underWay: underWay + 1, events: [...before, ...added] });
    forgetOldest();
    const revision = first + BigInt(events.length) - 1n;
    revisions.set(stream, revision);
    return { revision, position: formatPosition(count) };
  }

  function forgetOldest(): void {
    if (kept.size <= mostKept) return;
    for (const [stream, { underWay }] of kept) {
      if (underWay === 0) kept.delete(stream);
      return;
    }
  }

  async function write(stream: string, events: readonly EventToAppend[], foreseen: AppendResult): Promise<void> {
    const before = foreseen.revision - BigInt(events.length);
    const { revision, position } = await store.append(stream, events, {
      expectedRevision: before < 0n ? 'no_stream' : before,
    });
    if (revision !== foreseen.revision || position !== foreseen.position)
      throw new Error('another process writes to this log');
    const its = kept.get(stream);
    if (its !== undefined) its.underWay -= 1;
  }

  /** Undefined: what is kept is not all that there is of the stream. */
  function inMemory(stream: string, { from, direction, limit }: ReadStreamOptions): readonly StoredEvent[] | undefined {
    const events = kept.get(stream)?.events;
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
      if ((kept.get(stream)?.underWay ?? 0) > 0) await settled();
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
        .catch((error: unknown) => void (fault ??= new Error('the log cannot be written', { cause: error })))
        .finally(() => waiting.delete(written));
      waiting.add(written);
      if ((appends += 1) % hearEvery === 0) await room();
      return foreseen;
    },
    readStream,
    async redact(stream, through) {
      await settled();
      kept.delete(stream);
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
