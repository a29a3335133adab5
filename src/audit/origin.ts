/** When, by whom and on which request an event was written, as its metadata say. */
import { metadataSchema } from '../events/envelope.js';
import type { FeedEvent } from './answers.js';
import { jsonOrText } from './redaction.js';

type Origin = Pick<FeedEvent, 'at' | 'actor' | 'request_id' | 'correlation_id' | 'causation_id' | 'schema'>;

const unknownOrigin: Origin = {
  at: null,
  actor: null,
  request_id: null,
  correlation_id: null,
  causation_id: null,
  schema: null,
};

export function originOf(metadata: string): Origin {
  const known = metadataSchema.safeParse(jsonOrText(metadata)).data;
  if (known === undefined) return unknownOrigin;
  const { at, actor, request_id, $correlationId: correlation_id, $causationId: causation_id, schema } = known;
  return { at, actor, request_id, correlation_id, causation_id, schema };
}

interface OriginFilter {
  readonly actor?: string | undefined;
  /** First and last time. ISO 8601, UTC, milliseconds. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What cannot be read is shown whatever is asked for. */
export function isAskedFor(
  { at, actor }: Pick<Origin, 'at' | 'actor'>,
  { from = '', to, actor: wanted }: OriginFilter,
): boolean {
  if (at !== null && (at < from || (to !== undefined && at > to))) return false;
  return isOneOf(actor, wanted);
}

export const isOneOf = (found: string | null, wanted: string | undefined): boolean =>
  found === null || wanted === undefined || found === wanted;
