/** The event store on an EventStoreDB (20.10 or later; positions of streams from 22.10): many processes may write to one log. */
import { Buffer } from 'node:buffer';
import type { AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { validateAppend } from '../validate-append.js';
import {
  InvalidAppendError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
} from '../event-store.js';
import { createBell } from './change-notifier.js';
import { appendFrames } from './append-frames.js';
import { checkEventStoreDb, type EventStoreDbCheck } from './check.js';
import { closedError, openConnection } from './connection.js';
import { appendError, isAborted } from './faults.js';
import { createHead } from './head.js';
import { appendResult } from './messages.js';
import { createPages } from './pages.js';
import { createReader } from './reader.js';
import { defaultTimings, type Timings } from './timings.js';

export interface EventStoreDbOptions {
  /** `esdb://…` or `esdb+discover://…` */
  readonly url: string;
  /**
   * Put before the names of streams, and taken off again here only. Streams without it are ignored, so several logs can
   * share a server; no prefix may begin with another one.
   */
  readonly prefix: string;
  /** Told of what fails no call: a dropped subscription. Holds neither credentials nor personal data. Must not throw. */
  readonly onFault?: (fault: Error) => void;
  readonly timings?: Partial<Timings>;
  /** 0 to 1, for back-off. */
  readonly random?: () => number;
}

export interface EventStoreDbStore extends EventStore {
  /** Whether the server did what it was last asked for. */
  isWritable(): boolean;
  /** Something was appended, perhaps: subscriptions that are caught up look at once. */
  wake(): void;
  /** One cheap read with the rights that the service needs, of the leader. Does not throw. */
  check(): Promise<EventStoreDbCheck>;
}

interface Append {
  readonly stream: string;
  readonly events: readonly EventToAppend[];
  readonly expectedRevision: ExpectedRevision;
}

/** The same again is recognised; for `any` and `stream_exists` it may be written twice. */
const isRepeatable = (expected: ExpectedRevision): boolean => typeof expected === 'bigint' || expected === 'no_stream';

/** Connects with the first call. @throws EventStoreUrlError @throws TypeError a prefix that is the server's own */
export function openEventStoreDb(options: EventStoreDbOptions): EventStoreDbStore {
  const { url, prefix, onFault = () => undefined, random = Math.random } = options;
  if (prefix.startsWith('$')) throw new TypeError('names that begin with $ belong to the server');
  const timings = { ...defaultTimings, ...options.timings };
  const connection = openConnection(url);
  const pages = createPages(connection, { prefix, silenceMs: timings.silenceMs });
  const head = createHead(pages);
  const bell = createBell({ connection, prefix, head: head.find, timings, random, onFault });
  const reader = createReader({ connection, pages, bell, head: head.find });
  /** Of each stream that is being appended to, the last append. */
  const lanes = new Map<string, Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function append({ stream, events, expectedRevision }: Append): Promise<AppendResult> {
    const frames = appendFrames(prefix + stream, events, expectedRevision);
    const result = appendResult(await send(frames, isRepeatable(expectedRevision)), expectedRevision);
    head.note(result.position);
    bell.ring();
    return result;
  }

  /**
   * A repeat that comes while the server is still at the first one is dropped, and answered ABORTED after two seconds:
   * "wait for the client to retry", as the server's source has it. So answers a server that is too slow for itself, too.
   */
  async function send(frames: Buffer, repeatable: boolean): Promise<AppendResp> {
    const deadline = performance.now() + timings.appendMs;
    for (let doubt: Error | undefined; ;) {
      const left = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        return await connection.append(frames, left);
      } catch (error) {
        // That this attempt came to nothing says nothing of the one before.
        doubt ??= appendError(error);
        if (!repeatable || !isAborted(error) || performance.now() >= deadline) throw doubt;
      }
    }
  }

  /**
   * One after the other to each stream: calls overtake each other on their way, and the server takes its time over a
   * repeat that comes while it is still at the first one.
   */
  function inTurn(request: Append): Promise<AppendResult> {
    const { stream } = request;
    const before = lanes.get(stream);
    const turn = before === undefined ? append(request) : before.then(() => append(request));
    const settled = turn.then(ignore, ignore).then(() => {
      if (lanes.get(stream) === settled) lanes.delete(stream);
    });
    lanes.set(stream, settled);
    return turn;
  }

  async function close(): Promise<void> {
    const silent = bell.close();
    await Promise.all([...lanes.values()]);
    connection.close();
    await silent;
  }

  return {
    ...reader,
    soleWriter: false,
    async append(stream, events, { expectedRevision }) {
      validateAppend(stream, events, expectedRevision);
      assertTakenByServer(prefix + stream, events);
      if (closing !== undefined) throw closedError();
      return inTurn({ stream, events: [...events], expectedRevision });
    },
    head: head.find,
    isWritable: connection.isUp,
    wake: bell.ring,
    check: () => checkEventStoreDb({ connection, url, silenceMs: timings.silenceMs }),
    close: () => (closing ??= close()),
  };
}

const ignore = (): void => undefined;

/** What only this server refuses, or would take otherwise than we mean it. @throws InvalidAppendError */
function assertTakenByServer(stream: string, events: readonly EventToAppend[]): void {
  if (stream.startsWith('$')) throw new InvalidAppendError('names that begin with $ belong to the server');
  for (const { type } of events)
    if (type.startsWith('$')) throw new InvalidAppendError('types that begin with $ belong to the server');
  // The server would store the event twice.
  if (new Set(events.map(({ id }) => id)).size < events.length)
    throw new InvalidAppendError('an append must not have the same event id twice');
}
