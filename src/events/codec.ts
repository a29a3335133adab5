/** Turns events into stored text and back. Everything that is read from the log passes here: schema, upcasters, metadata. */
import { z } from 'zod';
import { accessSchemas, type AccessEvent } from './access.js';
import { contactSchemas, type ContactEvent } from './contact.js';
import { emailSchemas, type EmailEvent } from './email.js';
import { erasureSchemas, type ErasureEvent } from './erasures.js';
import { metadataSchema, type EventSchemas, type Metadata, type RecordedEvent } from './envelope.js';
import { groupSchemas, listSchemas, tagSchemas, type GroupEvent, type ListEvent, type TagEvent } from './catalogues.js';
import { keySchemas, type KeyEvent } from './keys.js';
import type { RefusalKind } from './refusal-kind.js';
import { serviceSchemas, type ServiceEvent } from './service.js';
import { suppressionSchemas, type SuppressionEvent } from './suppressions.js';

export type DomainEvent =
  | GroupEvent
  | ListEvent
  | TagEvent
  | ContactEvent
  | EmailEvent
  | SuppressionEvent
  | ServiceEvent
  | KeyEvent
  | ErasureEvent
  | AccessEvent;
export type EventType = DomainEvent['type'];

export const eventSchemas = {
  ...groupSchemas,
  ...listSchemas,
  ...tagSchemas,
  ...contactSchemas,
  ...emailSchemas,
  ...suppressionSchemas,
  ...serviceSchemas,
  ...keySchemas,
  ...erasureSchemas,
  ...accessSchemas,
} satisfies EventSchemas;

/** Schema versions that new events are written with. Every other type has version 1. */
const versions: Partial<Record<EventType, number>> = { EmailRequested: 2, EmailBounced: 2, LogRestored: 2 };
const versionOf = (type: EventType): number => versions[type] ?? 1;

/** Turns `data` of one schema version into the next version. Pure. */
type Upcaster = (data: unknown) => unknown;

/** Upcasters by event type and by the version that they read. There is one for each version below the newest. */
const upcasters: Partial<Record<EventType, Readonly<Record<number, Upcaster>>>> = {
  // Version 2 adds optional members only.
  EmailRequested: { 1: (data) => data },
  // In version 1, the kind was `hard` (permanent) or `soft` (not delivered in time). Only the code had the reason.
  EmailBounced: { 1: bounceWithKind },
  // Version 1 had a link of an earlier log format in place of the root, and no MAC.
  LogRestored: { 1: restoreWithoutMac },
};

const restoreV1 = z.object({ count: z.int().min(1), head: z.string().regex(/^[0-9a-f]{64}$/) });

function restoreWithoutMac(data: unknown): unknown {
  const restore = restoreV1.safeParse(data);
  // Data that does not fit version 1 must not be taken for version 2, so it is left out and the event is unreadable.
  return restore.success ? { count: restore.data.count, root: null, superseded: null, mac: null } : {};
}

const bounceV1 = z.looseObject({ kind: z.enum(['hard', 'soft']), enhanced_code: z.string().optional() });

/** The rules of schema 1 stay as they were, so this is not `classifyRefusal`. */
function bounceWithKind(data: unknown): unknown {
  const bounce = bounceV1.safeParse(data);
  if (!bounce.success) return data;
  const { enhanced_code: code = '' } = bounce.data;
  return { ...bounce.data, kind: kindOfCode(code) };
}

function kindOfCode(code: string): RefusalKind {
  if (/^5\.(?:1\.(?:[1236]|10)|2\.1)$/.test(code)) return 'hard';
  if (/^[45]\.2\.2$/.test(code)) return 'full';
  return /^[45]\.7\./.test(code) ? 'policy' : 'other';
}

/** An event of a type that this version of the service does not know. A decider refuses it, a view skips and counts it. */
export class UnknownEventTypeError extends Error {
  override readonly name = 'UnknownEventTypeError';
}

/** A known type that cannot be read, or one in a stream that has no such events: a poison event. The message names place and field, never a value. */
export class UnreadableEventError extends Error {
  override readonly name = 'UnreadableEventError';
}

/** Asking again does not help: the event stays as it is until another version of the service can read it. */
export const isUnreadable = (error: unknown): error is UnknownEventTypeError | UnreadableEventError =>
  error instanceof UnknownEventTypeError || error instanceof UnreadableEventError;

/** The parts of a stored event that decoding needs; the event-store port's `StoredEvent` has this shape. */
interface EncodedEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly position: string;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

function createCodec() {
  const schemas = new Map<string, z.ZodType<object>>(Object.entries(eventSchemas));
  const knows = (type: string): type is EventType => schemas.has(type);
  /** Events of one command follow each other with the same metadata: parsed once. */
  let lastMetadata: { readonly text: string; readonly metadata: Metadata } | undefined;

  function decodeMetadata(stored: EncodedEvent): Metadata {
    if (lastMetadata?.text !== stored.metadata) {
      const metadata = Object.freeze(parse(metadataSchema, parseJson(stored.metadata, stored), stored));
      lastMetadata = { text: stored.metadata, metadata };
    }
    return lastMetadata.metadata;
  }

  return {
    knows,
    schemaVersion: versionOf,
    /** JSON text of a new event's data. Throws a TypeError when a `person` or `message` has no salt: such an event must never be stored. */
    encode(event: DomainEvent): string {
      assertSalted(event);
      return JSON.stringify(event.data);
    },
    decode(stored: EncodedEvent): RecordedEvent<DomainEvent> {
      const { type } = stored;
      const schema = schemas.get(type);
      if (schema === undefined || !knows(type)) throw new UnknownEventTypeError(`${where(stored)} has unknown type`);
      const metadata = decodeMetadata(stored);
      const newest = versionOf(type);
      if (metadata.schema > newest)
        throw new UnreadableEventError(`${where(stored)} has schema ${metadata.schema}, newest known is ${newest}`);
      let data = parseJson(stored.data, stored);
      for (let version = metadata.schema; version < newest; version += 1)
        data = upcasters[type]?.[version]?.(data) ?? data;
      const event = { type, data: parse(schema, data, stored) } as DomainEvent;
      return {
        stream: stored.stream,
        revision: stored.revision,
        position: stored.position,
        id: stored.id,
        event,
        metadata,
      };
    },
  };
}

export const codec = createCodec();

/** A copy of the event in which every `person` and `message` object carries a salt. */
export function withSalt<Event extends DomainEvent>(event: Event, newSalt: () => string): Event {
  const { data } = event;
  if ('person' in data && data.person)
    return { ...event, data: { ...data, person: { salt: newSalt(), ...data.person } } };
  if ('message' in data && data.message)
    return { ...event, data: { ...data, message: { salt: newSalt(), ...data.message } } };
  return event;
}

/** Null where it was erased, undefined where the event has none. */
function personalIn({ data }: DomainEvent) {
  if ('person' in data) return data.person;
  return 'message' in data ? data.message : undefined;
}

export const saltOf = (event: DomainEvent): string | undefined => personalIn(event)?.salt;

function assertSalted(event: DomainEvent): void {
  const personal = personalIn(event);
  if (personal !== undefined && personal?.salt === undefined)
    throw new TypeError(`${event.type}: its person or message has no salt`);
}

function parseJson(text: string, stored: EncodedEvent): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UnreadableEventError(`${where(stored)} is not JSON`);
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, stored: EncodedEvent): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.code}`).join(', ');
  throw new UnreadableEventError(`${where(stored)} does not fit its schema (${fields})`);
}

const where = (stored: EncodedEvent): string =>
  `event ${stored.type} at revision ${stored.revision} of ${stored.stream}, position ${stored.position},`;
