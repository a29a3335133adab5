/** Asks a log again for the erasures that it has lost, while no service runs on it. */
import { randomUUID } from 'node:crypto';
import { deriveHeadKey, deriveStreamKeys, erasuresStream } from '../events/streams.js';
import type { Config } from '../stores/config.js';
import { openEventStore, type StoreSettings } from '../stores/stores.js';
import { openCommands } from './commands.js';
import { erasuresMissing } from './erasures.js';

interface Reapply {
  readonly config: Pick<Config, 'dataDir'> & { readonly seals: Pick<Config['seals'], 'copies'> };
  readonly settings: StoreSettings;
  readonly secret: string;
  readonly signal: AbortSignal;
}

/** @returns their ids @throws WriterLockedError a service runs @throws RegisterError @throws StoreUnavailableError */
export async function reapplyErasures({ config, settings, secret, signal }: Reapply): Promise<readonly string[]> {
  const store = await openEventStore(settings.events, { headKey: () => deriveHeadKey(secret), signal });
  try {
    const keys = deriveStreamKeys(secret);
    const commands = await openCommands({ store, keys, onUnreadable: () => undefined });
    const missing = await erasuresMissing(store, { config, commands });
    for (const { erasure_id, subject_key, reason } of missing) {
      const id = randomUUID();
      const context = { correlationId: id, causationId: id, requestId: id, actor: 'cli' };
      const asked = { erasure_id, subject_key, reason: reason ?? undefined };
      await commands.erasures.execute({ stream: erasuresStream, command: { type: 'Request', ...asked }, context });
    }
    await commands.close();
    return missing.map(({ erasure_id }) => erasure_id);
  } finally {
    await store.close();
  }
}
