/** Stands between a service and its MongoDB, and tells which commands pass. */
import { BSON } from 'mongodb';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SeenCommand {
  /** Such as `find`. */
  readonly name: string;
  readonly collection: string;
  /** Undefined: the server may work on it for ever. */
  readonly maxTimeMS: unknown;
  /** Milliseconds, monotonic. */
  readonly at: number;
}

/** Of the connections themselves, not of what the service asks for. */
const ofConnections = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions', 'saslStart', 'saslContinue']);
const opMsg = 2013;
const headerBytes = 16;
/** Header, flags, and the kind of the first section: the command itself. */
const commandAt = headerBytes + 4 + 1;

export async function watchCommands(target: { readonly host: string; readonly port: number }) {
  let seen: SeenCommand[] = [];
  const sockets = new Set<Socket>();

  function note(message: Buffer): void {
    if (message.readInt32LE(12) !== opMsg) return;
    const size = message.readInt32LE(commandAt);
    const command = BSON.deserialize(message.subarray(commandAt, commandAt + size));
    const [[name, collection] = ['']] = Object.entries(command);
    if (ofConnections.has(name)) return;
    const { maxTimeMS } = command as { maxTimeMS?: unknown };
    seen.push({ name, collection: String(collection), maxTimeMS, at: performance.now() });
  }

  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    let rest = Buffer.alloc(0);
    client.on('data', (data: Buffer) => {
      rest = Buffer.concat([rest, data]);
      while (rest.length >= headerBytes && rest.length >= rest.readInt32LE(0)) {
        const length = rest.readInt32LE(0);
        note(rest.subarray(0, length));
        rest = rest.subarray(length);
      }
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => [client, upstream].forEach((one) => one.destroy()));
      socket.on('close', () => sockets.delete(socket));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    /** Since the last `forget`. */
    seen: (): readonly SeenCommand[] => seen,
    forget(): void {
      seen = [];
    },
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
