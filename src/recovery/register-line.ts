/**
 * A line of the register is an event that a restore must not undo, with digests in place of personal data. Each line has its
 * own MAC, so that lines of several files can be merged and nobody without the secret can write a valid one.
 */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { StoredEvent } from '../eventstore/event-store.js';
import { field, withDigests } from '../eventstore/leaf.js';
import { jsonIn } from '../flow/json.js';

const object = z.record(z.string(), z.unknown());
const registerLine = z.strictObject({
  log_id: z.string(),
  stream: z.string(),
  revision: z.int().min(0),
  event_id: z.string(),
  type: z.string(),
  data: object,
  metadata: object,
  /** HMAC-SHA-256 of the other members, hex. */
  mac: z.string().regex(/^[0-9a-f]{64}$/),
});
export type RegisterLine = Readonly<z.output<typeof registerLine>>;

export type RegisteredEvent = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'type' | 'data' | 'metadata'>;

/** The log that a register belongs to. */
export interface RegisterOwner {
  readonly logId: string;
  /** `deriveRegisterKey` of the secret of the log. */
  readonly key: KeyObject;
}

/** Returns the line of an event. */
export function lineOf(event: RegisteredEvent, { logId, key }: RegisterOwner): RegisterLine {
  const { stream, revision, id, type } = event;
  const [data, metadata] = [
    object.parse(JSON.parse(withDigests(event.data))),
    object.parse(JSON.parse(event.metadata)),
  ];
  const line = { log_id: logId, stream, revision: Number(revision), event_id: id, type, data, metadata };
  return { ...line, mac: macOf(line, key) };
}

/** Returns the text of a line in the file, with its line feed. */
export const textOf = (line: RegisterLine): string => `${JSON.stringify(line)}\n`;

/** Returns the line, or undefined if the text is not a line of the register. Does not check the MAC. */
export const parseLine = (text: string): RegisterLine | undefined => registerLine.safeParse(jsonIn(text)).data;

/** Returns whether the service with this secret wrote the line. */
export const hasValidMac = ({ mac, ...line }: RegisterLine, key: KeyObject): boolean =>
  timingSafeEqual(Buffer.from(macOf(line, key), 'hex'), Buffer.from(mac, 'hex'));

function macOf(line: Omit<RegisterLine, 'mac'>, key: KeyObject): string {
  const { log_id, stream, revision, event_id, type, data, metadata } = line;
  const fields = [
    'audience/register/1',
    log_id,
    stream,
    String(revision),
    event_id,
    type,
    JSON.stringify(data),
    JSON.stringify(metadata),
  ];
  return createHmac('sha256', key).update(fields.map(field).join(''), 'utf8').digest('hex');
}
