/** Composes the API keys of a process: where those of the configuration, the first start and the log come from. */
import { existsSync } from 'node:fs';
import { configuredKey, hashKey } from '../api/http/auth.js';
import type { Clocks } from '../flow/subscriber.js';
import { openKeys, type Keys } from '../api/keys/known-keys.js';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import type { Stores } from '../stores/stores.js';
import { keyBanner } from './banner.js';
import type { Commands } from './commands.js';
import type { Logs } from './logs.js';

/** Milliseconds that a write of a key's last use may hold up its thread: it is tried again later. */
const keyUseBusyMs = 5;

interface ApiKeysOptions extends Logs, Clocks {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly stores: Stores;
  readonly trustedNow: () => number | undefined;
  readonly newUuid: () => string;
}

/** Characters. */
const shortestKey = 16;

/** Opens the API keys, or returns undefined without the role `api`. If the configuration names no key, the first start generates one. */
export async function openApiKeys(
  commands: Commands,
  { config, folder, stores, logger, lines, ...sources }: ApiKeysOptions,
): Promise<Keys | undefined> {
  const isStored = config.apiKeys.length === 0 || existsSync(folder.keysFile);
  const { keys: stored, generated } = isStored ? folder.apiKeys(hashKey) : { keys: [] };
  if (generated !== undefined) lines.write(keyBanner(generated, config.dataDir));
  if (!config.roles.has('api')) return undefined;
  for (const key of config.apiKeys.filter((text) => text.slice(text.indexOf(':') + 1).length < shortestKey))
    logger.warn(
      { key: configuredKey(key).id },
      `a key of API_KEYS has less than ${shortestKey} characters: it can be guessed`,
    );
  return await openKeys({
    commands,
    configured: [...config.apiKeys.map(configuredKey), ...stored],
    models: await stores.openReadModels({ busyTimeout: keyUseBusyMs }),
    ...sources,
    onFault: (error, meaning) => logger.error({ err: error }, meaning),
  });
}
