/**
 * The evidence chain: each event's link is a hash over the link before it and the event's leaf, the hash of its canonical
 * bytes, so that no event can be changed, dropped, moved or put in without every later link changing. The leaves are those of
 * a tree, too (tree.ts). Written down in docs/evidence.md, for ever.
 */
import { hash } from 'node:crypto';
import type { Position, StoredEvent } from './event-store.js';
import { memberSpans, type MemberSpan } from './json-text.js';

export const linkBytes = 32;
/** The link before the first event: zero bytes, in hex. */
export const firstLink = '00'.repeat(linkBytes);

/** What a link is made of: no store position and no store time, so that a copied log has the same chain. */
export interface ChainedEvent {
  readonly stream: string;
  readonly revision: bigint | number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** An event with the link that the store keeps of it, in lower-case hex; null where it keeps none. */
export interface LinkedEvent extends StoredEvent {
  readonly link: string | null;
  /** Number of the event as the store itself counts, where it does. */
  readonly ordinal?: number;
}

/** The end of the chain: the number of events, the link of the last one in hex, and its position. */
export interface ChainHead {
  readonly count: number;
  readonly head: string;
  readonly position: Position;
}

/** Members of `data` that hold personal data; escapes in their names are not resolved. */
function isPersonal(data: string, { from, to }: MemberSpan): boolean {
  return (to - from === 6 && data.startsWith('person', from)) || (to - from === 7 && data.startsWith('message', from));
}
const mayBePersonal = /"(?:person|message)"/;
const digestText = /^"sha256:[0-9a-f]{64}"$/;

/** 32 bytes as a text of as many characters (latin1), which costs half of what hex does. In hex wherever it is stored as text or shown. */
export type Hash = string;

export const toHex = (hash: Hash): string => Buffer.from(hash, 'latin1').toString('hex');
export const fromHex = (hex: string): Hash => Buffer.from(hex, 'hex').toString('latin1');
export const hashOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Hash =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

const sha256 = (bytes: string | Uint8Array): Hash => hash('sha256', bytes, 'binary');

/**
 * The leaf of an event: SHA-256 over a zero byte, then the UTF-8 bytes of seven fields, `<length in bytes>:<text>,` each:
 * ordinal, stream, revision, id, type, data, metadata. Numbers are in decimal.
 * @param ordinal number of the event in the log, from 1.
 * @param digested its data as `withDigests` gives it, where that is known already.
 */
export function leafOf(ordinal: number, event: ChainedEvent, digested = withDigests(event.data)): Hash {
  const { stream, id, type, metadata } = event;
  const place = `${digits(ordinal)}${field(stream)}${digits(event.revision)}`;
  // One text: half of what it costs to gather bytes in a buffer.
  return sha256(`\0${place}${field(id)}${field(type)}${field(digested)}${field(metadata)}`);
}

const pair = Buffer.alloc(2 * linkBytes);
const marked = Buffer.alloc(1 + 2 * linkBytes, 1);

/** The link of an event: SHA-256 over the link before it and its leaf, 32 bytes each. */
export function linkOf(previous: Hash, leaf: Hash): Hash {
  pair.write(previous, 0, 'latin1');
  pair.write(leaf, linkBytes, 'latin1');
  return sha256(pair);
}

/** A node of the tree: SHA-256 over a byte 1 and the two below it. */
export function nodeOf(left: Hash, right: Hash): Hash {
  marked.write(left, 1, 'latin1');
  marked.write(right, 1 + linkBytes, 'latin1');
  return sha256(marked);
}

/** The link of the event that follows `previous`, both in hex. */
export const linkAfter = (previous: string, ordinal: number, event: ChainedEvent): string =>
  toHex(linkOf(fromHex(previous), leafOf(ordinal, event)));

/** A text with its length before it, so that no two lists of texts look the same. */
export const field = (text: string): string => `${Buffer.byteLength(text)}:${text},`;

function digits(number: number | bigint): string {
  const text = String(number);
  return `${text.length}:${text},`;
}

/**
 * `data` with the values of its top-level members `person` and `message` replaced by their digests. A value that is such a
 * digest already is kept: so personal data can be replaced by its digest later, and the chain stays as it is.
 */
export function withDigests(data: string): string {
  if (!mayBePersonal.test(data)) return data;
  const personal = memberSpans(data)?.filter((span) => isPersonal(data, span)) ?? [];
  let replaced = '';
  let copied = 0;
  for (const { start, end } of personal) {
    replaced += data.slice(copied, start) + digestOf(data.slice(start, end));
    copied = end;
  }
  return replaced + data.slice(copied);
}

/** The JSON string that stands for a text of personal data; of such a string, itself. */
export const digestOf = (text: string): string => (digestText.test(text) ? text : `"sha256:${hash('sha256', text)}"`);

/** Whether personal data of the event were replaced by their digests. */
export const isRedacted = (data: string): boolean =>
  data.includes('"sha256:') &&
  (memberSpans(data)?.some((span) => isPersonal(data, span) && digestText.test(data.slice(span.start, span.end))) ??
    false);
