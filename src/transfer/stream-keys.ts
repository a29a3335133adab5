/** Finds the secret that a log was begun with: with another secret no address would be found. */
import { serviceStream } from '../eventstore/log-id.js';
import { codec } from '../events/codec.js';
import { deriveStreamKeys, type StreamKeys } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { CommandFailedError } from '../failures.js';

type Secrets = readonly (string | undefined)[];

/** The keys of the first secret that fits. @throws CommandFailedError none does @throws StoreUnavailableError */
export async function streamKeysOf(log: Pick<EventReader, 'readStream'>, secrets: Secrets): Promise<StreamKeys> {
  const found = await secretOf(log, secrets);
  if (found !== undefined) return deriveStreamKeys(found);
  throw new CommandFailedError(
    secrets.every((secret) => secret === undefined)
      ? 'To find a contact by its e-mail address the secret of this log is needed: set SECRET, or put the file secret into the data folder. A contact id needs none.'
      : 'The secret at hand (SECRET, or the file secret in the data folder) is not the one that this log was begun with, so that no e-mail address can be found.',
    { type: 'no_secret' },
  );
}

/** The first that fits; undefined: none does. @throws StoreUnavailableError */
export async function secretOf(log: Pick<EventReader, 'readStream'>, secrets: Secrets): Promise<string | undefined> {
  const begun = await beginningOf(log);
  return secrets.find((secret) => secret !== undefined && (begun === undefined || fits(secret, begun)));
}

const fits = (secret: string, begun: { readonly log_id: string; readonly secret_fingerprint: string }): boolean =>
  deriveStreamKeys(secret).fingerprint(begun.log_id) === begun.secret_fingerprint;

async function beginningOf(log: Pick<EventReader, 'readStream'>) {
  for await (const events of log.readStream(serviceStream))
    for (const stored of events) {
      const { event } = codec.decode(stored);
      if (event.type === 'ServiceInitialised') return event.data;
    }
  return undefined;
}
