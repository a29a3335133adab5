/**
 * An append as a call of its own on an HTTP/2 connection that all share: gRPC's frames without the layers of its library,
 * which take two thirds of what an append costs this process, see docs/decisions/0007-servers.md.
 */
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type Http2Session,
  type IncomingHttpHeaders,
} from 'node:http2';
import { isIP } from 'node:net';
import { CallError, codes, NotSentError } from './eventstoredb-faults.js';
import type { NodeAccess } from './eventstoredb-url.js';

export interface AppendCall {
  /** The message of the answer. Rejects with what `appendError` understands. */
  readonly answer: Promise<Buffer>;
  /** Whether the server can have got any of it. */
  isSent(): boolean;
  /** Gives the call up; the answer then rejects. The connection is given up as well if it does not even answer a ping. */
  cancel(): void;
}

export interface AppendCalls {
  /** `node` as `host:port`; `frames` as made by `appendFrames`, all of an append in one: what has come of an append that is cancelled half-way the server writes. */
  call(node: string, frames: Buffer, timeoutMs: number): AppendCall;
  /** Running calls are answered first. */
  close(): void;
}

/** A connection is given up when it has not been made, or a ping not been answered, after so many milliseconds. */
const patienceMs = 5_000;
const path = '/event_store.client.streams.Streams/Append';

export function createAppendCalls({ tls, credentials }: NodeAccess, connectionName: string): AppendCalls {
  const fixed = {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'requires-leader': 'true',
    'connection-name': connectionName,
    // Over a connection that anyone can read it is not sent, as in the client.
    ...(credentials === undefined || tls === undefined ? {} : { authorization: credentials }),
    [http2.sensitiveHeaders]: ['authorization'],
  };
  let current: { readonly node: string; readonly session: Promise<ClientHttp2Session> } | undefined;

  function sessionTo(node: string): Promise<ClientHttp2Session> {
    if (current?.node === node) return current.session;
    retire();
    const session = connect(node, tls);
    const connection = { node, session };
    current = connection;
    const forget = (): void => {
      if (current === connection) current = undefined;
    };
    session.then((connected) => {
      // Ends when what runs on it has ended.
      connected.once('goaway', forget);
      connected.once('close', forget);
    }, forget);
    return session;
  }

  function retire(): void {
    current?.session.then(
      (session) => session.close(),
      () => undefined,
    );
    current = undefined;
  }

  return {
    call(node, frames, timeoutMs) {
      let stream: ClientHttp2Stream | undefined;
      let isGivenUp = false;
      const send = (session: ClientHttp2Session): Promise<Buffer> => {
        if (isGivenUp) throw new NotSentError('the call was given up before it was sent');
        stream = session.request({ ...fixed, 'grpc-timeout': `${timeoutMs}m` });
        const answer = answerOf(stream);
        stream.end(frames);
        return answer;
      };
      return {
        answer: sessionTo(node).then(send),
        isSent: () => stream !== undefined,
        cancel() {
          isGivenUp = true;
          if (stream === undefined) return;
          demandPing(stream.session);
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
function demandPing(session: Http2Session | undefined): void {
  if (session === undefined || session.destroyed || session.closed) return;
  const timer = setTimeout(() => session.destroy(), patienceMs).unref();
  session.ping(() => clearTimeout(timer));
}

function answerOf(stream: ClientHttp2Stream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
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
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', (error: Error) => {
      failure = error;
    });
    stream.on('close', () => {
      const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      const fault = faultIn({ trailers, status, failure, body });
      if (fault === undefined) resolve(body.subarray(5));
      else reject(fault);
    });
  });
}

interface Answered {
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly status: number | undefined;
  readonly failure: Error | undefined;
  readonly body: Buffer;
}

/** What kept the call from being answered with a whole message. */
function faultIn({ trailers, status, failure, body }: Answered): CallError | undefined {
  if (trailers === undefined) {
    if (status !== undefined && status !== 200)
      return new CallError({ code: codeOf(status), details: `HTTP status ${status}` });
    return new CallError({ code: codes.unavailable, details: failure?.message ?? 'the connection was lost' });
  }
  const code = Number(trailers['grpc-status']);
  if (code !== codes.ok) return new CallError({ code, details: messageOf(trailers), trailers });
  const isWhole = body.length >= 5 && body[0] === 0 && body.length === 5 + body.readUInt32BE(1);
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
