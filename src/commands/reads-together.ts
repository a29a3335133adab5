/** Streams that are to be read whole: those that are asked for in one turn are one read, where the store has such. */
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';

type StreamEvents = ReadonlyMap<string, readonly StoredEvent[]>;

interface JointRead {
  readonly streams: Set<string>;
  readonly found: Promise<StreamEvents>;
}

const nothing: StreamEvents = new Map();

/** Resolves with all events of the stream, or undefined: it has to be read by itself. */
export function createJointReads(
  reader: Pick<EventReader, 'readStreams'>,
): (stream: string) => Promise<readonly StoredEvent[] | undefined> {
  let next: JointRead | undefined;

  async function read(streams: ReadonlySet<string>): Promise<StreamEvents> {
    // All that ask in this turn have asked before the next line runs.
    await Promise.resolve();
    next = undefined;
    return streams.size > 1 ? ((await reader.readStreams?.([...streams])) ?? nothing) : nothing;
  }

  function begin(): JointRead {
    const streams = new Set<string>();
    return { streams, found: read(streams) };
  }

  return async (stream) => {
    next ??= begin();
    next.streams.add(stream);
    return (await next.found).get(stream);
  };
}
