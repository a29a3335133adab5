/**
 * Calls to an EventStoreDB. The client finds the node; the two calls that a log is made of are made here, because the
 * client's own parse and rewrite the JSON of every event.
 */
import streamsService, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import messagesOf from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from './event-store.js';
import { faultOf, NotSentError, SilenceError } from './eventstoredb-faults.js';
import { createAppendCalls, type AppendCall } from './eventstoredb-append-call.js';
import { createClient, nodeAccess } from './eventstoredb-url.js';

export interface ReadCall {
  readonly request: ReadReq;
  /** Takes one message; false = enough. */
  readonly take: (message: ReadResp) => boolean;
  /** The call is given up after so many milliseconds without a message. Default: never. */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Connection {
  /** One append, on a call of its own. Rejects with what `appendError` understands. */
  append(frames: Buffer, timeoutMs: number): Promise<AppendResp>;
  /** `ended` = the server has no more; `left` = enough was taken, or `signal` aborted. Rejects with what `unavailable` understands. */
  read(call: ReadCall): Promise<'ended' | 'left'>;
  /** Whether the server did, or judged, what it was last asked for. */
  isUp(): boolean;
  isClosed(): boolean;
  /** Takes no new calls, ends running reads with an error, and closes. Appends should have ended before. */
  close(): void;
}

type Metadata = NonNullable<Parameters<StreamsClient['read']>[1]>;
type CallOptions = NonNullable<Parameters<StreamsClient['read']>[2]>;

/** What the client keeps to itself. Its version is pinned. */
interface ClientInside {
  readonly connectionName: string;
  getGRPCClient(service: typeof StreamsClient, name: string): Promise<StreamsClient>;
  callArguments(
    options: { readonly requiresLeader: boolean; readonly deadline?: number },
    callOptions?: CallOptions,
  ): [Metadata, CallOptions];
  /** Moves on to the leader, or to a new connection, where the error asks for it. */
  handleError(client: StreamsClient, error: Error): Promise<void>;
}

/**
 * On every call: decisions rest on the reads, and who follows the log reads on when the leader has acknowledged or rung.
 * A follower would be behind the positions that others have been promised.
 */
const requiresLeader = true;

/** Connects with the first call. @throws EventStoreUrlError */
export function openConnection(url: string): Connection {
  const inside = createClient(url) as unknown as ClientInside;
  const appends = createAppendCalls(nodeAccess(url), inside.connectionName);
  /** Of the reads that are running: ends them. */
  const running = new Set<() => void>();
  let current: StreamsClient | undefined;
  let up = false;
  let closed = false;
  const isClosed = (): boolean => closed;

  /** Finding the leader of a cluster may take long, and fail. */
  async function streams(): Promise<StreamsClient> {
    if (isClosed()) throw closedError();
    try {
      current = await inside.getGRPCClient(streamsService.StreamsClient, 'streams');
    } catch (error) {
      up = false;
      throw new NotSentError(error instanceof Error ? error.message : 'no node was found');
    }
    if (!isClosed()) return current;
    current.close();
    throw closedError();
  }

  /**
   * What a node refused because it is not the leader, or what met a connection that was just being replaced, goes out a
   * second time: nothing was done, and the client has moved on.
   */
  async function call<Answer>(attempt: (client: StreamsClient) => Promise<Answer>): Promise<Answer> {
    for (let again = false; ; again = true) {
      const client = await streams();
      try {
        const answer = await attempt(client);
        up = true;
        return answer;
      } catch (error) {
        if (error instanceof StoreUnavailableError) throw error;
        const { kind } = faultOf(error);
        up = kind === 'too_large' || kind === 'stream_deleted';
        await moveOn(client, error);
        if (again || !(kind === 'not_leader' || isReplaced(error))) throw error;
      }
    }
  }

  /** Not awaited to its end, which can be that of a search for the leader. The client leaves its failures unhandled. */
  async function moveOn(client: StreamsClient, error: unknown): Promise<void> {
    if (!(error instanceof Error)) return;
    inside.handleError(client, error).catch(() => undefined);
    await nextTurn();
  }

  function append(frames: Buffer, timeoutMs: number): Promise<AppendResp> {
    return new Promise((resolve, reject) => {
      let running: AppendCall | undefined;
      let isOver = false;
      // Besides the deadline of the call: that one does not cover the time until a node is found.
      const timer = setTimeout(() => {
        isOver = true;
        if (running?.isSent() !== true) reject(new NotSentError(`no connection for ${timeoutMs} ms`));
        else reject(new SilenceError(`no answer for ${timeoutMs} ms`));
        running?.cancel();
      }, timeoutMs);
      const attempt = (client: StreamsClient): Promise<Buffer> => {
        if (isOver) throw new NotSentError(`no connection for ${timeoutMs} ms`);
        running = appends.call(nodeOf(client), frames, timeoutMs);
        return running.answer;
      };
      call(attempt)
        .then((answer) => resolve(messagesOf.AppendResp.deserializeBinary(answer)))
        .catch(reject)
        .finally(() => clearTimeout(timer));
    });
  }

  /** Looking for a node of a cluster can take minutes: that time counts, too, and ends with the signal. */
  async function read(options: ReadCall): Promise<'ended' | 'left'> {
    const { silenceMs, signal } = options;
    let timer: NodeJS.Timeout | undefined;
    let leave = (): void => undefined;
    const waited = new Promise<'left'>((resolve, reject) => {
      leave = () => (isClosed() ? reject(closedError()) : resolve('left'));
      if (silenceMs !== undefined)
        timer = setTimeout(() => reject(new NotSentError(`no connection for ${silenceMs} ms`)), silenceMs);
    });
    waited.catch(() => undefined);
    running.add(leave);
    signal?.addEventListener('abort', leave);
    const connected = (): void => {
      clearTimeout(timer);
      running.delete(leave);
      signal?.removeEventListener('abort', leave);
    };
    const reading = readConnected(options, connected);
    // When nobody waits for it any more it may fail as it likes.
    reading.catch(() => undefined);
    try {
      return await Promise.race([reading, waited]);
    } finally {
      connected();
    }
  }

  async function readConnected(
    { request, take, silenceMs, signal }: ReadCall,
    connected: () => void,
  ): Promise<'ended' | 'left'> {
    return call(async (client) => {
      connected();
      if (signal?.aborted === true) return 'left';
      const stream = client.read(request, ...inside.callArguments({ requiresLeader }, { deadline: Infinity }));
      let timer: NodeJS.Timeout | undefined;
      let stop = (): void => undefined;
      try {
        return await new Promise<'ended' | 'left'>((resolve, reject) => {
          stop = () => (isClosed() ? reject(closedError()) : resolve('left'));
          if (silenceMs !== undefined)
            timer = setTimeout(() => reject(new SilenceError(`no answer for ${silenceMs} ms`)), silenceMs);
          stream.on('data', (message: ReadResp) => {
            up = true;
            timer?.refresh();
            try {
              if (!take(message)) resolve('left');
            } catch (error) {
              reject(asError(error));
            }
          });
          stream.on('end', () => resolve('ended'));
          // Stays: cancelling reports an error, too.
          stream.on('error', reject);
          stream.on('close', () => reject(new Error('the call was closed')));
          signal?.addEventListener('abort', stop);
          running.add(stop);
        });
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        running.delete(stop);
        stream.removeAllListeners('data');
        stream.cancel();
      }
    });
  }

  return {
    append,
    read,
    isUp: () => up && !closed,
    isClosed,
    close() {
      if (closed) return;
      closed = true;
      for (const stop of [...running]) stop();
      current?.close();
      appends.close();
    },
  };
}

/** The client's channels are called `dns:host:port`. */
const nodeOf = (client: StreamsClient): string => client.getChannel().getTarget().replace(/^dns:/, '');

const isReplaced = (error: unknown): boolean =>
  error instanceof Error && /Channel (closed before call started|has been shut down)/.test(error.message);

export const closedError = (): StoreUnavailableError => new StoreUnavailableError('the event store is closed');

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
