/** What an API key may do: each endpoint needs one of these scopes. The names are stored with the keys, so they are for ever. */

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
  'audit:read',
  'analytics:read',
  'projections',
  'metrics',
  'privacy',
  'keys',
] as const;

export type Scope = (typeof scopes)[number];

export const isScope = (value: unknown): value is Scope => scopes.some((scope) => scope === value);
