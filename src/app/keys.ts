/** Composes the API keys of a process: those of the configuration and of the log, and when they were last used. */
import type { Logger } from 'pino';
import { configuredKey, createAuthenticator, fullGrant, hashKey, type Authenticator, type Grant } from '../api/auth.js';
import type { KeysOfApi, ShownKey } from '../api/keys.js';
import { isExpired } from '../commands/keys.js';
import { isScope } from '../events/scopes.js';
import { keysStream } from '../events/streams.js';
import { newApiKey } from '../stores/new-api-key.js';
import { openReadModels, type OpenEventStore, type StoreSettings } from '../stores/stores.js';
import type { Commands } from './commands.js';
import { openKeyring, type KeyEntry, type Keyring } from './keyring.js';
import { openKeyUses, type KeyUses } from './key-uses.js';

export interface Keys extends KeysOfApi {
  readonly authenticate: Authenticator;
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
    onFault: (error) => logger.warn({ err: error }, 'the last use of API keys was not noted'),
  });
  return {
    authenticate: createAuthenticator({ find: keyring.find, clock: Date.now }),
    newId: () => commands.newId('key'),
    newSecret() {
      const secret = newApiKey();
      return { secret, hash: hashKey(secret).toString('hex') };
    },
    async change(command, context) {
      const { state, position } = await commands.keys.execute({ stream: keysStream, command, context });
      // Written is written: what cannot be read now will be by the next look.
      await keyring.catchUp().catch(() => undefined);
      const key = state.get(command.key_id);
      if (key === undefined) throw new Error('a changed key is missing');
      return { key, position };
    },
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
  await keyring.catchUp();
  const entries = [...keyring.entries()]
    .filter(({ key }) => key.key_id > after)
    .sort((one, other) => (one.key.key_id < other.key.key_id ? -1 : 1))
    .slice(0, limit);
  const used = await uses.read(entries.map(({ key }) => key.key_id));
  const now = new Date().toISOString();
  return entries.map(({ key, ...times }) => ({
    key_id: key.key_id,
    name: key.name,
    scopes: key.scopes.filter(isScope),
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
