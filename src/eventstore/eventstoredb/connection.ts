/**
 * Calls to an EventStoreDB. The client finds the leader, which decisions rest on; the two calls that a log is made of are
 * made here, because the client's own parse and rewrite the JSON of every event.
 */
import streamsService, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import messagesOf from '@eventstore/db-client/generated/streams_pb.js';
import type { AppendResp, ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from '../event-store.js';
import { readAnswer, type Bytes, type ReadAnswer } from './answers.js';
import { createCalls, framed, type Call } from './calls.js';
import { CallError, codes, faultOf, NotSentError, SilenceError } from './faults.js';
import { createClient, nodeAccess } from './url.js';

export interface ReadCall {
  readonly request: ReadReq;
  /** Takes one message of the answer; false = enough. */
  readonly take: (answer: ReadAnswer) => boolean;
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

/** What the client keeps to itself. Its version is pinned. */
interface ClientInside {
  readonly connectionName: string;
  getGRPCClient(service: typeof StreamsClient, name: string): Promise<StreamsClient>;
  /** Moves on to the leader, or to a new connection, where the error asks for it. */
  handleError(client: StreamsClient, error: Error): Promise<void>;
}

/** The time in which a read has no node. */
interface Search {
  begin(): void;
  end(): void;
}

/** Connects with the first call. @throws EventStoreUrlError */
export function openConnection(url: string): Connection {
  const inside = createClient(url) as unknown as ClientInside;
  const access = nodeAccess(url);
  // On connections of their own, so that no append waits behind a page of the log.
  const [appends, reads] = [createCalls(access, inside.connectionName), createCalls(access, inside.connectionName)];
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
      let running: Call | undefined;
      let isOver = false;
      // Besides the deadline of the call: that one does not cover the time until a node is found.
      const timer = setTimeout(() => {
        isOver = true;
        if (running?.isSent() !== true) reject(new NotSentError(`no connection for ${timeoutMs} ms`));
        else reject(new SilenceError(`no answer for ${timeoutMs} ms`));
        running?.cancel('doubt');
      }, timeoutMs);
      const attempt = async (client: StreamsClient): Promise<Buffer> => {
        if (isOver) throw new NotSentError(`no connection for ${timeoutMs} ms`);
        let answer: Buffer | undefined;
        const take = ({ of, from, to }: Bytes): boolean => {
          answer = of.subarray(from, to);
          return true;
        };
        running = appends.call(nodeOf(client), { method: 'Append', frames, take, timeoutMs });
        await running.end;
        if (answer === undefined) throw new CallError({ code: codes.unavailable, details: 'the answer is empty' });
        return answer;
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
    let tooLong = (): void => undefined;
    const waited = new Promise<'left'>((resolve, reject) => {
      leave = () => (isClosed() ? reject(closedError()) : resolve('left'));
      tooLong = () => reject(new NotSentError(`no connection for ${silenceMs} ms`));
    });
    waited.catch(() => undefined);
    const search: Search = {
      begin() {
        if (silenceMs !== undefined) timer = setTimeout(tooLong, silenceMs);
        running.add(leave);
        signal?.addEventListener('abort', leave);
        if (signal?.aborted === true || isClosed()) leave();
      },
      end() {
        clearTimeout(timer);
        running.delete(leave);
        signal?.removeEventListener('abort', leave);
      },
    };
    search.begin();
    const reading = readConnected(options, search);
    // When nobody waits for it any more it may fail as it likes.
    reading.catch(() => undefined);
    try {
      return await Promise.race([reading, waited]);
    } finally {
      search.end();
    }
  }

  async function readConnected(
    { request, take, silenceMs, signal }: ReadCall,
    search: Search,
  ): Promise<'ended' | 'left'> {
    const frames = framed(request.serializeBinary());
    return call(async (client) => {
      search.end();
      if (signal?.aborted === true) return 'left';
      let timer: NodeJS.Timeout | undefined;
      const reading = reads.call(nodeOf(client), {
        method: 'Read',
        frames,
        take(message) {
          up = true;
          timer?.refresh();
          return take(readAnswer(message));
        },
      });
      let stop = (): void => undefined;
      const stopped = new Promise<'left'>((resolve, reject) => {
        const leave = (reason: 'doubt' | 'left', settle: () => void): void => {
          settle();
          reading.cancel(reason);
        };
        stop = () => leave('left', () => (isClosed() ? reject(closedError()) : resolve('left')));
        const silent = (): void => reject(new SilenceError(`no answer for ${silenceMs} ms`));
        if (silenceMs !== undefined) timer = setTimeout(() => leave('doubt', silent), silenceMs);
      });
      signal?.addEventListener('abort', stop);
      running.add(stop);
      try {
        return await Promise.race([reading.end, stopped]);
      } catch (error) {
        // There may be another attempt, at another node.
        search.begin();
        throw error;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        running.delete(stop);
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
      reads.close();
    },
  };
}

/** The client's channels are called `dns:host:port`. */
const nodeOf = (client: StreamsClient): string => client.getChannel().getTarget().replace(/^dns:/, '');

const isReplaced = (error: unknown): boolean =>
  error instanceof Error && /Channel (closed before call started|has been shut down)/.test(error.message);

export const closedError = (): StoreUnavailableError => new StoreUnavailableError('the event store is closed');
