/** A TCP proxy that fails on command: between a driver and its server it hangs, resets, refuses, delays and loses replies. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { realTime } from './real-time.js';

export interface TcpProxy {
  readonly port: number;
  /** Keeps back what is sent, in both directions or the replies only, until `heal`. */
  hang(what: 'both' | 'replies'): void;
  /** Each piece of data waits so long, in both directions, until `heal`. */
  delay(milliseconds: number): void;
  /** Resets every connection; new ones are welcome. */
  reset(): void;
  /** Lets nothing more through on the connections that there are, for ever; new ones are welcome. */
  vanish(): void;
  /** Nobody listens on the port until `heal`, and connections are reset. */
  refuse(): Promise<void>;
  /** Lets the next matching request through, swallows its answer and resets the connection; resolves when done. */
  loseReply(matches: Matcher): Promise<void>;
  /** Keeps back the next matching request, and all else on its connection. Resolves when it has come, to what lets it go on. */
  hold(matches: Matcher): Promise<() => void>;
  /** Ends every fault; what was kept back goes on. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** Looks at one piece of data as it came: a short request is whole, of a long one it is the beginning. */
export type Matcher = (request: Buffer) => boolean;

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  losing?: () => void;
  held?: Promise<void>;
  vanished?: boolean;
}

interface Gate {
  readonly over: Promise<void>;
  readonly end: () => void;
}

function gate(): Gate {
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { over, end };
}

export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const links = new Set<Link>();
  let kept: ({ readonly what: 'both' | 'replies' } & Gate) | undefined;
  let delayMs = 0;
  let losing: { readonly matches: Matcher; readonly done: () => void } | undefined;
  let holding: { readonly matches: Matcher; readonly caught: (release: () => void) => void } | undefined;

  function lookAt(link: Link, request: Buffer): void {
    if (losing?.matches(request) === true) {
      link.losing = losing.done;
      losing = undefined;
    }
    if (holding?.matches(request) === true) {
      const { over, end } = gate();
      link.held = over;
      holding.caught(end);
      holding = undefined;
    }
  }

  async function toServer(link: Link, request: Buffer): Promise<void> {
    if (link.vanished === true) return;
    lookAt(link, request);
    await link.held;
    if (kept?.what === 'both') await kept.over;
    if (delayMs > 0) await realTime(delayMs);
    if (link.server.writable) link.server.write(request);
  }

  async function toClient(link: Link, reply: Buffer): Promise<void> {
    if (link.vanished === true) return;
    if (link.losing !== undefined) {
      link.client.resetAndDestroy();
      link.losing();
      return;
    }
    if (kept !== undefined) await kept.over;
    if (delayMs > 0) await realTime(delayMs);
    if (link.client.writable) link.client.write(reply);
  }

  const accept = (client: Socket): void => {
    const link: Link = { client, server: connect(target.port, target.host) };
    links.add(link);
    const over = (): void => {
      links.delete(link);
      client.destroy();
      link.server.destroy();
    };
    for (const socket of [client, link.server]) socket.setNoDelay(true).on('error', over).on('close', over);
    // One after the other, as they came.
    let requests = Promise.resolve();
    let replies = Promise.resolve();
    client.on('data', (data: Buffer) => {
      requests = requests.then(() => toServer(link, data));
    });
    link.server.on('data', (data: Buffer) => {
      replies = replies.then(() => toClient(link, data));
    });
  };

  const resetAll = (): void => links.forEach(({ client }) => client.resetAndDestroy());
  let listener = await listen(accept, 0);
  const { port } = listener.address() as AddressInfo;

  return {
    port,
    hang(what) {
      kept = { what, ...gate() };
    },
    delay: (milliseconds) => {
      delayMs = milliseconds;
    },
    reset: resetAll,
    vanish: () => links.forEach((link) => (link.vanished = true)),
    async refuse() {
      const closed = once(listener, 'close');
      listener.close();
      resetAll();
      await closed;
    },
    loseReply: (matches) =>
      new Promise((done) => {
        losing = { matches, done };
      }),
    hold: (matches) =>
      new Promise((caught) => {
        holding = { matches, caught };
      }),
    async heal() {
      kept?.end();
      kept = losing = holding = undefined;
      delayMs = 0;
      if (!listener.listening) listener = await listen(accept, port);
    },
    async close() {
      kept?.end();
      const closed = listener.listening ? once(listener, 'close') : undefined;
      listener.close();
      resetAll();
      await closed;
    },
  };
}

async function listen(accept: (socket: Socket) => void, port: number): Promise<Server> {
  const server = createServer(accept).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
