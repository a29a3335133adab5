/** What every log accepts: text that comes back as it went in, in amounts that one transaction can carry. */
import type { EventToAppend, ExpectedRevision } from './event-store.js';

const charactersPerAppend = 32 * 1024 * 1024;

/** The append's size in characters. @throws TypeError */
export function assertAppendable(
  stream: string,
  events: readonly EventToAppend[],
  expectedRevision: ExpectedRevision,
): number {
  assertText(stream, 'stream name');
  if (stream === '') throw new TypeError('stream name must not be empty');
  if (events.length === 0) throw new TypeError('an append must have at least one event');
  if (typeof expectedRevision === 'bigint' && expectedRevision < 0n)
    throw new TypeError(`expected revision must not be negative, not ${expectedRevision}`);
  let size = stream.length;
  for (const { id, type, data, metadata } of events) {
    if (!isUuid(id)) throw new TypeError('event id must be a UUID in lower case');
    assertText(type, 'event type');
    if (type === '') throw new TypeError('event type must not be empty');
    assertText(data, 'data');
    assertText(metadata, 'metadata');
    size += id.length + type.length + data.length + metadata.length;
  }
  if (size > charactersPerAppend)
    throw new TypeError(`an append must have at most ${charactersPerAppend} characters, not ${size}`);
  return size;
}

/** In lower case. Looked at character by character, which takes a third of what a regular expression does. */
function isUuid(id: unknown): boolean {
  if (typeof id !== 'string' || id.length !== 36) return false;
  for (let at = 0; at < 36; at += 1) if (!fits(id.charCodeAt(at), at)) return false;
  return true;
}

const fits = (code: number, at: number): boolean =>
  at === 8 || at === 13 || at === 18 || at === 23
    ? code === 0x2d
    : (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66);

/** SQLite ends text at NUL and replaces lone surrogates, EventStoreDB replaces these, too. */
function assertText(text: unknown, what: string): void {
  if (typeof text !== 'string') throw new TypeError(`${what} must be text`);
  if (text.includes('\0') || !text.isWellFormed()) throw new TypeError(`${what} contains invalid characters`);
}
