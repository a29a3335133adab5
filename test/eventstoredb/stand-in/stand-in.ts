/**
 * A stand-in for an EventStoreDB 23.10 without TLS: its gRPC services in memory, with faults on command. It is right as far
 * as it answers test/eventstoredb/converse.mjs as a real server did.
 */
import grpc from '@grpc/grpc-js';
import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featureMessages from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipMessages from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { appendService, batchService, deleteService, tombstoneService, type Parts } from './appends.js';
import { createFaults, type Fault, type Injected } from './faults.js';
import { createLog } from './log.js';
import { readService, type ReadAnswer } from './reads.js';

export interface StandInOptions {
  /**
   * Live events that a subscription holds before it is dropped. Default 256: of a real server's subscriptions those lived
   * that met a burst of 200 events, and those died that met one of 500.
   */
  readonly liveBuffer?: number;
  /** The server writes an event of its own after so many of its clients'. Default 20. */
  readonly systemEventEvery?: number;
  /** Where `not_leader` sends clients, `host:port`. Default: here. */
  readonly leader?: string;
  readonly clock?: () => number;
}

export interface StandInEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly id: string;
  readonly data: string;
  readonly metadata: string;
}

export interface StandIn {
  /** `esdb://127.0.0.1:<port>?tls=false`; the same after a restart. */
  readonly url: string;
  inject(fault: Fault): Injected;
  /** Takes all faults away. What hangs goes on hanging. */
  clear(): void;
  /** Breaks all connections; the server goes on. */
  resetConnections(): void;
  /** Connections that are open. */
  connections(): number;
  /** Breaks all connections and listens no more. Appends that hang have been written, or never will be. */
  stop(options?: { readonly hanging?: 'written' | 'dropped' }): Promise<void>;
  /** Goes on, on the same port, with the same log. */
  start(): Promise<void>;
  /** What is in the log, in its order: of streams whose name begins so. Default: everything, the server's own events too. */
  events(prefix?: string): readonly StandInEvent[];
  /** Replaces the data of an event in its place, as a person who can write to the server's files can. */
  alter(id: string, data: string): void;
  close(): Promise<void>;
}

export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { clock = Date.now, liveBuffer = 256, systemEventEvery = 20 } = options;
  const log = createLog(clock, systemEventEvery);
  const faults = createFaults();
  const sockets = new Set<Socket>();
  const held = new Set<() => void>();
  let port = 0;
  const leader = () => endpoint(options.leader ?? `127.0.0.1:${port}`);
  const reset = (peer: string): void => {
    for (const socket of sockets) if (`${socket.remoteAddress}:${socket.remotePort}` === peer) socket.resetAndDestroy();
  };
  const resetConnections = (): void => sockets.forEach((socket) => socket.resetAndDestroy());

  // A listener of our own, so that connections can be broken.
  const server = createServer({ log, faults, leader, reset, liveBuffer, held }, () => port);
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const listener = net.createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    injector.injectConnection(socket);
  });

  async function start(): Promise<void> {
    log.forget();
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
    port = (listener.address() as AddressInfo).port;
  }

  async function stop({ hanging = 'dropped' }: { readonly hanging?: 'written' | 'dropped' } = {}): Promise<void> {
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
    const waiting = [...held];
    held.clear();
    if (hanging === 'written') for (const write of waiting) write();
    resetConnections();
    await closed;
  }

  await start();
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    inject: faults.inject,
    clear: faults.clear,
    resetConnections,
    connections: () => sockets.size,
    stop,
    start,
    events: (prefix = '') =>
      log.records().flatMap(({ event }) => {
        if (event?.stream.startsWith(prefix) !== true) return [];
        const { stream, revision, type, id, data, metadata } = event;
        return [{ stream, revision, type, id, data: data.toString(), metadata: metadata.toString() }];
      }),
    alter: log.alter,
    async close() {
      if (listener.listening) await stop();
      injector.destroy();
      server.forceShutdown();
    },
  };
}

function createServer(parts: Parts, port: () => number): grpc.Server {
  const server = new grpc.Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  const { StreamsService } = streams;
  const responseSerialize = (answer: ReadAnswer): Buffer =>
    Buffer.isBuffer(answer) ? answer : Buffer.from(answer.serializeBinary());
  server.addService(
    { ...StreamsService, read: { ...StreamsService.read, responseSerialize } },
    {
      read: readService(parts),
      append: appendService(parts),
      batchAppend: batchService(parts),
      delete: deleteService(parts),
      tombstone: tombstoneService(parts),
    },
  );
  server.addService(features.ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, callback: grpc.sendUnaryData<featureMessages.SupportedMethods>) =>
      callback(null, supportedMethods()),
  });
  server.addService(gossip.GossipService, {
    read: (_call: unknown, callback: grpc.sendUnaryData<gossipMessages.ClusterInfo>) =>
      callback(null, clusterOfOne(port())),
  });
  return server;
}

function supportedMethods(): featureMessages.SupportedMethods {
  const service = 'event_store.client.streams.streams';
  const methods = {
    read: ['position', 'events'],
    append: [],
    batchappend: ['deadline_duration'],
    delete: [],
    tombstone: [],
  };
  return new featureMessages.SupportedMethods()
    .setEventStoreServerVersion('23.10.6')
    .setMethodsList(
      Object.entries(methods).map(([name, found]) =>
        new featureMessages.SupportedMethod().setServiceName(service).setMethodName(name).setFeaturesList(found),
      ),
    );
}

function clusterOfOne(port: number): gossipMessages.ClusterInfo {
  const member = new gossipMessages.MemberInfo()
    .setInstanceId(new shared.UUID().setString('00000000-0000-4000-8000-000000000001'))
    .setTimeStamp('0')
    .setState(gossipMessages.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossipMessages.EndPoint().setAddress('127.0.0.1').setPort(port));
  return new gossipMessages.ClusterInfo().setMembersList([member]);
}

function endpoint(address: string): { readonly host: string; readonly port: number } {
  const [host = '', port = ''] = address.split(':');
  return { host, port: Number(port) };
}
