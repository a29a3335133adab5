/**
 * What a read is answered with: EventStoreDB's `ReadResp` messages, taken apart field by field, because the generated
 * classes take longer over an event than the server does; a test compares both. The messages are those of
 * `streams.proto` of EventStoreDB 23.10.
 */
import { Buffer } from 'node:buffer';
import type { Position, StoredEvent } from '../event-store.js';
import { formatPosition } from './positions.js';

/** An event whose bodies are still bytes of the message: many are looked at and not wanted. */
export interface FoundEvent {
  /** The server's name for it. */
  readonly stream: string;
  readonly type: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly id: string;
  readonly data: Bytes;
  readonly metadata: Bytes;
}

/** Where something stands in a message; making a buffer of each costs more than reading it. */
export interface Bytes {
  readonly of: Buffer;
  readonly from: number;
  readonly to: number;
}

/** `other` carries nothing that is needed: checkpoints, the ends of a stream, a stream that is not there. */
export type ReadAnswer =
  | { readonly kind: 'event'; readonly event: FoundEvent }
  | { readonly kind: 'confirmation' }
  | { readonly kind: 'other' };

/** Where the next byte is. */
interface Place {
  readonly bytes: Buffer;
  at: number;
}

/** Before a value: the number of its field, and whether it is a number or so many bytes. */
const numberTag = (field: number): number => field * 8;
const bytesTag = (field: number): number => field * 8 + 2;

const other: ReadAnswer = { kind: 'other' };
const confirmation: ReadAnswer = { kind: 'confirmation' };

/** @throws RangeError bytes that are no such message. @throws StoreUnavailableError as `formatPosition`. */
export function readAnswer({ of, from, to }: Bytes): ReadAnswer {
  const place: Place = { bytes: of, at: from };
  let answer = other;
  while (place.at < to) {
    const tag = number(place);
    if (tag === bytesTag(1)) answer = readEvent(place, endOf(place));
    else {
      if (tag === bytesTag(2)) answer = confirmation;
      skip(place, tag);
    }
  }
  if (place.at > to) throw new RangeError('a message ends within a field');
  return answer;
}

/** The event under the name of the stream that is given. */
export const storedEvent = (event: FoundEvent, stream: string): StoredEvent => ({
  stream,
  revision: event.revision,
  position: event.position,
  id: event.id,
  type: event.type,
  data: asText(event.data),
  metadata: asText(event.metadata),
});

export const lengthOf = ({ from, to }: Bytes): number => to - from;
const asText = ({ of, from, to }: Bytes): string => of.toString('utf8', from, to);

/** Message `ReadEvent`: the event, and the link that led to it, which is never asked for. */
function readEvent(place: Place, end: number): ReadAnswer {
  let answer = other;
  while (place.at < end) {
    const tag = number(place);
    if (tag === bytesTag(1)) answer = { kind: 'event', event: recordedEvent(place, endOf(place)) };
    else skip(place, tag);
  }
  return answer;
}

/** Message `RecordedEvent`. */
function recordedEvent(place: Place, end: number): FoundEvent {
  let [id, stream, type] = ['', '', ''];
  let [revision, prepare, commit] = [0n, '0', '0'];
  let data: Bytes = { of: place.bytes, from: 0, to: 0 };
  let metadata = data;
  while (place.at < end) {
    const tag = number(place);
    if (tag === bytesTag(1)) id = textOf(place, 2);
    else if (tag === bytesTag(2)) stream = textOf(place, 3);
    else if (tag === numberTag(3)) revision = integer(place);
    else if (tag === numberTag(4)) prepare = decimal(place);
    else if (tag === numberTag(5)) commit = decimal(place);
    else if (tag === bytesTag(6)) type = typeIn(place, type);
    else if (tag === bytesTag(7)) metadata = bytes(place);
    else if (tag === bytesTag(8)) data = bytes(place);
    else skip(place, tag);
  }
  return { id, stream, type, revision, position: formatPosition(commit, prepare), data, metadata };
}

/** Messages `UUID` and `StreamIdentifier`, of which one field is wanted. */
function textOf(place: Place, field: number): string {
  const end = endOf(place);
  let found = '';
  while (place.at < end) {
    const tag = number(place);
    if (tag === bytesTag(field)) found = asText(bytes(place));
    else skip(place, tag);
  }
  return found;
}

/** An entry of the map `metadata`: of the one called `type` the value, else what was known before. */
function typeIn(place: Place, known: string): string {
  const end = endOf(place);
  let key: Bytes | undefined;
  let value: Bytes | undefined;
  while (place.at < end) {
    const tag = number(place);
    if (tag === bytesTag(1)) key = bytes(place);
    else if (tag === bytesTag(2)) value = bytes(place);
    else skip(place, tag);
  }
  if (key === undefined || lengthOf(key) !== 4 || asText(key) !== 'type') return known;
  return value === undefined ? '' : asText(value);
}

function number(place: Place): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = place.bytes[place.at++];
    if (byte === undefined) throw new RangeError('a message ends within a number');
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
}

/** A number with 64 bits, exactly. */
function integer(place: Place): bigint {
  const from = place.at;
  const value = number(place);
  if (Number.isSafeInteger(value)) return BigInt(value);
  let exact = 0n;
  for (let at = place.at - 1; at >= from; at -= 1) exact = (exact << 7n) | BigInt((place.bytes[at] ?? 0) & 0x7f);
  return exact;
}

function decimal(place: Place): string {
  const from = place.at;
  const value = number(place);
  if (Number.isSafeInteger(value)) return String(value);
  place.at = from;
  return String(integer(place));
}

function endOf(place: Place): number {
  const length = number(place);
  const end = place.at + length;
  if (end > place.bytes.length) throw new RangeError('a message ends within a field');
  return end;
}

function bytes(place: Place): Bytes {
  const to = endOf(place);
  const value = { of: place.bytes, from: place.at, to };
  place.at = to;
  return value;
}

/** A field that is not wanted. */
function skip(place: Place, tag: number): void {
  const kind = tag & 7;
  if (kind === 0) number(place);
  else if (kind === 2) place.at = endOf(place);
  else if (kind === 1) place.at += 8;
  else if (kind === 5) place.at += 4;
  else throw new RangeError('a message has a field of an unknown kind');
}
