/** Reads the form that a page or a mail program sends (RFC 8058): a small one, in either of the two encodings. */
import type { IncomingMessage } from 'node:http';
import { collect } from '../http/body.js';
import { ServiceError } from '../../errors.js';

export const maxBytes = 64 * 1024;

/** By name, of those that are texts. Nothing where the body is no form. @throws ServiceError `too_large` @throws RequestAbortedError */
export async function readForm(request: IncomingMessage): Promise<ReadonlyMap<string, readonly string[]>> {
  const fields = new Map<string, string[]>();
  const { 'content-type': type = 'application/x-www-form-urlencoded', 'content-length': length = '0' } =
    request.headers;
  if (Number(length) > maxBytes) throw new ServiceError('too_large');
  const bytes = await collect(request, { limit: maxBytes, take: (received) => received });
  const sent = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined);
  for (const [name, value] of sent ?? []) {
    if (typeof value !== 'string') continue;
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}
