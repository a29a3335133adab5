/**
 * Calls on an HTTP/2 connection that all share: gRPC's frames without the layers of its library, which take two thirds of
 * what an append, and half of what an event that is read, costs this process, see docs/decisions/0007-servers.md.
 */
import { Buffer } from 'node:buffer';
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type Http2Session,
  type IncomingHttpHeaders,
} from 'node:http2';
import { isIP } from 'node:net';
import type { Bytes } from './answers.js';
import { CallError, codes, NotSentError } from './faults.js';
import type { NodeAccess } from './url.js';

export interface CallRequest {
  readonly method: 'Append' | 'Read';
  /** All messages of the request in one: what has come of an append that is cancelled half-way the server writes. */
  readonly frames: Buffer;
  /** Takes one message of the answer; false = enough. */
  readonly take: (message: Bytes) => boolean;
  /** The server gives the call up after so many milliseconds. Default: never. */
  readonly timeoutMs?: number;
}

export interface Call {
  /** `ended` = answered whole; `left` = enough was taken. Rejects with what `faultOf` understands, and with what `take` throws. */
  readonly end: Promise<'ended' | 'left'>;
  /** Whether the server can have got any of it. */
  isSent(): boolean;
  /** Gives the call up; its end then rejects. With `doubt` the connection is given up as well if it does not even answer a ping. */
  cancel(reason: 'doubt' | 'left'): void;
}

export interface Calls {
  /** `node` as `host:port`. */
  call(node: string, request: CallRequest): Call;
  /** Running calls are answered first. */
  close(): void;
}

interface Current {
  readonly node: string;
  readonly session: Promise<ClientHttp2Session>;
  calls: number;
}

/** Twice as many is what HTTP/2 has numbers for. */
const callsPerConnection = 2 ** 29;
/** A connection is given up when it has not been made, or a ping not been answered, after so many milliseconds. */
const patienceMs = 5_000;
/** Bytes that a server may send before they are taken: a page of the log. */
const window = 4 * 1024 * 1024;

export function createCalls({ tls, credentials, keepAlive }: NodeAccess, connectionName: string): Calls {
  const fixed = {
    ':method': 'POST',
    'content-type': 'application/grpc',
    te: 'trailers',
    'requires-leader': 'true',
    'connection-name': connectionName,
    // Over a connection that anyone can read it is not sent, as in the client.
    ...(credentials === undefined || tls === undefined ? {} : { authorization: credentials }),
    [http2.sensitiveHeaders]: ['authorization'],
  };
  let current: Current | undefined;
  let running = 0;

  function sessionTo(node: string): Promise<ClientHttp2Session> {
    if (current?.node === node && (current.calls += 1) < callsPerConnection) return current.session;
    retire();
    const session = connect(node, tls);
    const connection = { node, session, calls: 1 };
    current = connection;
    const forget = (): void => {
      if (current === connection) current = undefined;
    };
    session.then((connected) => {
      keepAsking(connected);
      // Ends when what runs on it has ended.
      connected.once('goaway', forget);
      connected.once('close', forget);
    }, forget);
    return session;
  }

  /** Who only listens would never notice that nobody is there any more. */
  function keepAsking(session: ClientHttp2Session): void {
    if (keepAlive === undefined) return;
    const { intervalMs, timeoutMs } = keepAlive;
    const timer = setInterval(() => {
      if (running > 0) demandPing(session, timeoutMs);
    }, intervalMs).unref();
    session.once('close', () => clearInterval(timer));
  }

  function retire(): void {
    current?.session.then(
      (session) => session.close(),
      () => undefined,
    );
    current = undefined;
  }

  return {
    call(node, { method, frames, take, timeoutMs }) {
      let stream: ClientHttp2Stream | undefined;
      let isGivenUp = false;
      const send = (session: ClientHttp2Session): Promise<'ended' | 'left'> => {
        if (isGivenUp) throw new NotSentError('the call was given up before it was sent');
        stream = session.request({
          ...fixed,
          ':path': `/event_store.client.streams.Streams/${method}`,
          ...(timeoutMs === undefined ? {} : { 'grpc-timeout': `${timeoutMs}m` }),
        });
        running += 1;
        stream.once('close', () => (running -= 1));
        const end = taken(stream, take);
        stream.end(frames);
        return end;
      };
      return {
        end: sessionTo(node).then(send),
        isSent: () => stream !== undefined,
        cancel(reason) {
          isGivenUp = true;
          if (stream === undefined) return;
          if (reason === 'doubt') demandPing(stream.session, patienceMs);
          stream.removeAllListeners('data');
          stream.close(http2.constants.NGHTTP2_CANCEL);
        },
      };
    },
    close: retire,
  };
}

function connect(node: string, tls: NodeAccess['tls']): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`${tls === undefined ? 'http' : 'https'}://${node}`, {
      ...tls,
      settings: { enablePush: false, initialWindowSize: window },
      // Node counts what goes out as well, and resets answers while there is too much of it; appends are bounded elsewhere.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
      // An address is no name: what is asked for then is the certificate alone.
      ...(isAddress(node) && { servername: '' }),
    });
    const fail = (reason: string): void => {
      // Said like this the client looks for another node.
      reject(new CallError({ code: codes.unavailable, details: `No connection established. Last error: ${reason}` }));
      session.destroy();
    };
    const timer = setTimeout(() => fail(`no connection for ${patienceMs} ms`), patienceMs);
    session.once('connect', () => {
      clearTimeout(timer);
      session.setLocalWindowSize(window);
      resolve(session);
    });
    // Stays: what ends a connection later is told by each of its calls.
    session.on('error', (error: Error) => {
      clearTimeout(timer);
      fail(error.message === '' && 'code' in error ? String(error.code) : error.message);
    });
    session.once('close', () => {
      clearTimeout(timer);
      fail('closed');
    });
  });
}

const isAddress = (node: string): boolean => isIP(node.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')) !== 0;

/** A connection whose other end has vanished without a word takes what is written to it for minutes. */
function demandPing(session: Http2Session | undefined, timeoutMs: number): void {
  if (session === undefined || session.destroyed) return;
  const timer = setTimeout(() => session.destroy(), timeoutMs).unref();
  session.ping(() => clearTimeout(timer));
}

function taken(stream: ClientHttp2Stream, take: CallRequest['take']): Promise<'ended' | 'left'> {
  return new Promise((resolve, reject) => {
    const messages = messagesIn(take);
    let trailers: IncomingHttpHeaders | undefined;
    let status: number | undefined;
    let failure: Error | undefined;
    stream.on('response', (headers: IncomingHttpHeaders & { ':status'?: number }) => {
      status = headers[':status'];
      if ('grpc-status' in headers) trailers = headers;
    });
    stream.on('trailers', (headers: IncomingHttpHeaders) => {
      trailers = headers;
    });
    const leave = (settle: () => void): void => {
      stream.removeAllListeners('data');
      stream.close(http2.constants.NGHTTP2_CANCEL);
      settle();
    };
    stream.on('data', (chunk: Buffer) => {
      try {
        if (!messages.add(chunk)) leave(() => resolve('left'));
      } catch (error) {
        leave(() => reject(error instanceof Error ? error : new Error(String(error))));
      }
    });
    stream.on('error', (error: Error) => {
      failure = error;
    });
    stream.on('close', () => {
      const fault = faultIn({ trailers, status, failure, isWhole: messages.isWhole() });
      if (fault === undefined) resolve('ended');
      else reject(fault);
    });
  });
}

/** Before each message: whether it is compressed, which is never asked for, and its length in four bytes. */
const frameHead = 5;

/** A message as it goes out. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHead + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, frameHead);
  return frame;
}

/** Puts messages together from what comes, in pieces of any length. */
function messagesIn(take: CallRequest['take']) {
  let rest: Buffer | undefined;
  return {
    isWhole: (): boolean => rest === undefined,
    /** False when enough was taken. */
    add(chunk: Buffer): boolean {
      const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      while (bytes.length >= at + frameHead) {
        if (bytes[at] !== 0)
          throw new CallError({ code: codes.unavailable, details: 'an answer that nobody asked for' });
        const end = at + frameHead + bytes.readUInt32BE(at + 1);
        if (bytes.length < end) break;
        if (!take({ of: bytes, from: at + frameHead, to: end })) return false;
        at = end;
      }
      rest = at < bytes.length ? bytes.subarray(at) : undefined;
      return true;
    },
  };
}

interface Answered {
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly status: number | undefined;
  readonly failure: Error | undefined;
  /** No message is only there in part. */
  readonly isWhole: boolean;
}

/** What kept the call from being answered whole. */
function faultIn({ trailers, status, failure, isWhole }: Answered): CallError | undefined {
  if (trailers === undefined) {
    if (status !== undefined && status !== 200)
      return new CallError({ code: codeOf(status), details: `HTTP status ${status}` });
    return new CallError({ code: codes.unavailable, details: failure?.message ?? 'the connection was lost' });
  }
  const code = Number(trailers['grpc-status']);
  if (code !== codes.ok) return new CallError({ code, details: messageOf(trailers), trailers });
  return isWhole ? undefined : new CallError({ code: codes.unavailable, details: 'the answer is not whole' });
}

/** Of an answer that is not gRPC's: as https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md has it. */
function codeOf(status: number): number {
  switch (status) {
    case 401:
      return codes.unauthenticated;
    case 403:
      return codes.permissionDenied;
    case 404:
      return codes.unimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return codes.unavailable;
    default:
      return codes.unknown;
  }
}

function messageOf({ 'grpc-message': message = '' }: IncomingHttpHeaders): string {
  const text = String(message);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
