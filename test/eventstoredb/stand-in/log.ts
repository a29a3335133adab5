/** The log of the stand-in for EventStoreDB: what a real server decides about appends and deletions, and where events come to stand. */
import { Buffer } from 'node:buffer';

export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly json: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

export interface LoggedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit and prepare position are the same, as in a real server's log. */
  readonly position: number;
  readonly created: Date;
}

export type Expected = bigint | 'no_stream' | 'stream_exists' | 'any';

export type Outcome =
  | { readonly type: 'done'; readonly revision: bigint | 'no_stream'; readonly position: number }
  | { readonly type: 'wrong'; readonly actual: bigint | 'no_stream' }
  | { readonly type: 'deleted' };

/** A stretch of the log. Without `event`: an append of nothing, which takes a place and is never read. */
interface LogRecord {
  readonly position: number;
  readonly end: number;
  readonly event?: LoggedEvent;
}

type Decision = { readonly type: 'write' } | { readonly type: 'repeat'; readonly last: LoggedEvent } | Outcome;

/** Where deleted streams stand, and what soft deletion sets as the first revision to be shown. */
const lastRevision = 9_223_372_036_854_775_807n;

export interface Log {
  append(stream: string, events: readonly NewEvent[], expected: Expected): Outcome;
  /** Softly: the stream can be written again, and goes on where it stood. */
  delete(stream: string, expected: Expected): Outcome;
  tombstone(stream: string, expected: Expected): Outcome;
  /** Replaces the data of an event in its place, as a person who can write to the server's files can. */
  alter(id: string, data: string): void;
  records(): readonly LogRecord[];
  /** Index of the record that begins there, or where the log ends. Undefined in the middle of a record. */
  indexOf(position: number): number | undefined;
  end(): number;
  stream(name: string): { readonly events: readonly LoggedEvent[]; readonly state: 'there' | 'missing' | 'deleted' };
  /** Called with what was appended, within the append. Returns how to stop that. */
  follow(listener: (events: readonly LoggedEvent[]) => void): () => void;
  /** Repeats with `any` are recognised from memory only, as after a start of the server. */
  forget(): void;
}

/** Every so many events of clients the server writes one of its own. */
export function createLog(clock: () => number, systemEventEvery: number): Log {
  const records: LogRecord[] = [];
  const streams = new Map<string, LoggedEvent[]>();
  const tombstoned = new Set<string>();
  const listeners = new Set<(events: readonly LoggedEvent[]) => void>();
  const known = new Map<string, LoggedEvent>();
  let end = 548;
  let untilSystemEvent = systemEventEvery;

  const eventsOf = (stream: string): readonly LoggedEvent[] => streams.get(stream) ?? [];
  const standing = (stream: string): bigint => BigInt(eventsOf(stream).length) - 1n;

  /** The revision that the stream is shown from. */
  function truncatedBefore(stream: string): bigint {
    const setting = eventsOf(`$$${stream}`).at(-1);
    const before = setting === undefined ? undefined : (JSON.parse(setting.data.toString()) as { $tb?: number }).$tb;
    return BigInt(before ?? 0);
  }
  const isSoftlyDeleted = (stream: string): boolean => truncatedBefore(stream) >= lastRevision;

  const isUnknown = (stream: string): boolean => standing(stream) < 0n && standing(`$$${stream}`) < 0n;

  function decide(stream: string, ids: readonly string[], expected: Expected): Decision {
    if (tombstoned.has(stream)) return { type: 'deleted' };
    if (expected === 'stream_exists') return decideExisting(stream, ids);
    if (expected === 'any') return decideFromMemory(stream, ids);
    const after = expected === 'no_stream' ? -1n : expected;
    if (after >= standing(stream)) return after === standing(stream) ? { type: 'write' } : wrong(stream);
    return decideBelow(stream, ids, after);
  }

  function decideExisting(stream: string, ids: readonly string[]): Decision {
    if (isSoftlyDeleted(stream)) return { type: 'deleted' };
    return isUnknown(stream) ? wrong(stream) : decideFromMemory(stream, ids);
  }

  function decideFromMemory(stream: string, ids: readonly string[]): Decision {
    const found = ids.map((id) => known.get(id)).map((event) => (event?.stream === stream ? event : undefined));
    const last = found.at(-1);
    const missing = found.indexOf(undefined);
    if (missing > 0) return wrong(stream);
    return missing === 0 || last === undefined ? { type: 'write' } : { type: 'repeat', last };
  }

  /** Expected further down than the stream stands: the same events as there are a repeat. */
  function decideBelow(stream: string, ids: readonly string[], after: bigint): Decision {
    const there = eventsOf(stream).slice(Number(after) + 1, Number(after) + 1 + ids.length);
    const differs = ids.findIndex((id, at) => there[at]?.id !== id);
    const last = there.at(-1);
    if (differs < 0 && last !== undefined) return { type: 'repeat', last };
    return differs === 0 && after < 0n && isSoftlyDeleted(stream) ? { type: 'write' } : wrong(stream);
  }

  function wrong(stream: string): Outcome {
    const actual = standing(stream);
    return { type: 'wrong', actual: actual < 0n ? 'no_stream' : actual };
  }

  function take(size: number): { readonly position: number; readonly end: number } {
    const position = end;
    end += size;
    return { position, end };
  }

  function write(stream: string, { id, type, json, data, metadata }: NewEvent, revision?: bigint): LoggedEvent {
    const place = take(80 + stream.length + 2 * type.length + data.length + metadata.length);
    const event: LoggedEvent = {
      ...{ id, type, json, data, metadata, stream },
      revision: revision ?? standing(stream) + 1n,
      position: place.position,
      created: new Date(clock()),
    };
    records.push({ ...place, event });
    known.set(id, event);
    if (revision !== undefined) return event;
    const events = streams.get(stream);
    if (events === undefined) streams.set(stream, [event]);
    else events.push(event);
    return event;
  }

  const writeSetting = (stream: string, $tb: bigint): LoggedEvent =>
    write(`$$${stream}`, systemEvent('$metadata', `{"$tb":${$tb}}`));

  function tell(events: readonly LoggedEvent[]): void {
    for (const listener of [...listeners]) listener(events);
  }

  function writeOwn(count: number): LoggedEvent[] {
    untilSystemEvent -= count;
    if (untilSystemEvent > 0) return [];
    untilSystemEvent = systemEventEvery;
    return [write('$stats-127.0.0.1:2113', systemEvent('$statsCollected', '{}'))];
  }

  function remove(stream: string, expected: Expected, mark: () => LoggedEvent): Outcome {
    const decision = decide(stream, [crypto.randomUUID()], expected);
    if (decision.type === 'deleted' || decision.type === 'wrong') return decision;
    const event = mark();
    tell([event]);
    return { type: 'done', revision: event.revision, position: event.position };
  }

  function writeAll(stream: string, events: readonly NewEvent[]): Outcome {
    const revived = isSoftlyDeleted(stream) ? standing(stream) + 1n : undefined;
    const written = events.map((event) => write(stream, event));
    const revision = standing(stream);
    const nothing = written.length === 0 ? take(100) : undefined;
    if (nothing !== undefined) records.push(nothing);
    const position = written.at(-1)?.position ?? nothing?.position ?? 0;
    if (revived !== undefined) written.push(writeSetting(stream, revived));
    tell([...written, ...writeOwn(events.length)]);
    return { type: 'done', revision: revision < 0n ? 'no_stream' : revision, position };
  }

  write('$$$scavenges', systemEvent('$metadata', '{"$maxAge":2592000}'));

  return {
    append(stream, events, expected) {
      const ids = events.map(({ id }) => id);
      const decision = decide(stream, ids, expected);
      if (decision.type === 'write') return writeAll(stream, events);
      if (decision.type !== 'repeat') return decision;
      const { revision, position } = decision.last;
      return { type: 'done', revision, position };
    },
    delete(stream, expected) {
      if (isUnknown(stream) && !tombstoned.has(stream)) return wrong(stream);
      return remove(stream, expected, () => writeSetting(stream, lastRevision));
    },
    tombstone: (stream, expected) =>
      remove(stream, expected, () => {
        tombstoned.add(stream);
        return write(stream, { ...systemEvent('$streamDeleted', ''), json: false }, lastRevision);
      }),
    alter(id, data) {
      const index = records.findIndex(({ event }) => event?.id === id);
      const record = records[index];
      if (record?.event === undefined) throw new Error(`there is no event ${id}`);
      const altered = { ...record.event, data: Buffer.from(data) };
      records[index] = { ...record, event: altered };
      streams.get(altered.stream)?.splice(Number(altered.revision), 1, altered);
    },
    records: () => records,
    indexOf: (position) => indexOf(records, end, position),
    end: () => end,
    stream(name) {
      const first = truncatedBefore(name);
      if (tombstoned.has(name)) return { events: [], state: 'deleted' };
      if (standing(name) < 0n || first >= lastRevision) return { events: [], state: 'missing' };
      // Of settings only the last is shown.
      if (name.startsWith('$$')) return { events: eventsOf(name).slice(-1), state: 'there' };
      return { events: first > 0n ? eventsOf(name).slice(Number(first)) : eventsOf(name), state: 'there' };
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    forget: () => known.clear(),
  };
}

const systemEvent = (type: string, data: string): NewEvent => ({
  id: crypto.randomUUID(),
  type,
  json: true,
  data: Buffer.from(data),
  metadata: Buffer.alloc(0),
});

function indexOf(records: readonly LogRecord[], end: number, position: number): number | undefined {
  if (position === end) return records.length;
  let low = 0;
  let high = records.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = records[middle]?.position ?? 0;
    if (at === position) return middle;
    if (at < position) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}
