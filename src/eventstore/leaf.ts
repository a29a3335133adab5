/** The leaf of an event and the nodes above it: the canonical bytes that the Merkle tree of a log hashes. docs/evidence.md specifies them. */
import { hash } from 'node:crypto';
import { memberSpans, type MemberSpan } from './json-text.js';

export const hashBytes = 32;

/** The hashed parts of an event. Position and time of a store are not among them, so that a copied log has the same leaves. */
export interface HashedEvent {
  readonly stream: string;
  readonly revision: bigint | number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** 32 bytes as a text of 32 characters (latin1), which costs half as much as hex. Stored and shown hashes are hex. */
export type Hash = string;

export const toHex = (hash: Hash): string => Buffer.from(hash, 'latin1').toString('hex');
export const fromHex = (hex: string): Hash => Buffer.from(hex, 'hex').toString('latin1');
export const hashOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Hash =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

const sha256 = (bytes: string | Uint8Array): Hash => hash('sha256', bytes, 'binary');

/**
 * Returns the leaf of an event: SHA-256 over a zero byte and the fields ordinal, stream, revision, id, type, data and
 * metadata. Numbers are decimal.
 * @param ordinal number of the event in the log, from 1
 * @param digested data as `withDigests` returns it, if it is known already
 */
export function leafOf(ordinal: number, event: HashedEvent, digested = withDigests(event.data)): Hash {
  const text = leafText(ordinal, event, digested);
  // If all of it is ASCII, its lengths in characters are those in bytes.
  return sha256(Buffer.byteLength(text) === text.length ? text : leafTextInUtf8(ordinal, event, digested));
}

/** Returns a function that writes the fields. One string, because gathering bytes in a buffer costs twice as much. */
const fieldsWith =
  (length: (text: string) => number) =>
  (ordinal: number, { stream, revision, id, type, metadata }: HashedEvent, data: string): string => {
    const [place, number] = [String(ordinal), String(revision)];
    return `\0${length(place)}:${place},${length(stream)}:${stream},${length(number)}:${number},${length(id)}:${id},${length(type)}:${type},${length(data)}:${data},${length(metadata)}:${metadata},`;
  };
const leafText = fieldsWith((text) => text.length);
const leafTextInUtf8 = fieldsWith((text) => Buffer.byteLength(text));

const marked = Buffer.alloc(1 + 2 * hashBytes, 1);

/** Returns a node of the tree: SHA-256 over a byte 1 and the two nodes below. */
export function nodeOf(left: Hash, right: Hash): Hash {
  marked.write(left, 1, 'latin1');
  marked.write(right, 1 + hashBytes, 'latin1');
  return sha256(marked);
}

/** Returns a text with its length in bytes before it, so that no two lists of texts have the same bytes. */
export const field = (text: string): string => `${Buffer.byteLength(text)}:${text},`;

/** Returns whether the member holds personal data. Escapes in its name are not resolved. */
function isPersonal(data: string, { from, to }: MemberSpan): boolean {
  return (to - from === 6 && data.startsWith('person', from)) || (to - from === 7 && data.startsWith('message', from));
}
const mayBePersonal = /"(?:person|message)"/;
const digestText = /^"sha256:[0-9a-f]{64}"$/;

/**
 * Returns `data` with the values of its top-level members `person` and `message` replaced by their digests. Keeps a value
 * that is a digest already, so that erasing personal data changes no leaf.
 */
export const withDigests = (data: string): string => digestsIn(data).digested;

/** Returns `data` as `withDigests` does, and whether one of these values was a digest already. */
export function digestsIn(data: string): { readonly digested: string; readonly hasDigest: boolean } {
  if (!mayBePersonal.test(data)) return { digested: data, hasDigest: false };
  const personal = memberSpans(data)?.filter((span) => isPersonal(data, span)) ?? [];
  let digested = '';
  let copied = 0;
  let hasDigest = false;
  for (const { start, end } of personal) {
    const value = data.slice(start, end);
    if (digestText.test(value)) hasDigest = true;
    else {
      digested += data.slice(copied, start) + digestOf(value);
      copied = end;
    }
  }
  return { digested: digested + data.slice(copied), hasDigest };
}

/** Returns the JSON string that replaces a text of personal data. Returns the text itself if it is such a string. */
export const digestOf = (text: string): string => (digestText.test(text) ? text : `"sha256:${hash('sha256', text)}"`);

/** Returns whether personal data of the event were replaced by their digests. */
export const isRedacted = (data: string): boolean =>
  data.includes('"sha256:') &&
  (memberSpans(data)?.some((span) => isPersonal(data, span) && digestText.test(data.slice(span.start, span.end))) ??
    false);
