/** Reads headers of a request: `Idempotency-Key`, `X-Min-Position`, `Prefer` and `Accept`. */
import type { Request } from 'express';
import { positionUpTo } from '../../audit/feed.js';
import { ServiceError } from '../../errors.js';
import type { Position } from '../../eventstore/event-store.js';

/** Returns the `Idempotency-Key`, or undefined if the request has none. @throws ServiceError `invalid_idempotency_key` */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) throw new ServiceError('invalid_idempotency_key');
  return key;
}

/** Returns the headers of the answer to a create or a send. */
export const writtenHeaders = ({
  position,
  replayed,
}: {
  readonly position: string;
  readonly replayed: boolean;
}): readonly string[] =>
  replayed ? ['X-Position', position, 'Idempotent-Replayed', 'true'] : ['X-Position', position];

const mostIgnoredNames = 10;

/** Returns `X-Ignored-Fields` with the names of dropped fields, or nothing if there are no such fields. Names that could not be in a header are only counted. */
export function ignoredHeaders(fields: readonly string[]): readonly string[] {
  const names: string[] = [];
  let others = 0;
  for (const field of fields)
    if (names.length < mostIgnoredNames && /^[A-Za-z0-9_.-]{1,64}$/.test(field)) names.push(field);
    else others += 1;
  if (others > 0) names.push(`+${others}`);
  return names.length === 0 ? [] : ['X-Ignored-Fields', names.join(', ')];
}

interface LogPositions {
  /** Returns the position that the views show as far as this process knows, or `''` if it does not know yet. */
  readonly shown: () => Position;
  /** Reads the head of the log. @throws StoreUnavailableError */
  readonly head: () => Promise<Position>;
}

/** Returns the position to wait for, or undefined if the views already show it. @throws ServiceError `invalid_position`, see `positionUpTo` */
export async function minPositionOf(header: string, { shown, head }: LogPositions): Promise<Position | undefined> {
  if (header === '' || positionUpTo(header, shown()) !== undefined) return undefined;
  const position = positionUpTo(header, await head());
  if (position === undefined) throw new ServiceError('invalid_position');
  return position;
}

export const strictApplied: readonly string[] = ['Preference-Applied', 'handling=strict'];

/** Returns whether the first `handling` of the header is `strict`. */
export function prefersStrict(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const preferences = String(header).split(',');
  const handling = preferences
    .map((preference) => /^\s*handling\s*=\s*"?(\w+)"?\s*(?:;.*)?$/i.exec(preference)?.[1])
    .find((value) => value !== undefined);
  return handling?.toLowerCase() === 'strict';
}

/** Returns whether the client prefers HTML to JSON. Tells caches that the answer depends on `Accept`. */
export function wantsPage(request: Request): boolean {
  request.res?.vary('Accept');
  return request.accepts(['application/json', 'text/html']) === 'text/html';
}
