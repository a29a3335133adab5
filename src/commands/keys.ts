/** The rules of API keys: a name is unique among living keys, nobody gives scopes that they do not have, and a revocation is final. */
import { Map } from 'immutable';
import { isReservedKeyName, keySchemas, type KeyEvent } from '../events/keys.js';
import { nameKey } from '../events/names.js';
import { knownBy, type Decider, type Decision, type Refusal } from './decider.js';

export interface Key {
  readonly key_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly hash: string;
  /** The secret before the last rotation. */
  readonly previous: { readonly hash: string; readonly until: string } | null;
  readonly expires_at: string | null;
  readonly isRevoked: boolean;
}

export type KeysState = Map<string, Key>;

/** Times are UTC in ISO 8601 with milliseconds; `granter` holds the scopes of who asks. */
export type KeyCommand =
  | {
      readonly type: 'Create';
      readonly key_id: string;
      readonly name: string;
      readonly scopes: readonly string[];
      readonly hash: string;
      readonly expires_at?: string | undefined;
      readonly granter: ReadonlySet<string>;
      readonly now: string;
    }
  | {
      readonly type: 'Rotate';
      readonly key_id: string;
      readonly hash: string;
      readonly previous_until: string;
      readonly granter: ReadonlySet<string>;
      readonly now: string;
    }
  | { readonly type: 'Revoke'; readonly key_id: string; readonly reason?: string | undefined };

export const isExpired = ({ expires_at }: Pick<Key, 'expires_at'>, now: string): boolean =>
  expires_at !== null && expires_at <= now;

export const keyDecider: Decider<KeysState, KeyCommand, KeyEvent> = {
  initial: Map(),
  knows: knownBy<KeyEvent>(keySchemas),
  evolve(state, { type, data }) {
    if (type === 'ApiKeyCreated') {
      const { expires_at = null, ...created } = data;
      return state.set(data.key_id, { ...created, previous: null, expires_at, isRevoked: false });
    }
    const key = state.get(data.key_id);
    if (key === undefined) return state;
    if (type === 'ApiKeyRevoked') return state.set(key.key_id, { ...key, isRevoked: true });
    const previous = { hash: key.hash, until: data.previous_until };
    return state.set(key.key_id, { ...key, hash: data.hash, previous });
  },
  decide(command, state) {
    const key = state.get(command.key_id);
    if (command.type === 'Create') return key === undefined ? create(command, state) : [];
    if (key === undefined) return { refused: 'not_found' };
    return command.type === 'Rotate' ? rotate(command, key) : revoke(command, key);
  },
};

type Command<Type> = Extract<KeyCommand, { type: Type }>;

function create(command: Command<'Create'>, state: KeysState): Decision<KeyEvent> {
  const { key_id, name, scopes, hash, expires_at, granter, now } = command;
  const lacking = refuseBeyond(granter, scopes);
  if (lacking !== undefined) return lacking;
  if (isReservedKeyName(name)) return { refused: 'reserved_name', parameters: { field: 'name' } };
  if (expires_at !== undefined && expires_at <= now)
    return { refused: 'not_in_the_future', parameters: { field: 'expires_at' } };
  const isTaken = state.some((key) => !key.isRevoked && !isExpired(key, now) && nameKey(key.name) === nameKey(name));
  if (isTaken) return { refused: 'duplicate_key_name' };
  const expiry = expires_at === undefined ? {} : { expires_at };
  return [{ type: 'ApiKeyCreated', data: { key_id, name, scopes: [...scopes], hash, ...expiry } }];
}

/** Who rotates a key gets its secret, and with it its scopes. */
function rotate(command: Command<'Rotate'>, key: Key): Decision<KeyEvent> {
  const { key_id, hash, previous_until, granter, now } = command;
  if (key.hash === hash) return [];
  const lacking = refuseBeyond(granter, key.scopes);
  if (lacking !== undefined) return lacking;
  if (key.isRevoked || isExpired(key, now)) return { refused: 'key_not_rotatable' };
  return [{ type: 'ApiKeyRotated', data: { key_id, hash, previous_until } }];
}

function revoke({ key_id, reason }: Command<'Revoke'>, key: Key): Decision<KeyEvent> {
  if (key.isRevoked) return [];
  return [{ type: 'ApiKeyRevoked', data: { key_id, ...(reason === undefined ? {} : { reason }) } }];
}

function refuseBeyond(granter: ReadonlySet<string>, scopes: readonly string[]): Refusal | undefined {
  const lacking = scopes.find((scope) => !granter.has(scope));
  return lacking === undefined ? undefined : { refused: 'forbidden', parameters: { names: lacking } };
}
