/** What every log accepts: JSON objects and plain text that come back as they went in, in amounts that one append can carry. */
import { Buffer } from 'node:buffer';
import { InvalidAppendError, type EventToAppend, type ExpectedRevision } from './event-store.js';

/** EventStoreDB's limit before version 25.1, for all events of an append together, counted as the server counts. */
export const bytesPerAppend = 1024 * 1024;

/** The append's size in characters. @throws InvalidAppendError */
export function validateAppend(
  stream: string,
  events: readonly EventToAppend[],
  expectedRevision: ExpectedRevision,
): number {
  validateText(stream, 'stream name');
  if (events.length === 0) throw new InvalidAppendError('an append must have at least one event');
  if (typeof expectedRevision === 'bigint' && expectedRevision < 0n)
    throw new InvalidAppendError(`expected revision must not be negative, not ${expectedRevision}`);
  let size = stream.length;
  for (const { id, type, data, metadata } of events) {
    if (!uuid.test(id)) throw new InvalidAppendError('event id must be a UUID in lower case');
    validateText(type, 'event type');
    validateObject(data, 'data');
    validateObject(metadata, 'metadata');
    size += id.length + type.length + data.length + metadata.length;
  }
  validateSize(events, size);
  return size;
}

/**
 * Whether this is the text that JSON.stringify makes of its value. EventStoreDB's client parses and rewrites the JSON of
 * events: only such texts come back byte for byte. No member can stand twice in one, and numbers have one spelling.
 */
export function isCanonicalJson(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

/**
 * For logs that rewrite JSON, and for events that were not written by the codec: the codec writes canonical texts only,
 * so the embedded log does without, which saves 5 µs of a create. @throws InvalidAppendError
 */
export function validateCanonical(events: readonly Pick<EventToAppend, 'data' | 'metadata'>[]): void {
  for (const event of events)
    for (const what of ['data', 'metadata'] as const)
      if (!isCanonicalJson(event[what]))
        throw new InvalidAppendError(`${what} is not the canonical JSON text of an object`);
}

/** What the events count towards `bytesPerAppend`. */
export function appendBytes(events: readonly Pick<EventToAppend, 'type' | 'data' | 'metadata'>[]): number {
  let bytes = 0;
  for (const { type, data, metadata } of events)
    bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata) + 2 * type.length;
  return bytes;
}

function validateSize(events: readonly EventToAppend[], characters: number): void {
  // A character has at most three bytes in UTF-8.
  if (3 * characters <= bytesPerAppend) return;
  const bytes = appendBytes(events);
  if (bytes > bytesPerAppend)
    throw new InvalidAppendError(`an append must have at most ${bytesPerAppend} bytes, not ${bytes}`);
}

/** Of a read. @throws TypeError */
export function assertLimit(limit: number | undefined): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    throw new TypeError(`limit must be a whole number from 1, not ${limit}`);
}

/** SQLite ends text at NUL and replaces lone surrogates, EventStoreDB replaces these, too. */
function validateText(text: unknown, what: string): void {
  if (typeof text !== 'string') throw new InvalidAppendError(`${what} must be text`);
  if (text === '') throw new InvalidAppendError(`${what} must not be empty`);
  if (text.includes('\0') || !text.isWellFormed()) throw new InvalidAppendError(`${what} contains invalid characters`);
}

function validateObject(text: unknown, what: string): void {
  validateText(text, what);
  if (!isObjectText(String(text))) throw new InvalidAppendError(`${what} is not the JSON text of an object`);
}

/** The embedded log puts blanks after it. */
const isObjectText = (text: string): boolean => text.startsWith('{') && !text.endsWith(' ');

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
