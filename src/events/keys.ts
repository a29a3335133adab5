/** API keys: what they may do, the facts of the stream `keys`, and the names that no key may have. */
import { z } from 'zod';
import type { EventOf } from './envelope.js';
import { nameKey } from './catalogues.js';

const time = z.iso.datetime({ precision: 3 });
/** SHA-256 of the secret, in hex: the secret itself is kept nowhere. */
const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const keySchemas = {
  /** A scope that this version does not know gives nothing. */
  ApiKeyCreated: z.object({
    key_id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    hash,
    expires_at: time.optional(),
  }),
  /** The previous secret stays valid until `previous_until`. Earlier secrets end now. */
  ApiKeyRotated: z.object({ key_id: z.string(), hash, previous_until: time }),
  ApiKeyRevoked: z.object({ key_id: z.string(), reason: z.string().optional() }),
  /** The key reached its `expires_at`. The key stays closed, whatever the clock says later. */
  ApiKeyExpired: z.object({ key_id: z.string() }),
  /** The overlap after a rotation is over. The secret with this hash stays closed, whatever the clock says later. */
  ApiKeySecretExpired: z.object({ key_id: z.string(), hash }),
};

export type KeyEvent = EventOf<typeof keySchemas>;

/** As `actor` of an event these say that no key acted, or a key with that id. */
export const isReservedKeyName = (name: string): boolean =>
  ['mailer', 'cli', 'service', 'recipient'].includes(nameKey(name)) ||
  /^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(name.trim());

export const scopes = [
  'groups:read',
  'groups:write',
  'lists:read',
  'lists:write',
  'tags:read',
  'tags:write',
  'contacts:read',
  'contacts:write',
  'email:read',
  'email:write',
  'reports',
  'suppressions:read',
  'suppressions:write',
  'audit:read',
  'analytics:read',
  'projections',
  'metrics',
  'privacy',
  'keys',
  'clock',
] as const;

export type Scope = (typeof scopes)[number];

export const isScope = (value: unknown): value is Scope => scopes.some((scope) => scope === value);
