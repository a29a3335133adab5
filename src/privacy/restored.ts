/** Erasures that the log lacks, because it was put back from a backup: the register beside the log still has them. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { demandLogId } from '../eventstore/log-id.js';
import { erasuresStream } from '../events/streams.js';
import type { Config } from '../stores/config.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { EraseOptions } from './erase.js';
import { missingErasures, readRegister, RegisterError, registerName } from './register.js';

export type Places = Pick<Config, 'dataDir'> & { readonly seals: Pick<Config['seals'], 'copies'> };

/** In the register of the data folder or in its copy, and not in the log. @throws RegisterError @throws ServiceError `unavailable` */
async function erasuresMissing(
  store: OpenEventStore,
  { config, commands }: { readonly config: Places; readonly commands: Pick<EraseOptions, 'erasures'> },
) {
  const logId = await demandLogId(store);
  const registered = placesOf(config).flatMap((file) => readRegister(file, logId));
  return registered.length === 0
    ? []
    : missingErasures(registered, (await commands.erasures.fresh(erasuresStream)).state);
}

/** The register of the data folder, and its copy. */
export const placesOf = ({ dataDir, seals: { copies } }: Places): readonly string[] =>
  [dataDir, ...(copies === undefined ? [] : [copies])].map((folder) => path.join(folder, registerName));

/** A log that was put back from before an erasure would serve who was erased. @throws RegisterError @throws ServiceError `unavailable` */
export async function refuseRestored(...[store, known]: Parameters<typeof erasuresMissing>): Promise<void> {
  const { length } = await erasuresMissing(store, known);
  if (length === 0) return;
  throw new RegisterError(
    `the event log lacks ${length === 1 ? 'an erasure' : `${length} erasures`} of the register (${registerName}): it was put back from a backup of before. Nothing was served. Run: audience privacy reapply. It asks for the same erasures again, and the next start carries them through`,
  );
}

/** Asks the log for them again. No service runs on it. @returns their ids @throws as `erasuresMissing` */
export async function reapplyErasures(
  ...[store, known]: Parameters<typeof erasuresMissing>
): Promise<readonly string[]> {
  const missing = await erasuresMissing(store, known);
  for (const { erasure_id, subject_key, reason } of missing) {
    const id = randomUUID();
    const context = { correlationId: id, causationId: id, requestId: id, actor: 'cli' };
    const asked = { erasure_id, subject_key, reason: reason ?? undefined };
    await known.commands.erasures.execute({ stream: erasuresStream, command: { type: 'Request', ...asked }, context });
  }
  return missing.map(({ erasure_id }) => erasure_id);
}
