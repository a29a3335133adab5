/**
 * Reads the log and streams over the client's connection, but decodes the messages without the client's classes: an event
 * costs 18 µs of CPU time instead of 50. A rebuild into SQLite folded 22,000 events a second instead of 11,500.
 */
import {
  BACKWARDS,
  type BaseOptions,
  type Direction,
  type EventStoreDBClient,
  type ReadPosition,
  type ReadRevision,
} from '@eventstore/db-client';
import { Client, type CallOptions, type ClientReadableStream, type Metadata } from '@grpc/grpc-js';
import { Buffer } from 'node:buffer';
import protobuf from 'protobufjs';

export interface ServerEvent {
  readonly streamId: string;
  readonly id: string;
  readonly type: string;
  readonly revision: bigint;
  readonly position?: { readonly commit: bigint; readonly prepare: bigint } | undefined;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

export interface ServerAnswer {
  readonly event?: ServerEvent;
  /** Revision of the last event of the stream that is read, also where it is truncated; -1: it has none. It comes last. */
  readonly tail?: bigint;
}

export type EventsStream = ClientReadableStream<ServerAnswer>;

interface Bounds {
  readonly direction: Direction;
  readonly maxCount: number;
}
interface LogRead extends Bounds {
  readonly fromPosition: ReadPosition;
}
interface StreamRead extends Bounds {
  readonly stream: string;
  readonly fromRevision: ReadRevision;
}

/** Members of the client that its types show only to subclasses. */
export interface ClientInside {
  callArguments: (base: BaseOptions, call: CallOptions) => [Metadata, CallOptions];
  readonly GRPCStreamCreator: <Stream>(
    service: typeof Client,
    name: string,
    start: (service: Client) => Stream,
  ) => () => Promise<Stream>;
}

/** As the client's `readAll` and `readStream`, but for the errors: these are for `convertToCommandError`. */
export function readEvents(
  client: EventStoreDBClient,
  base: BaseOptions,
  read: LogRead | StreamRead,
): Promise<EventsStream> {
  const inside = client as unknown as ClientInside;
  const args = inside.callArguments(base, { deadline: Infinity });
  const method = '/event_store.client.streams.Streams/Read';
  return inside.GRPCStreamCreator(Client, 'read', (service) =>
    service.makeServerStreamRequest(method, requestOf, answerOf, read, ...args),
  )();
}

/** What is needed of the server's streams.proto and shared.proto. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Empty {}
  message Position { uint64 commit = 1; uint64 prepare = 2; }
  message AllOptions { Position position = 1; Empty start = 2; Empty end = 3; }
  message StreamName { string name = 3; }
  message StreamOptions { StreamName stream = 1; oneof from { uint64 revision = 2; Empty start = 3; Empty end = 4; } }
  message UuidOption { Empty string = 2; }
  message Control { uint32 compatibility = 1; }
  message ReadOptions {
    StreamOptions stream = 1;
    AllOptions all = 2;
    uint32 direction = 3;
    uint64 count = 5;
    Empty no_filter = 8;
    UuidOption uuid = 9;
    Control control = 10;
  }
  message ReadReq { ReadOptions options = 1; }

  message Uuid { string string = 2; }
  message RecordedEvent {
    Uuid id = 1;
    StreamName stream = 2;
    uint64 revision = 3;
    uint64 prepare = 4;
    uint64 commit = 5;
    map<string, string> properties = 6;
    bytes metadata = 7;
    bytes data = 8;
  }
  message ReadEvent { RecordedEvent event = 1; }
  message ReadResp {
    oneof content { ReadEvent event = 1; Empty missing = 4; uint64 tail = 6; }
  }
`);
const [readReq, readResp] = [root.lookupType('ReadReq'), root.lookupType('ReadResp')];

function requestOf(read: LogRead | StreamRead): Buffer {
  const options = {
    ...('stream' in read ? ofStream(read) : ofLog(read)),
    direction: read.direction === BACKWARDS ? 1 : 0,
    count: read.maxCount,
    noFilter: {},
    uuid: { string: {} },
  };
  return Buffer.from(readReq.encode(readReq.fromObject({ options })).finish());
}

const ofLog = ({ fromPosition: from }: LogRead) => ({
  all:
    typeof from === 'string' ? { [from]: {} } : { position: { commit: `${from.commit}`, prepare: `${from.prepare}` } },
});

/** Asked so, the server tells the tail. */
const ofStream = ({ stream: name, fromRevision: from }: StreamRead) => ({
  stream: { stream: { name }, ...(typeof from === 'string' ? { [from]: {} } : { revision: `${from}` }) },
  control: { compatibility: 1 },
});

type Long = Record<'high' | 'low', number>;
interface Recorded extends Readonly<Record<'revision' | 'prepare' | 'commit', Long>> {
  readonly id: { readonly string: string };
  readonly stream: { readonly name: string };
  readonly properties: Readonly<Record<string, string>>;
  readonly metadata: Uint8Array;
  readonly data: Uint8Array;
}

/** Other answers are not needed. */
function answerOf(bytes: Buffer): ServerAnswer {
  const answer = readResp.decode(bytes) as { content?: string; event?: { event: Recorded } | null; tail?: Long };
  if (answer.event) return { event: eventOf(answer.event.event) };
  if (answer.content === 'tail' && answer.tail) return { tail: bigintOf(answer.tail) };
  return answer.content === 'missing' ? { tail: -1n } : {};
}

const eventOf = ({ id, stream, properties, revision, commit, prepare, data, metadata }: Recorded): ServerEvent => ({
  id: id.string,
  streamId: stream.name,
  type: properties['type'] ?? '',
  revision: bigintOf(revision),
  position: { commit: bigintOf(commit), prepare: bigintOf(prepare) },
  data: Buffer.from(data),
  metadata: Buffer.from(metadata),
});

const bigintOf = ({ high, low }: Long): bigint => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
