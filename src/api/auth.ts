/** API keys: kept as SHA-256 hashes, compared in constant time, never logged. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface ApiKey {
  /** Who acts: stands as `actor` in the events' metadata. Never the key. */
  readonly id: string;
  readonly hash: Buffer;
}

export const hashKey = (key: string): Buffer => createHash('sha256').update(key, 'utf8').digest();

/** A key of the configuration: `name:key`, or a bare key, whose id is a prefix of its hash. */
export function configuredKey(text: string): ApiKey {
  const colon = text.indexOf(':');
  const hash = hashKey(text.slice(colon + 1));
  return { id: colon < 0 ? `key-${hash.toString('hex').slice(0, 8)}` : text.slice(0, colon), hash };
}

/** Id of the key that a request carries; undefined where it is missing, malformed or unknown. */
export type Authenticator = (request: IncomingMessage) => string | undefined;

export function createAuthenticator(keys: readonly ApiKey[]): Authenticator {
  /** The last valid header of each connection, compared in constant time too. Clear it if keys can ever be revoked while the service runs. */
  const verified = new WeakMap<object, { readonly header: Buffer; readonly id: string }>();

  function verify(header: string): string | undefined {
    const token = /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (token === undefined) return undefined;
    const hash = hashKey(token);
    let found: string | undefined;
    // Every key is compared, so that the time taken tells nothing.
    for (const key of keys) if (timingSafeEqual(key.hash, hash)) found = key.id;
    return found;
  }

  return ({ headers: { authorization: header }, socket }) => {
    if (header === undefined) return undefined;
    const last = verified.get(socket);
    const received = Buffer.from(header, 'latin1');
    if (last?.header.length === received.length && timingSafeEqual(last.header, received)) return last.id;
    const id = verify(header);
    if (id !== undefined) verified.set(socket, { header: received, id });
    return id;
  };
}
