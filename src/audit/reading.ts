/** How auditors' answers read the log: in small pages, so that other work goes on meanwhile, and as of one moment. */
import { codec, isUnreadable, type DomainEvent } from '../events/codec.js';
import { contactSchemas, isLaterPart, type ContactEvent } from '../events/contact.js';
import type { RecordedEvent } from '../events/envelope.js';
import { StoreUnavailableError, type EventReader, type StoredEvent } from '../eventstore/event-store.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSlots, shortLine } from '../flow/slots.js';
import { z } from 'zod';

export type AuditReader = Pick<EventReader, 'readStream' | 'readAll' | 'readAt' | 'subscribe' | 'head'>;

/** An answer would rest on an event that this version of the service cannot read. The message names its place, never a value. */
export class UnreadableHistoryError extends Error {
  override readonly name = 'UnreadableHistoryError';
}

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

/** @throws UnreadableHistoryError */
export function decoded(stored: StoredEvent): RecordedEvent<DomainEvent> {
  try {
    return codec.decode(stored);
  } catch (error) {
    if (isUnreadable(error)) throw new UnreadableHistoryError(error.message, { cause: error });
    throw error;
  }
}

/** Undefined: it cannot be read. The caller must name it in the answer. */
export function readable(stored: StoredEvent): RecordedEvent<DomainEvent> | undefined {
  try {
    return codec.decode(stored);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** As `readable`; undefined also where it is no event of a contact. */
export function readableContact(stored: StoredEvent): RecordedEvent<ContactEvent> | undefined {
  const recorded = readable(stored);
  return recorded !== undefined && isOfContact(recorded) ? recorded : undefined;
}

const isOfContact = (recorded: RecordedEvent<DomainEvent>): recorded is RecordedEvent<ContactEvent> =>
  Object.hasOwn(contactSchemas, recorded.event.type);

/** A replay of more events is a long one: it takes a slot. */
export const longReplayEvents = 2_048;
const running = 2;

export interface ReplayPace {
  /** Resolves when this replay may read its next page: in line with all others, one per turn of the event loop. */
  turn(): Promise<void>;
  long(signal?: AbortSignal): Promise<() => void>;
}

export function createReplayPace(): ReplayPace {
  const slots = createSlots({ running, ...shortLine });
  let last = Promise.resolve();
  return {
    turn: () => (last = last.then(() => nextTurn())),
    long: slots.take,
  };
}

export const unpaced: ReplayPace = { turn: () => nextTurn(), long: async () => () => undefined };

const ofContact = z.object({ contact_id: z.string(), through: z.int().optional() });

const timeoutMs = 2_000;

/** The contact id in the last event that has one: that of the last contact in the stream; undefined where there is none. @throws StoreUnavailableError */
export async function contactOfStream(
  reader: Pick<EventReader, 'readStream'>,
  stream: string,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  // The last event is nearly always enough: do not read a long stream for it.
  for (const limit of [1, Infinity]) {
    let isEmpty = true;
    for await (const events of reader.readStream(stream, {
      direction: 'backwards',
      signal,
      ...(limit === 1 ? { limit } : {}),
    }))
      for (const { data, revision } of events) {
        isEmpty = false;
        const id = contactIn(data, revision);
        if (id !== undefined) return id;
      }
    if (signal.aborted) throw new StoreUnavailableError('the event log did not answer in time');
    if (isEmpty) return undefined;
  }
  return undefined;
}

function contactIn(text: string, revision: bigint): string | undefined {
  try {
    const { data } = ofContact.safeParse(JSON.parse(text));
    // A later event of an erasure names the contact that it erased, and not the one that has followed in the stream.
    const isOfEarlier = data?.through !== undefined && isLaterPart({ through: data.through }, revision);
    return isOfEarlier ? undefined : data?.contact_id;
  } catch {
    return undefined;
  }
}
