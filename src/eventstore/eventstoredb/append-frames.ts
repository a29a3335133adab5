/**
 * An append as it goes over the wire: EventStoreDB's `AppendReq` messages, each in a frame of gRPC, all in one buffer.
 * Written here field by field, because the generated classes take longer over it than sending does; a test reads it back
 * with them. The messages are those of `streams.proto` of EventStoreDB 23.10.
 */
import { Buffer } from 'node:buffer';
import type { EventToAppend, ExpectedRevision } from '../event-store.js';

/** Where the next byte goes. */
interface Place {
  readonly bytes: Buffer;
  at: number;
}

/** Before each message: not compressed, and its length in four bytes. */
const frameHead = 5;
const expectations = { no_stream: 3, any: 4, stream_exists: 5 } as const;
/** The entry of the map `metadata` that is the same for all events: JSON, so that the server's own tools can read it. */
const contentType = Buffer.from('\x12\x20\x0a\x0ccontent-type\x12\x10application/json', 'latin1');

/** Numbers of fields that hold bytes. */
const tag = (field: number): number => field * 8 + 2;

export function appendFrames(
  stream: string,
  events: readonly EventToAppend[],
  expectedRevision: ExpectedRevision,
): Buffer {
  const optionsLength = lengthOfOptions(stream, expectedRevision);
  const lengths = events.map(lengthOfEvent);
  let size = frameHead + fieldLength(optionsLength);
  for (const { length } of lengths) size += frameHead + fieldLength(length);
  const place: Place = { bytes: Buffer.allocUnsafe(size), at: 0 };
  frame(place, fieldLength(optionsLength));
  writeOptions(place, { stream, expectedRevision, length: optionsLength });
  events.forEach((event, index) => {
    const sizes = lengths[index];
    if (sizes === undefined) return;
    frame(place, fieldLength(sizes.length));
    writeEvent(place, event, sizes);
  });
  return place.bytes;
}

function frame(place: Place, length: number): void {
  place.bytes[place.at] = 0;
  place.bytes.writeUInt32BE(length, place.at + 1);
  place.at += frameHead;
}

const lengthOfOptions = (stream: string, expected: ExpectedRevision): number =>
  fieldLength(fieldLength(Buffer.byteLength(stream))) + (typeof expected === 'bigint' ? 1 + varintLength(expected) : 2);

function writeOptions(
  place: Place,
  options: { readonly stream: string; readonly expectedRevision: ExpectedRevision; readonly length: number },
): void {
  const { stream, expectedRevision, length } = options;
  const name = Buffer.byteLength(stream);
  head(place, 1, length);
  head(place, 1, fieldLength(name));
  head(place, 3, name);
  text(place, stream);
  if (typeof expectedRevision === 'bigint') {
    place.bytes[place.at++] = 2 * 8;
    varint(place, expectedRevision);
  } else head(place, expectations[expectedRevision], 0);
}

interface Lengths {
  readonly type: number;
  readonly data: number;
  readonly metadata: number;
  /** Of the message without its own head. */
  readonly length: number;
}

/** A UUID in text. */
const idLength = 36;

function lengthOfEvent({ type, data, metadata }: EventToAppend): Lengths {
  const lengths = {
    type: Buffer.byteLength(type),
    data: Buffer.byteLength(data),
    metadata: Buffer.byteLength(metadata),
  };
  const length =
    fieldLength(fieldLength(idLength)) +
    fieldLength(typeEntry(lengths.type)) +
    contentType.length +
    fieldLength(lengths.metadata) +
    fieldLength(lengths.data);
  return { ...lengths, length };
}

const typeEntry = (length: number): number => fieldLength(4) + fieldLength(length);

function writeEvent(place: Place, event: EventToAppend, { type, data, metadata, length }: Lengths): void {
  head(place, 2, length);
  head(place, 1, fieldLength(idLength));
  head(place, 2, idLength);
  text(place, event.id);
  head(place, 2, typeEntry(type));
  head(place, 1, 4);
  text(place, 'type');
  head(place, 2, type);
  text(place, event.type);
  contentType.copy(place.bytes, place.at);
  place.at += contentType.length;
  head(place, 3, metadata);
  text(place, event.metadata);
  head(place, 4, data);
  text(place, event.data);
}

/** Of a field that holds so many bytes, with its head. */
const fieldLength = (length: number): number => 1 + (length < 0x80 ? 1 : varintLength(BigInt(length))) + length;

function head(place: Place, field: number, length: number): void {
  place.bytes[place.at++] = tag(field);
  if (length < 0x80) place.bytes[place.at++] = length;
  else varint(place, BigInt(length));
}

function text(place: Place, value: string): void {
  place.at += place.bytes.write(value, place.at);
}

function varintLength(value: bigint): number {
  let length = 1;
  for (let rest = value >> 7n; rest > 0n; rest >>= 7n) length += 1;
  return length;
}

function varint(place: Place, value: bigint): void {
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) place.bytes[place.at++] = Number(rest & 0x7fn) | 0x80;
  place.bytes[place.at++] = Number(rest);
}
