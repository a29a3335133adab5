/** Calls to an EventStoreDB through its client: always of the leader, each with its own timer, none left open behind. */
import {
  convertToCommandError,
  EventStoreDBClient,
  type AllStreamSubscription,
  type AppendResult,
  type BaseOptions,
  type EventData,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { Metadata } from '@grpc/grpc-js';
import type { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { within } from '../../flow/abort.js';
import { measured, type Observe } from '../../flow/observe.js';
import type { ExpectedRevision } from '../event-store.js';
import { closedError, serverFaultOf, isReplaced, SilenceError, type FaultKind } from './faults.js';
import type { ClientInside, EventsStream, ServerAnswer, ServerEvent } from './read-events.js';
import type { ServerAddress } from './url.js';
import { isIP } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';

export interface AppendCall {
  readonly stream: string;
  readonly events: EventData[];
  readonly expectedRevision: ExpectedRevision;
}

type ServerStream = StreamingRead<ResolvedEvent> | AllStreamSubscription | EventsStream;

export interface ReadCall {
  readonly start: (client: EventStoreDBClient, options: BaseOptions) => ServerStream | Promise<ServerStream>;
  readonly take: (event: ServerEvent) => boolean;
  /** Called with the revision of the stream's last event, -1 where there is none; not all servers send it. */
  readonly tail?: (revision: bigint) => void;
  /** Milliseconds without an event after which the call is given up. Default: never. */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export type Connection = ReturnType<typeof openConnection>;

/**
 * An append is never cancelled, not even by a deadline: the server writes what it has received of a call that is
 * cancelled between two messages. The caller only stops waiting; a call without an answer ends with its connection.
 */
const noDeadline = 365 * 24 * 3_600_000;
/** With credentials of its own each append is a call of its own. Without, all appends share one stream, and fail together. */
const nobody = { username: '', password: '' };
/** Faults after which another node is tried. What is not the leader names the leader, and the client goes there. */
const movesOn: ReadonlySet<FaultKind> = new Set(['unreachable', 'tls', 'not_ready', 'unclear']);
const judged: ReadonlySet<FaultKind> = new Set(['too_large', 'no_stream', 'stream_deleted', 'conflict']);

/** Connects with the first call. Each node that is named has a client: searching for the leader by gossip, a client leaves failures unhandled. */
export function openConnection({ nodes, credentials }: ServerAddress, observe?: Observe) {
  allowTlsByAddress();
  const clients = nodes.map((node) => withoutCompression(EventStoreDBClient.connectionString(node)));
  const ofReads = { requiresLeader: true, ...(credentials && { credentials }) };
  const ofAppends = { requiresLeader: true, credentials: credentials ?? nobody, deadline: noDeadline };
  const running = new Set<() => void>();
  let current = 0;
  let up = false;
  let closed = false;

  /** Sends a second time what a node refused because it is not the leader, or what met a connection that was being replaced. */
  async function call<Answer>(attempt: (client: EventStoreDBClient) => Promise<Answer>): Promise<Answer> {
    for (let again = false; ; again = true) {
      const node = current;
      try {
        const answer = await attempt(clientOf(node));
        up = true;
        return answer;
      } catch (error) {
        if (isClosed()) throw closedError();
        const { kind } = serverFaultOf(error);
        noteFault(node, kind);
        // The client goes to the leader, or replaces the connection, after it has told the error.
        await nextTurn();
        if (again || !(kind === 'not_leader' || isReplaced(error))) throw error;
      }
    }
  }

  function clientOf(node: number): EventStoreDBClient {
    const client = clients[node];
    if (closed || client === undefined) throw closedError();
    return client;
  }

  function noteFault(node: number, kind: FaultKind): void {
    up = judged.has(kind);
    if (movesOn.has(kind) && current === node) current = (node + 1) % clients.length;
  }

  const isClosed = (): boolean => closed;

  return {
    /** One append, on a call of its own. Rejects with what `appendError` understands, and with the client's conflict. */
    append: ({ stream, events, expectedRevision }: AppendCall, timeoutMs: number): Promise<AppendResult> =>
      measured(observe, { store: 'eventstoredb', operation: 'append' }, () =>
        call((client) => inTime(client.appendToStream(stream, events, { ...ofAppends, expectedRevision }), timeoutMs)),
      ),
    /** `ended` = the server has no more; `left` = enough was taken, or `signal` aborted. Rejects with what `serverUnavailable` understands. */
    read: (request: ReadCall): Promise<'ended' | 'left'> =>
      call(async (client) => readOnce(await request.start(client, ofReads), { ...request, running })),
    /** Whether the server did, or judged, what it was last asked for. */
    isUp: (): boolean => up && !closed,
    isClosed,
    /** Takes no new calls and ends running reads with an error. Appends should have ended before. */
    close(): void {
      closed = true;
      for (const stop of [...running]) stop();
      for (const client of clients) void client.dispose();
    },
  };
}

type End = 'ended' | 'left' | Error;

/** Settles once, and leaves no call behind: one that is only left goes on at the server. */
function readOnce(
  stream: ServerStream,
  { take, tail, silenceMs, signal, running }: Omit<ReadCall, 'start'> & { readonly running: Set<() => void> },
): Promise<'ended' | 'left'> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const finish = (end: End): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      running.delete(stop);
      signal?.removeEventListener('abort', leave);
      if (end !== 'ended') cancel(stream);
      if (end instanceof Error) reject(end);
      else resolve(end);
    };
    const leave = (): void => finish('left');
    const stop = (): void => finish(closedError());
    const silent = (): void => finish(new SilenceError(`no answer for ${silenceMs} ms`));
    const timer = silenceMs === undefined ? undefined : setTimeout(silent, silenceMs);
    running.add(stop);
    signal?.addEventListener('abort', leave);
    stream.on('data', ({ event, tail: revision }: ServerAnswer) => {
      if (revision !== undefined && !isOver) tail?.(revision);
      if (isOver || event === undefined) return;
      timer?.refresh();
      try {
        if (!take(event)) leave();
      } catch (error) {
        finish(error instanceof Error ? error : new Error(String(error)));
      }
    });
    stream.on('end', () => finish('ended'));
    // Stays: a stream that was left may still tell an error.
    stream.on('error', (error) => finish(convertToCommandError(error)));
    stream.on('close', () => finish(new SilenceError('the call was closed')));
    if (signal?.aborted === true) leave();
  });
}

const inTime = <Answer>(answer: Promise<Answer>, timeoutMs: number): Promise<Answer> =>
  within(timeoutMs, answer, () => {
    throw new SilenceError(`no answer for ${timeoutMs} ms`);
  });

function cancel(stream: ServerStream): void {
  stream.pause();
  const cancelled = 'unsubscribe' in stream ? stream.unsubscribe() : stream.cancel();
  Promise.resolve(cancelled).catch(() => undefined);
}

/**
 * Makes all calls of a client ask for uncompressed answers, except the one call that fetches the server's features.
 * Servers from 25.1 on compress every message if the client accepts gzip, which makes reads five to nine times slower.
 */
function withoutCompression(client: EventStoreDBClient): EventStoreDBClient {
  const inside = client as unknown as ClientInside;
  const { callArguments } = inside;
  inside.callArguments = (base, call) => {
    const [metadata, options] = callArguments(base, call);
    return [IdentityMetadata.from(metadata), options];
  };
  return client;
}

const acceptEncoding = 'grpc-accept-encoding';

/**
 * Metadata of a call that accepts no compressed answer. No option of gRPC's library does this: the library clones the
 * metadata of each call, then its compression filter sets the header to all encodings that the library knows (@grpc/grpc-js 1.14.7).
 */
class IdentityMetadata extends Metadata {
  static from(source: Metadata): IdentityMetadata {
    const copy = new IdentityMetadata(source.getOptions());
    copy.merge(source);
    return copy;
  }

  override set(key: string, value: string | Buffer): void {
    super.set(key, key === acceptEncoding ? 'identity' : value);
  }

  override clone(): IdentityMetadata {
    return IdentityMetadata.from(this);
  }
}

const connect = tls.connect as (options: ConnectionOptions, ...rest: unknown[]) => tls.TLSSocket;

/**
 * TLS to a server that is named by its IP address. gRPC's library gives the address as the server's name, which RFC 6066 does
 * not allow and Node 26 refuses, so that no connection comes about (@grpc/grpc-js 1.14.7; older Nodes warned, DEP0123).
 * Such calls send no server name. The certificate must be for the address, as before.
 */
function allowTlsByAddress(): void {
  tls.connect = ((options: ConnectionOptions, ...rest: unknown[]) => {
    const { servername = '' } = options;
    return connect(isIP(servername) === 0 ? options : { ...options, host: servername, servername: '' }, ...rest);
  }) as typeof tls.connect;
}

/** Time-outs and intervals of this adapter, in milliseconds. Tests shorten them. */
export const defaultTimings = {
  appendMs: 3_000,
  /** A read is given up when the server is silent for so long. */
  silenceMs: 5_000,
  /** Subscriptions that are caught up look into the log so often, notified or not. */
  pollMs: 1_000,
  /** A live subscription that said nothing of new events for so long has stalled. */
  stalledMs: 30_000,
  firstBackOffMs: 100,
  lastBackOffMs: 5_000,
};
export type Timings = Readonly<typeof defaultTimings>;
