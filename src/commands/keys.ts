/** The rules of API keys: a name is unique among living keys, a key grants no scopes and no time that it does not have, and a revocation is final. */
import { Map } from 'immutable';
import { isReservedKeyName, keySchemas, type KeyEvent } from '../events/keys.js';
import { nameKey } from '../events/catalogues.js';
import type { Idempotency } from '../events/envelope.js';
import { knownBy, decideRepeat, type Decider, type Decision, type Refusal } from './decider.js';

/** Times are UTC in ISO 8601 with milliseconds. */
export interface Key {
  readonly key_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly hash: string;
  /** The secret before the last rotation. `isClosed` tells whether it had no overlap, or the end of its overlap was recorded. */
  readonly previous: { readonly hash: string; readonly until: string; readonly isClosed: boolean } | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** Whether the end of the key was recorded. */
  readonly hasExpired: boolean;
  readonly rotated_at: string | null;
  readonly revoked_at: string | null;
  /** The `Idempotency-Key` of the create. */
  readonly creation?: Idempotency | undefined;
}

export type KeysState = Map<string, Key>;

type Data<Type> = Extract<KeyEvent, { type: Type }>['data'];
interface GrantContext {
  /** The scopes of the key that asks. */
  readonly granter: ReadonlySet<string>;
  /** Id of the key that asks. One of the configuration is not among the keys here, and never ends. */
  readonly by: string;
  readonly now: string;
}
type Create = { readonly type: 'Create' } & GrantContext & Data<'ApiKeyCreated'>;
type Rotate = { readonly type: 'Rotate' } & GrantContext & Data<'ApiKeyRotated'>;
type Revoke = { readonly type: 'Revoke' } & Data<'ApiKeyRevoked'>;
/** A command that records which keys and overlaps have ended. `now` is the time of a trusted clock. */
interface Expire {
  readonly type: 'Expire';
  readonly now: string;
}
/** A change that a client requests. */
export type KeyChange = Create | Rotate | Revoke;
/** A command on API keys. A change has the data of its event, and who asks for it. */
export type KeyCommand = KeyChange | Expire;

export function stateOf({ revoked_at, expires_at, hasExpired }: Key, now: string): 'active' | 'expired' | 'revoked' {
  if (revoked_at !== null) return 'revoked';
  return hasExpired || (expires_at !== null && expires_at <= now) ? 'expired' : 'active';
}

export const keyDecider: Decider<KeysState, KeyCommand, KeyEvent> = {
  initial: Map(),
  knows: knownBy<KeyEvent>(keySchemas),
  evolve(state, { type, data }, { at, idempotency: creation }) {
    if (type === 'ApiKeyCreated') {
      const { expires_at = null } = data;
      const unchanged = { previous: null, hasExpired: false, rotated_at: null, revoked_at: null };
      return state.set(data.key_id, { ...data, ...unchanged, created_at: at, expires_at, creation });
    }
    const key = state.get(data.key_id);
    if (key === undefined) return state;
    if (type === 'ApiKeyRevoked') return state.set(key.key_id, { ...key, revoked_at: key.revoked_at ?? at });
    if (type === 'ApiKeyExpired') return state.set(key.key_id, { ...key, hasExpired: true });
    if (type === 'ApiKeySecretExpired') {
      const previous = key.previous?.hash === data.hash ? { ...key.previous, isClosed: true } : key.previous;
      return state.set(key.key_id, { ...key, previous });
    }
    // Without an overlap the earlier secret is closed at once, whatever the clock says later.
    const previous = { hash: key.hash, until: data.previous_until, isClosed: data.previous_until <= at };
    return state.set(key.key_id, { ...key, hash: data.hash, previous, rotated_at: at });
  },
  decide(command, state, { idempotency }) {
    if (command.type === 'Expire') return expire(command, state);
    const key = keyOf(command, state, idempotency?.key_hash);
    if (command.type === 'Create')
      return key === undefined ? create(command, state) : (decideRepeat(key.creation, idempotency) ?? []);
    if (key === undefined) return { refused: 'not_found' };
    return command.type === 'Rotate' ? rotate(command, key, state) : revoke(command, key);
  },
};

/** Returns the key that a command is about. For a repeated create, that is the key that the first one created. */
export const keyOf = ({ key_id }: KeyChange, state: KeysState, keyHash?: string): Key | undefined =>
  state.get(key_id) ??
  (keyHash === undefined ? undefined : state.find(({ creation }) => creation?.key_hash === keyHash));

function create({ type: _, granter, by, now, ...request }: Create, state: KeysState): Decision<KeyEvent> {
  const end = state.get(by)?.expires_at ?? null;
  const data = end !== null && isBeyond(end, request.expires_at) ? { ...request, expires_at: end } : request;
  const { name, scopes, expires_at } = data;
  const lacking = refuseBeyond(granter, scopes);
  if (lacking !== undefined) return lacking;
  if (isReservedKeyName(name)) return { refused: 'reserved_name', parameters: { field: 'name' } };
  if (expires_at !== undefined && expires_at <= now)
    return { refused: 'not_in_the_future', parameters: { field: 'expires_at' } };
  const isTaken = state.some((key) => stateOf(key, now) === 'active' && nameKey(key.name) === nameKey(name));
  return isTaken ? { refused: 'duplicate_key_name' } : [{ type: 'ApiKeyCreated', data }];
}

const isBeyond = (end: string, other: string | null = null): boolean => other === null || other > end;

/** Rotating a key yields its new secret, and with it the scopes and the lifetime of that key. */
function rotate({ type: _, granter, by, now, ...data }: Rotate, key: Key, state: KeysState): Decision<KeyEvent> {
  if (key.hash === data.hash) return [];
  const lacking = refuseBeyond(granter, key.scopes);
  if (lacking !== undefined) return lacking;
  const own = state.get(by)?.expires_at ?? null;
  if (stateOf(key, now) !== 'active' || (own !== null && isBeyond(own, key.expires_at)))
    return { refused: 'key_not_rotatable' };
  const { expires_at: end } = key;
  const previous_until = end !== null && end < data.previous_until ? end : data.previous_until;
  return [{ type: 'ApiKeyRotated', data: { ...data, previous_until } }];
}

const revoke = ({ type: _, ...data }: Revoke, { revoked_at }: Key): Decision<KeyEvent> =>
  revoked_at === null ? [{ type: 'ApiKeyRevoked', data }] : [];

/** The most ends that one append takes. The rest follows with the next command. */
const mostExpired = 100;
const dayMs = 86_400_000;

/** Returns events for the keys and overlaps that have ended and whose end is not recorded. */
export function expire({ now }: Pick<Expire, 'now'>, state: KeysState): readonly KeyEvent[] {
  const ends: KeyEvent[] = [];
  for (const key of state.values()) {
    if (ends.length >= mostExpired) break;
    const { key_id, expires_at, hasExpired, revoked_at, previous } = key;
    if (revoked_at !== null || hasExpired) continue;
    if (expires_at !== null && expires_at <= now) ends.push({ type: 'ApiKeyExpired', data: { key_id } });
    else if (previous !== null && hasOverlapEnded(key, now))
      ends.push({ type: 'ApiKeySecretExpired', data: { key_id, hash: previous.hash } });
  }
  return ends;
}

/** An overlap that began more than a day ahead ends, too: the clock was wrong then, so its end is too late. */
function hasOverlapEnded({ previous, rotated_at }: Key, now: string): boolean {
  if (previous === null || previous.isClosed) return false;
  const tomorrow = new Date(Date.parse(now) + dayMs).toISOString();
  return previous.until <= now || (rotated_at ?? '') > tomorrow;
}

function refuseBeyond(granter: ReadonlySet<string>, scopes: readonly string[]): Refusal | undefined {
  const lacking = scopes.find((scope) => !granter.has(scope));
  return lacking === undefined ? undefined : { refused: 'forbidden', parameters: { names: lacking } };
}
