/** Composes the API keys of a process: those of the configuration and of the log, and when they were last used. */
import type { Logger } from 'pino';
import { configuredKey, createAuthenticator, fullGrant, hashKey, type GrantFinder, type Grant } from '../api/auth.js';
import { createKeyRequests, type KeyRequests } from '../commands/key-requests.js';
import { isExpired } from '../commands/keys.js';
import { newApiKey } from '../stores/new-api-key.js';
import { openReadModels, type OpenEventStore, type StoreSettings } from '../stores/stores.js';
import type { Commands } from './commands.js';
import { openKeyring, type KeyEntry, type Keyring } from './keyring.js';
import { openKeyUses, type KeyUses } from './key-uses.js';

/** What is shown of a key: neither its secret nor the hash of it. Times are UTC in ISO 8601. */
export interface ShownKey {
  readonly key_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** `suspended`: an event of it cannot be read by this version. */
  readonly state: 'active' | 'expired' | 'revoked' | 'suspended';
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly rotated_at: string | null;
  /** Until then the secret before the last rotation holds, too. */
  readonly previous_until: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

export interface Keys {
  readonly authenticate: GrantFinder;
  readonly requests: KeyRequests;
  readonly record: Keyring['record'];
  /** In the order of their ids, as of now. @throws StoreUnavailableError */
  list(page: { readonly after: string; readonly limit: number }): Promise<readonly ShownKey[]>;
  close(): Promise<void>;
}

export interface KeysOptions {
  readonly store: OpenEventStore;
  readonly settings: StoreSettings;
  readonly commands: Commands;
  readonly configured: readonly string[];
  /** The key of the first start. */
  readonly stored: readonly Pick<Grant, 'id' | 'hash'>[];
  readonly logger: Logger;
}

/** Milliseconds that a write of a last use may hold up its thread: it is tried again later. */
const busyTimeout = 5;

/** @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function openKeys({ store, settings, commands, configured, stored, logger }: KeysOptions): Promise<Keys> {
  const keyring = await openKeyring({
    reader: store,
    others: [...configured.map(configuredKey), ...stored].map(fullGrant),
    clock: Date.now,
    onFault: (error) => logger.error({ err: error }, 'API keys cannot be followed; those that are known hold'),
  });
  const uses = openKeyUses({
    models: await openReadModels(settings.views, { busyTimeout }),
    grants: keyring.grants,
    clock: Date.now,
    onFault: (error) => logger.warn({ err: error }, 'the last use of API keys was not noted'),
  });
  return {
    authenticate: createAuthenticator({ find: keyring.find, clock: Date.now }),
    requests: createKeyRequests({
      handler: commands.keys,
      newId: commands.newId,
      newSecret: newApiKey,
      hashOf: (secret) => hashKey(secret).toString('hex'),
    }),
    record: keyring.record,
    list: (page) => list({ keyring, uses }, page),
    async close() {
      await keyring.close();
      await uses.close();
    },
  };
}

async function list(
  { keyring, uses }: { readonly keyring: Keyring; readonly uses: KeyUses },
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly ShownKey[]> {
  const entries = (await keyring.entries())
    .filter(({ key }) => key.key_id > after)
    .sort((one, other) => (one.key.key_id < other.key.key_id ? -1 : 1))
    .slice(0, limit);
  const used = await uses.read(entries.map(({ key }) => key.key_id));
  const now = new Date().toISOString();
  return entries.map(({ key, ...times }) => ({
    key_id: key.key_id,
    name: key.name,
    scopes: key.scopes,
    state: stateOf(key, { now, isSuspended: keyring.isSuspended(key.key_id) }),
    expires_at: key.expires_at,
    previous_until: key.previous?.until ?? null,
    ...times,
    last_used_at: used.get(key.key_id) ?? null,
  }));
}

function stateOf(
  key: KeyEntry['key'],
  { now, isSuspended }: { readonly now: string; readonly isSuspended: boolean },
): ShownKey['state'] {
  if (key.isRevoked) return 'revoked';
  if (isSuspended) return 'suspended';
  return isExpired(key, now) ? 'expired' : 'active';
}
