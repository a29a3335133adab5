/** What every event has in common: its type and data, its metadata, and where it stands once recorded. */
import { z } from 'zod';

/** A schema per stored event name, for one kind of stream. */
export type EventSchemas = Record<string, z.ZodType<object>>;

/** The union of `{ type, data }` that a table of schemas describes. */
export type EventOf<Schemas extends EventSchemas> = {
  [Type in keyof Schemas & string]: { readonly type: Type; readonly data: z.infer<Schemas[Type]> };
}[keyof Schemas & string];

/** 16 random bytes in hex that every `person` and `message` object carries, so that its digest tells nothing about it. Added in commands/batch.ts, demanded by the codec. */
const salt = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .optional();

/** What an erasure leaves of a `person` or `message`, see docs/evidence.md. */
const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .transform(() => null);

/** A `person` or `message`; null once it was erased. Nothing new is written with null. */
export const personal = <Shape extends z.ZodRawShape>(shape: Shape) => z.union([z.object({ salt, ...shape }), digest]);

export const metadataSchema = z.object({
  /** UTC, ISO 8601 with milliseconds: when it happened. Never earlier than the previous event of the same stream. */
  at: z.iso.datetime({ precision: 3 }),
  /** One UUID per request; the mailer's events inherit that of EmailRequested. */
  $correlationId: z.string(),
  /** Id of the event that caused this one; the correlation id where a request did. */
  $causationId: z.string(),
  request_id: z.string(),
  /** Id of the API key, or `mailer`, `cli`, `service`, or `recipient`: who got an e-mail. */
  actor: z.string(),
  /** Version of the shape of `data`, from 1. */
  schema: z.number().int().min(1),
  idempotency: z.object({ key_hash: z.string(), request_hash: z.string() }).optional(),
});

export type Metadata = z.infer<typeof metadataSchema>;

/** Keyed hashes of the `Idempotency-Key` of a request, and of what it asked for. */
export type Idempotency = NonNullable<Metadata['idempotency']>;

export interface RecordedEvent<Event> {
  readonly stream: string;
  readonly revision: bigint;
  /** Place in the whole log; sorts as a string. */
  readonly position: string;
  readonly id: string;
  readonly event: Event;
  readonly metadata: Metadata;
}

export interface NewEvent<Event> {
  readonly id: string;
  readonly event: Event;
  readonly metadata: Metadata;
  readonly encoded: { readonly id: string; readonly type: string; readonly data: string; readonly metadata: string };
}

/** Events of one stream as this process has appended them. */
export interface AppendedEvents<Event> {
  readonly stream: string;
  readonly events: readonly NewEvent<Event>[];
  readonly revision: bigint;
  readonly position: string;
}
