/** Bounds the memory that clients of a server can occupy with requests sent ahead and with answers that they do not read. */
import { readFile } from 'node:fs/promises';
import type http from 'node:http';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { repeat } from '../../flow/repeat.js';

/** Milliseconds without progress after which a connection whose answers wait for the client is cut. */
const stallTimeoutMs = 30_000;
/** The most requests of one connection that wait for earlier answers. The last of them ends the connection. */
const requestsAhead = 100;
/** The most bytes that wait on all connections together. Beyond this, connections are cut, the longest without progress first. */
const mostBytesWaiting = 128 * 1024 * 1024;
/** Bytes that a waiting request adds to the sum, because it takes about 2 KiB of memory and its answer is not made yet. */
const requestBytes = 4 * 1024;
/** Milliseconds between two looks at all connections. */
const lookMs = 250;

/** Why a connection was cut: it made no progress, or too many bytes waited on all connections. */
type CutReason = 'stalled' | 'bytes_waiting';

interface ConnectionsStatus {
  readonly open: number;
  readonly bytesWaiting: number;
  readonly cut: Readonly<Record<CutReason, number>>;
}

export interface Connections {
  /**
   * Answers the requests of a server. A request waits until all earlier answers on its connection have been sent. While a
   * request waits, nothing more is read from the connection.
   */
  serve(server: http.Server, answer: http.RequestListener): void;
  status(): ConnectionsStatus;
}

interface ConnectionsOptions {
  /** Returns milliseconds that never jump. */
  readonly now?: () => number;
  /** Default: `stallTimeoutMs`. */
  readonly stallTimeout?: number;
  /** Default: `mostBytesWaiting`. */
  readonly mostBytes?: number;
}

interface Connection {
  readonly socket: Socket;
  /** Requests that wait for earlier answers. */
  ahead: number;
  /** Requests after the last one of the connection, which Node answers itself. */
  dropped: number;
  /** Bytes that wait, as included in the sum. */
  bytes: number;
  /** How much data has left the process. Any change is progress. */
  sent: string;
  /** How many bytes the client's system has not acknowledged; undefined if unknown. Any change is progress. */
  unacknowledged: number | undefined;
  /** The time of the last progress, or of the start of waiting. */
  since: number;
}

export function createConnections(options: ConnectionsOptions = {}): Connections {
  const { now = () => performance.now(), stallTimeout = stallTimeoutMs, mostBytes = mostBytesWaiting } = options;
  const open = new Map<Socket, Connection>();
  const cuts: Record<CutReason, number> = { stalled: 0, bytes_waiting: 0 };
  let sum = 0;
  const lookEvery = Math.min(lookMs, stallTimeout / 10);
  let lookedAt = now();
  let lookedAtSystem = -Infinity;

  function add(socket: Socket): void {
    const connection: Connection = {
      socket,
      ahead: 0,
      dropped: 0,
      bytes: 0,
      sent: '',
      unacknowledged: undefined,
      since: 0,
    };
    open.set(socket, connection);
    // Node creates two errors for each waiting request when a connection closes. Their stack traces would cost more than the
    // requests, so they are switched off for the listeners of this event.
    let traceLimit: number | undefined;
    socket.prependOnceListener('close', () => {
      if (connection.ahead === 0) return;
      traceLimit = Error.stackTraceLimit;
      Error.stackTraceLimit = 0;
    });
    socket.once('close', () => {
      if (traceLimit !== undefined) Error.stackTraceLimit = traceLimit;
      remove(connection);
    });
    // Node resumes the socket after each request and each drained write.
    socket.on('resume', () => {
      if (connection.ahead > 0) socket.pause();
    });
  }

  function remove(connection: Connection): void {
    if (!open.delete(connection.socket)) return;
    sum -= connection.bytes;
    connection.bytes = 0;
  }

  function cut(connection: Connection, reason: CutReason): void {
    remove(connection);
    cuts[reason] += 1;
    const { socket } = connection;
    // A reset also frees the buffers of the operating system. Node cannot reset a TLS socket.
    if (socket instanceof tls.TLSSocket) socket.destroy();
    else socket.resetAndDestroy();
  }

  function count(connection: Connection): void {
    const { socket, ahead, dropped } = connection;
    const bytes = socket.writableLength + (ahead + dropped) * requestBytes;
    if (bytes > 0) {
      const sent = sentBy(socket);
      if (connection.bytes === 0 || sent !== connection.sent) connection.since = now();
      connection.sent = sent;
    }
    sum += bytes - connection.bytes;
    connection.bytes = bytes;
  }

  /** Cuts connections down to three quarters of the bound, so that a flood does not cause a search at each of its requests. */
  function keepBound(): void {
    if (sum <= mostBytes) return;
    open.forEach(count);
    if (sum <= mostBytes) return;
    const waiting = [...open.values()].filter(({ bytes }) => bytes > 0);
    for (const connection of waiting.sort((one, other) => one.since - other.since)) {
      if (sum <= (mostBytes * 3) / 4) return;
      cut(connection, 'bytes_waiting');
    }
  }

  function waitInTurn(socket: Socket, response: http.ServerResponse, answer: () => void): void {
    const connection = open.get(socket);
    // The connection was cut, or already has its last request.
    if (connection === undefined || connection.ahead >= requestsAhead) return;
    connection.ahead += 1;
    socket.pause();
    if (connection.ahead === requestsAhead) {
      response.shouldKeepAlive = false;
      takeNoMore(socket);
    }
    response.once('socket', () => {
      connection.ahead -= 1;
      connection.since = now();
      if (connection.ahead === 0 && response.shouldKeepAlive) socket.resume();
      answer();
    });
    count(connection);
    keepBound();
  }

  function drop(socket: Socket): void {
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.dropped += 1;
    if (connection.dropped === requestsAhead) takeNoMore(socket);
  }

  async function look(): Promise<void> {
    const time = now();
    // Clients could make no progress while this process was suspended.
    const pause = Math.max(0, time - lookedAt - 2 * lookEvery);
    lookedAt = time;
    for (const connection of open.values()) {
      connection.since += pause;
      count(connection);
    }
    keepBound();
    const silent = [...open.values()].filter(
      ({ socket, bytes, since }) => bytes > 0 && socket.writableLength > 0 && time - since >= stallTimeout / 3,
    );
    if (silent.length === 0) return;
    if (time - lookedAtSystem >= stallTimeout / 6) {
      lookedAtSystem = time;
      const unacknowledged = await unacknowledgedByPorts();
      for (const connection of silent) {
        const bytes = unacknowledged.get(portsOf(connection.socket));
        if (connection.unacknowledged !== undefined && connection.unacknowledged !== bytes) connection.since = time;
        connection.unacknowledged = bytes;
      }
    }
    for (const connection of silent)
      if (time - connection.since >= stallTimeout && open.has(connection.socket)) cut(connection, 'stalled');
  }

  return {
    serve(server, answer) {
      // Node itself would refuse a request without `Host`, or with an unknown expectation, before its turn.
      const begin = (request: http.IncomingMessage, response: http.ServerResponse): void => {
        const lacksHost = request.headers.host === undefined && request.httpVersion === '1.1';
        if (lacksHost) response.writeHead(400, { Connection: 'close' }).end();
        else answer(request, response);
      };
      server.on('request', (request, response) => {
        if (response.socket === null) waitInTurn(request.socket, response, () => begin(request, response));
        else begin(request, response);
      });
      server.on('checkExpectation', (request, response) => {
        const refuse = (): void => void response.writeHead(417).end();
        if (response.socket === null) waitInTurn(request.socket, response, refuse);
        else refuse();
      });
      server.on('dropRequest', (_request, socket: Socket) => drop(socket));
      server.on(server instanceof tls.Server ? 'secureConnection' : 'connection', add);
      const closing = new AbortController();
      void repeat(look, { pause: lookEvery, signal: closing.signal, onFault: () => undefined });
      server.once('close', () => closing.abort());
    },
    status: () => ({ open: open.size, bytesWaiting: sum, cut: cuts }),
  };
}

/**
 * Drops all further requests on a connection. Node parses everything that one read brings, which may be 2,000 small
 * requests, and would keep each of them until its turn.
 */
function takeNoMore({ parser }: Socket & { readonly parser?: { onIncoming: () => number } | null }): void {
  if (parser) parser.onIncoming = () => 0;
}

/** Returns how much was handed to the operating system. Within one large write, only the handle of the socket sees progress. */
function sentBy(socket: Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }): string {
  return `${socket.bytesWritten - socket.writableLength} ${socket._handle?.writeQueueSize ?? 0}`;
}

const portsOf = ({ localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>): string =>
  `${localPort} ${remotePort}`;

/**
 * Returns the bytes that the other side has not acknowledged, by local and remote port. A slow client makes progress that
 * only these numbers show, because Linux takes more bytes only when a third of its buffer is free. Empty on other systems.
 */
async function unacknowledgedByPorts(): Promise<ReadonlyMap<string, number>> {
  const tables = await Promise.all(
    ['/proc/self/net/tcp', '/proc/self/net/tcp6'].map((file) => readFile(file, 'latin1').catch(() => '')),
  );
  const found = new Map<string, number>();
  // `sl: local-address:port remote-address:port state transmit-queue:receive-queue …`, all in hexadecimal.
  for (const [, local = '', remote = '', bytes = ''] of tables
    .join('')
    .matchAll(/^ *\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:([\dA-F]{4}) [\dA-F]{2} ([\dA-F]{8}):/gm)) {
    const ports = portsOf({ localPort: Number.parseInt(local, 16), remotePort: Number.parseInt(remote, 16) });
    // If two clients have the same port, progress of one is taken for progress of both.
    found.set(ports, (found.get(ports) ?? 0) + Number.parseInt(bytes, 16));
  }
  return found;
}
