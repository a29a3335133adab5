/** The header `Idempotency-Key`: every write takes it, since clients may add it to each. It has an effect on what makes something. */
import type { Request } from 'express';
import { ServiceError } from '../../errors.js';
import type { AnyEndpoint } from './endpoint.js';

/** Undefined also where the header has no effect. @throws ServiceError `invalid_idempotency_key` */
export function idempotencyKeyOf({ headers }: Request, { replays }: AnyEndpoint): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || replays !== true) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) throw new ServiceError('invalid_idempotency_key');
  return key;
}

/** Of the answer to a create or a send. */
export const writtenHeaders = ({
  position,
  replayed,
}: {
  readonly position: string;
  readonly replayed: boolean;
}): readonly string[] =>
  replayed ? ['X-Position', position, 'Idempotent-Replayed', 'true'] : ['X-Position', position];
