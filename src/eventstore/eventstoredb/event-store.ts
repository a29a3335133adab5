/** The event store on an EventStoreDB (22.10 or later), through its client: many processes may write to one log. */
import {
  jsonEvent,
  WrongExpectedVersionError,
  type AppendResult as ServerResult,
  type JSONType,
} from '@eventstore/db-client';
import { createKeyedQueue } from '../../flow/serial.js';
import {
  InvalidAppendError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type StoredEvent,
} from '../event-store.js';
import type { Observe } from '../../flow/observe.js';
import { validateAppend, validateCanonical } from '../validate-append.js';
import { createChangeNotifier } from './change-notifier.js';
import { checkEventStoreDb, type EventStoreDbCheck } from './check.js';
import { defaultTimings, openConnection, type AppendCall, type Timings } from './connection.js';
import { appendError, closedError, isAborted } from './faults.js';
import { createHead } from './head.js';
import { createPageReader } from './pages.js';
import { fromLogPosition, isPosition } from './positions.js';
import { createReader } from './reader.js';
import { createRedactions, startScavenges } from './redactions.js';
import { parseServerUrl } from './url.js';

export interface EventStoreDbOptions {
  readonly url: string;
  /**
   * Put before the names of streams, and taken off again, by this adapter only. Streams without it are ignored, so
   * several logs can share a server; no prefix may begin with another one.
   */
  readonly prefix: string;
  /** Called for faults that fail no call, such as a dropped subscription, without credentials or personal data. Must not throw. */
  readonly onFault?: (fault: Error) => void;
  /** Reports each round trip. */
  readonly observe?: Observe | undefined;
  readonly timings?: Partial<Timings>;
  readonly random?: () => number;
}

export interface EventStoreDbStore extends EventStore {
  /** The log may have grown: subscriptions that are caught up look at once. */
  wake(): void;
  /** Whether originals of the stream that were redacted are still in the log, until a scavenge. @throws StoreUnavailableError */
  waitsForScavenge(stream: string): Promise<boolean>;
  /** Starts a scavenge on each node that the URL names, and returns their ids. @throws StoreUnavailableError also where the credentials do not allow it */
  scavenge(): Promise<readonly string[]>;
  /** One cheap read with the rights that the service needs, of the leader. Does not throw. */
  check(): Promise<EventStoreDbCheck>;
}

/** The same again is recognised; for `any` and `stream_exists` it may be written twice. */
const isRepeatable = (expected: ExpectedRevision): boolean => typeof expected === 'bigint' || expected === 'no_stream';

/** Connects with the first call. @throws EventStoreUrlError @throws TypeError a prefix that is the server's own */
export function openEventStoreDb(options: EventStoreDbOptions): EventStoreDbStore {
  const { url, prefix, onFault = () => undefined, observe, random = Math.random } = options;
  if (/^[$~]/.test(prefix))
    throw new TypeError('names that begin with $ or ~ belong to the server and to this adapter');
  const timings = { ...defaultTimings, ...options.timings };
  const address = parseServerUrl(url);
  const connection = openConnection(address, observe);
  const pages = createPageReader(connection, { prefix, silenceMs: timings.silenceMs, observe });
  const redactions = createRedactions({ connection, pages, prefix, timings });
  const head = createHead(pages);
  const notifier = createChangeNotifier({ connection, prefix, timings, random, onFault });
  const reader = createReader({ connection, pages, redactions, notifier, head: head.find });
  const queue = createKeyedQueue<string>();
  let closing: Promise<void> | undefined;

  async function append(call: AppendCall): Promise<AppendResult> {
    const result = await send(call);
    head.note(result.position);
    notifier.notify();
    return result;
  }

  /**
   * A repeat that arrives while the server is still at work on the first is dropped, and answered ABORTED after two
   * seconds ("wait for the client to retry", as the server's source says). An overloaded server answers the same.
   */
  async function send(call: AppendCall): Promise<AppendResult> {
    const deadline = performance.now() + timings.appendMs;
    for (let doubt: Error | undefined; ;) {
      const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        return await resultOf(call, await connection.append(call, timeoutMs));
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) {
          const repeated = await repeatOf(call);
          if (repeated !== undefined) return repeated;
          throw new WrongExpectedRevisionError(call.expectedRevision, revisionOf(error));
        }
        // The failure of this attempt does not say whether the one before was written.
        doubt ??= appendError(error);
        if (!isRepeatable(call.expectedRevision) || !isAborted(error) || performance.now() >= deadline) throw doubt;
      }
    }
  }

  /** Of a repeat the server tells no position where the stream does not show the events. */
  async function resultOf(call: AppendCall, { nextExpectedRevision, position }: ServerResult): Promise<AppendResult> {
    const repeated = isPosition(position) ? undefined : await repeatOf(call);
    return repeated ?? { revision: nextExpectedRevision, position: fromLogPosition(position) };
  }

  /** The server does not compare with events that a truncated stream does not show. */
  async function repeatOf({ stream, events, expectedRevision }: AppendCall): Promise<AppendResult | undefined> {
    if (!isRepeatable(expectedRevision)) return undefined;
    const name = stream.slice(prefix.length);
    const from = typeof expectedRevision === 'bigint' ? expectedRevision + 1n : 0n;
    await redactions.load();
    if (from >= redactions.of(name).length) return undefined;
    const found: StoredEvent[] = [];
    for await (const batch of reader.readStream(name, { from, limit: events.length })) found.push(...batch);
    const last = found.at(-1);
    if (last === undefined || events.some(({ id }, at) => id !== found[at]?.id)) return undefined;
    return { revision: last.revision, position: last.position };
  }

  /** One append at a time per stream: calls may overtake each other, and the server is slow to answer a repeat of what it is still at work on. */
  const inTurn = (call: AppendCall): Promise<AppendResult> => queue.run([call.stream], () => append(call));

  async function close(): Promise<void> {
    const silent = notifier.close();
    await queue.idle();
    connection.close();
    await silent;
  }

  return {
    ...reader,
    soleWriter: false,
    async append(stream, events, { expectedRevision }) {
      validateAppend(stream, events, expectedRevision);
      validateCanonical(events);
      assertTakenByServer(prefix + stream, events);
      if (closing !== undefined) throw closedError();
      return inTurn({ stream: prefix + stream, events: events.map(clientEvent), expectedRevision });
    },
    redact: redactions.redact,
    waitsForScavenge: redactions.waitsForScavenge,
    scavenge: () => startScavenges(address, timings.silenceMs),
    head: head.find,
    isWritable: connection.isUp,
    wake: notifier.notify,
    check: () => checkEventStoreDb(connection, timings.silenceMs),
    close: () => (closing ??= close()),
  };
}

/** The client turns the values into text again: the same text, because it is canonical. */
const clientEvent = ({ id, type, data, metadata }: EventToAppend) =>
  jsonEvent({
    id,
    type,
    data: JSON.parse(data) as JSONType,
    metadata: JSON.parse(metadata) as Record<string, unknown>,
  });

const revisionOf = ({ actualVersion }: WrongExpectedVersionError): bigint | 'no_stream' =>
  typeof actualVersion === 'bigint' ? actualVersion : 'no_stream';

/** What only this server refuses, or would take in another sense. @throws InvalidAppendError */
function assertTakenByServer(stream: string, events: readonly EventToAppend[]): void {
  if (stream.startsWith('$')) throw new InvalidAppendError('names that begin with $ belong to the server');
  if (stream.startsWith('~')) throw new InvalidAppendError('names that begin with ~ belong to this adapter');
  for (const { type } of events)
    if (type.startsWith('$')) throw new InvalidAppendError('types that begin with $ belong to the server');
  // The server would store the event twice.
  if (new Set(events.map(({ id }) => id)).size < events.length)
    throw new InvalidAppendError('an append must not have the same event id twice');
}
