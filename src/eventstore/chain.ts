/**
 * The evidence chain: each event's link is a hash over the link before it and the event's canonical bytes, so that no event
 * can be changed, dropped, moved or put in without every later link changing. Written down in docs/evidence.md, for ever.
 */
import { hash } from 'node:crypto';
import { memberSpans } from './json-text.js';

/** The link before the first event. */
export const chainStart: Buffer = Buffer.alloc(32);
export const linkBytes = 32;

/** What a link is made of: no store position and no store time, so that a copied log has the same chain. */
export interface ChainedEvent {
  readonly stream: string;
  readonly revision: bigint | number;
  readonly id: string;
  readonly type: string;
  /** JSON text as stored. */
  readonly data: string;
  /** JSON text as stored. */
  readonly metadata: string;
}

/** Members of `data` that hold personal data. */
const isPersonal = (name: string): boolean => name === 'person' || name === 'message';
const mayBePersonal = /"(?:person|message)"/;
const digestText = /^"sha256:[0-9a-f]{64}"$/;

/** Made anew for each event, a buffer would cost more than the hash. The few events that do not fit get one of their own. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * The link of the event that follows `previous`.
 *
 * SHA-256 over the previous link and seven fields: ordinal, stream, revision, id, type, data, metadata. Each field is its
 * length in bytes (unsigned, 32 bits, big-endian) and its UTF-8 text; numbers are in decimal.
 * @param ordinal number of the event in the log, from 1.
 */
export function nextLink(previous: Uint8Array, ordinal: number, event: ChainedEvent): Buffer {
  const { stream, id, type, metadata } = event;
  const data = withDigests(event.data);
  // UTF-8 needs at most three bytes for one UTF-16 unit.
  const most = 256 + 3 * (stream.length + id.length + type.length + data.length + metadata.length);
  const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafeSlow(most);
  bytes.set(previous, 0);
  let end = field(bytes, linkBytes, String(ordinal));
  end = field(bytes, end, stream);
  end = field(bytes, end, String(event.revision));
  end = field(bytes, end, id);
  end = field(bytes, end, type);
  end = field(bytes, end, data);
  end = field(bytes, end, metadata);
  return hash('sha256', bytes.subarray(0, end), 'buffer');
}

function field(bytes: Buffer, at: number, text: string): number {
  const length = bytes.write(text, at + 4);
  bytes.writeUInt32BE(length, at);
  return at + 4 + length;
}

/**
 * `data` with the values of its top-level members `person` and `message` replaced by their digests. A value that is such a
 * digest already is kept: so personal data can be replaced by its digest later, and the chain stays as it is.
 */
export function withDigests(data: string): string {
  if (!mayBePersonal.test(data)) return data;
  const spans = memberSpans(data)?.filter(({ name }) => isPersonal(name)) ?? [];
  let replaced = '';
  let copied = 0;
  for (const { start, end } of spans) {
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
  (memberSpans(data)?.some(({ name, start, end }) => isPersonal(name) && digestText.test(data.slice(start, end))) ??
    false);
