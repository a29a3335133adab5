/** The API keys of a process: folded from the stream `keys` at the start, then followed, so that a change holds within a second. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createGrant, type Grant } from '../api/auth.js';
import { keyDecider, type Key } from '../commands/keys.js';
import { codec, isUnreadable, type DomainEvent } from '../events/codec.js';
import type { Recorded } from '../events/envelope.js';
import { keysStream } from '../events/streams.js';
import type { EventReader, StoredEvent } from '../eventstore/event-store.js';

/** How often the log is looked at, and open streams, in milliseconds. */
const lookMs = 400;

export interface KeyEntry {
  readonly key: Key;
  readonly created_at: string;
  readonly rotated_at: string | null;
  readonly revoked_at: string | null;
}

export interface Keyring {
  /** By the SHA-256 of the secret, in hex. It may have ended. */
  readonly find: (hash: string) => Grant | undefined;
  /** Refused because of an event that cannot be read. */
  isSuspended(keyId: string): boolean;
  /** Reads the log to its end, as it was when asked. @throws StoreUnavailableError */
  catchUp(): Promise<void>;
  /** Every key that is known, in the order of their creation. */
  entries(): Iterable<KeyEntry>;
  /** Of the keys of the log; several where a key was rotated. */
  grants(): Iterable<Grant>;
  close(): Promise<void>;
}

export interface KeyringOptions {
  readonly reader: Pick<EventReader, 'readStream'>;
  /** Those of the configuration. */
  readonly others: readonly Grant[];
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Called once when the log cannot be read (the last known keys then hold), and for each event that cannot be. */
  readonly onFault: (error: unknown) => void;
}

/** @throws StoreUnavailableError */
export async function openKeyring({ reader, others, clock, onFault }: KeyringOptions): Promise<Keyring> {
  const configured = new Map(others.map((grant) => [grant.hash.toString('hex'), grant]));
  const grants = new Map<string, Grant>();
  const ofKey = new Map<string, Grant[]>();
  const entries = new Map<string, KeyEntry>();
  const suspended = new Set<string>();
  let state = keyDecider.initial;
  let next = 0n;

  function apply({ event, metadata }: Pick<Recorded<DomainEvent>, 'event' | 'metadata'>): void {
    if (!keyDecider.knows(event)) return;
    const { at } = metadata;
    const id = event.data.key_id;
    state = keyDecider.evolve(state, event, metadata);
    const key = state.get(id);
    if (key === undefined) return;
    const entry = entries.get(id) ?? { created_at: at, rotated_at: null, revoked_at: null };
    const rotated_at = event.type === 'ApiKeyRotated' ? at : entry.rotated_at;
    const revoked_at = event.type === 'ApiKeyRevoked' ? (entry.revoked_at ?? at) : entry.revoked_at;
    entries.set(id, { ...entry, key, rotated_at, revoked_at });
    grantSecretsOf(key);
  }

  function grantSecretsOf(key: Key): void {
    const held = ofKey.get(key.key_id) ?? [];
    for (const grant of held) grant.until = 0;
    for (const { hash, until } of suspended.has(key.key_id) ? [] : secretsOf(key)) {
      const known = grants.get(hash);
      const scopes = known?.scopes ?? new Set(key.scopes);
      const grant = known ?? createGrant({ id: key.key_id, hash: Buffer.from(hash, 'hex'), scopes, until });
      grant.until = until;
      if (known === undefined) held.push(grant);
      grants.set(hash, grant);
    }
    ofKey.set(key.key_id, held);
    held.forEach(endStreams);
  }

  function endStreams(grant: Grant): void {
    if (grant.until <= clock()) for (const end of grant.streams) end();
  }

  /** It may be the revocation of the key that it names; where it names none, of any. */
  function suspend({ data }: StoredEvent): void {
    const named = keyIdIn(data);
    for (const id of named === undefined ? entries.keys() : [named]) {
      suspended.add(id);
      const key = state.get(id);
      if (key !== undefined) grantSecretsOf(key);
    }
  }

  function take(stored: StoredEvent): void {
    if (stored.revision !== next) return;
    next += 1n;
    try {
      apply(codec.decode(stored));
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      onFault(error);
      suspend(stored);
    }
  }

  const closing = new AbortController();
  const { signal } = closing;

  async function readOn(): Promise<void> {
    for await (const batch of reader.readStream(keysStream, { from: next, signal })) batch.forEach(take);
  }

  let isOutOfReach = false;
  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        await readOn();
        isOutOfReach = false;
      } catch (error) {
        if (!isOutOfReach && !signal.aborted) onFault(error);
        isOutOfReach = true;
      }
      await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
  }

  await readOn();
  const following = follow();
  // Beside the reading: a log that does not answer keeps no stream open.
  const sweeping = setInterval(() => {
    for (const held of ofKey.values()) held.forEach(endStreams);
  }, lookMs);
  return {
    find: (hash) => configured.get(hash) ?? grants.get(hash),
    isSuspended: (keyId) => suspended.has(keyId),
    entries: () => entries.values(),
    *grants() {
      for (const held of ofKey.values()) yield* held;
    },
    catchUp: readOn,
    async close() {
      clearInterval(sweeping);
      closing.abort();
      await following;
    },
  };
}

function secretsOf({ hash, previous, expires_at, isRevoked }: Key): { hash: string; until: number }[] {
  if (isRevoked) return [];
  const end = expires_at === null ? Infinity : Date.parse(expires_at);
  const before = previous === null ? [] : [{ hash: previous.hash, until: Math.min(end, Date.parse(previous.until)) }];
  return [...before, { hash, until: end }];
}

function keyIdIn(data: string): string | undefined {
  try {
    const value: unknown = JSON.parse(data);
    const isObject = typeof value === 'object' && value !== null;
    return isObject && 'key_id' in value && typeof value.key_id === 'string' ? value.key_id : undefined;
  } catch {
    return undefined;
  }
}
