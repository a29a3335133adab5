/** API keys: found by the SHA-256 of the secret, compared in constant time, never logged. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { scopes } from '../../events/keys.js';

/** What one secret allows. The connections that have shown it keep this object, so a change of it holds for them at once. */
export interface Grant {
  /** `actor` in the metadata of events. Never the secret. */
  readonly id: string;
  readonly hash: Buffer;
  readonly scopes: ReadonlySet<string>;
  /** When the secret ends, in milliseconds since the epoch. `ended` once the end was noticed. */
  until: number;
  /** Milliseconds since the epoch, 0 before the first use. */
  lastUsed: number;
  /** Each ends one streamed answer of this grant. */
  readonly streams: Set<() => void>;
}

/** The `until` of a secret whose end was noticed. Requests that are under way are refused, too. */
export const ended = 0;

export const hashKey = (key: string): Buffer => createHash('sha256').update(key, 'utf8').digest();

export const createGrant = (given: Omit<Grant, 'lastUsed' | 'streams'>): Grant => ({
  ...given,
  lastUsed: 0,
  streams: new Set(),
});

export type Identity = Pick<Grant, 'id' | 'hash'>;

/** A key that never ends and may do everything. */
export const fullGrant = ({ id, hash }: Identity): Grant =>
  createGrant({ id, hash, scopes: new Set(scopes), until: Infinity });

/** A key of the configuration: `name:key`, or a bare key, whose id is a prefix of its hash. */
export function configuredKey(text: string): Identity {
  const colon = text.indexOf(':');
  const hash = hashKey(text.slice(colon + 1));
  return { id: colon < 0 ? `key-${hash.toString('hex').slice(0, 8)}` : text.slice(0, colon), hash };
}

/** The grant of the key that a request carries; undefined where it is missing, malformed, unknown or no longer valid. */
export type Authenticator = (request: IncomingMessage) => Grant | undefined;

interface AuthenticatorOptions {
  /** By the SHA-256 of the secret, in hex. */
  readonly find: (hash: string) => Grant | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

export function createAuthenticator({ find, clock }: AuthenticatorOptions): Authenticator {
  /** The last known header of each connection, compared in constant time, too. `received` has the bytes of a later header. */
  const verified = new WeakMap<object, { readonly header: Buffer; readonly received: Buffer; readonly grant: Grant }>();

  function verify(header: string): Grant | undefined {
    const token = /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (token === undefined) return undefined;
    const hash = hashKey(token);
    const grant = find(hash.toString('hex'));
    return grant !== undefined && timingSafeEqual(grant.hash, hash) ? grant : undefined;
  }

  function grantOf({ headers: { authorization: header }, socket }: IncomingMessage): Grant | undefined {
    if (header === undefined) return undefined;
    const last = verified.get(socket);
    if (last?.header.length === header.length) {
      // Write into a buffer of the connection, because a new one for each request costs more than the comparison.
      last.received.write(header, 'latin1');
      if (timingSafeEqual(last.header, last.received)) return last.grant;
    }
    const grant = verify(header);
    const bytes = Buffer.from(header, 'latin1');
    if (grant !== undefined) verified.set(socket, { header: bytes, received: Buffer.from(bytes), grant });
    return grant;
  }

  return (request) => {
    const grant = grantOf(request);
    const now = clock();
    if (grant === undefined || grant.until <= now) return undefined;
    grant.lastUsed = now;
    return grant;
  };
}
