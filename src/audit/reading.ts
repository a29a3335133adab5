/** How auditors' answers read the log: in small pages, so that other work goes on meanwhile, and as of one moment. */
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';
import { longReplayEvents, unpaced, type ReplayPace } from './replay-pace.js';

export type AuditReader = Pick<EventReader, 'readStream' | 'readAll' | 'readAt' | 'subscribe' | 'head'>;

interface StreamReading {
  readonly stream: string;
  readonly from: bigint;
  readonly horizon?: string;
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
  /** Shared by all replays that clients can ask for. */
  readonly pace?: ReplayPace | undefined;
}

/** Reading and decoding a page takes about a millisecond. */
const eventsPerPage = 256;

/**
 * Pages of one stream up to the horizon; other work gets its turn between two of them. @throws StoreUnavailableError,
 * the signal's reason when it aborts, and ServiceError `unavailable` when too many long replays are running
 */
export async function* streamPages(
  reader: Pick<EventReader, 'readStream'>,
  { stream, from, horizon, size = eventsPerPage, signal, pace = unpaced }: StreamReading,
): AsyncGenerator<readonly StoredEvent[]> {
  let next = from;
  let limit = size;
  let release: (() => void) | undefined;
  try {
    for (;;) {
      const page = await readPage(reader, { stream, horizon, signal, from: next, limit });
      if (page.length > 0) yield page;
      if (page.length < limit) return;
      next += BigInt(page.length);
      // A stream that goes on after a small first page is long.
      limit = eventsPerPage;
      if (next - from > longReplayEvents) release ??= await pace.long(signal);
      await pace.turn();
    }
  } finally {
    release?.();
  }
}

interface PageReading {
  readonly stream: string;
  readonly from: bigint;
  readonly limit: number;
  readonly horizon: string | undefined;
  readonly signal: AbortSignal | undefined;
}

async function readPage(
  reader: Pick<EventReader, 'readStream'>,
  { stream, from, limit, horizon, signal }: PageReading,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  const options = { from, limit, ...(signal === undefined ? {} : { signal }) };
  for await (const some of reader.readStream(stream, options)) events.push(...some);
  // A read that was aborted ends early: a part must not pass for the whole.
  signal?.throwIfAborted();
  return horizon === undefined ? events : events.filter(({ position }) => position <= horizon);
}
