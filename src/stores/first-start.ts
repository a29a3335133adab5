/** The first event of a log: its id, and a fingerprint of the secret that its stream names are derived from. */
import { serviceStream } from '../eventstore/log-id.js';
import { existsSync } from 'node:fs';
import { serviceContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { ServiceCommand, ServiceState } from '../commands/service.js';
import { ConfigurationError } from './config.js';
import type { DataFolder } from './data-folder.js';
import { type StreamKeys } from '../events/streams.js';

/** Only a log that is not there yet takes a new secret. @throws ConfigurationError */
export function firstSecret(folder: DataFolder): string {
  if (!existsSync(folder.eventsFile)) return folder.generateSecret();
  throw new ConfigurationError(
    'The file secret is missing from DATA_DIR, but the event log was begun with one. Copy it from the folder that was in use or from where you keep it, or set SECRET.',
  );
}

interface FirstSources {
  readonly keys: StreamKeys;
  readonly newUuid: () => string;
}

/** @throws ConfigurationError when the log was begun with another secret. */
export async function initialise(
  handler: CommandHandler<ServiceState, ServiceCommand, unknown>,
  { keys, newUuid }: FirstSources,
): Promise<void> {
  const found = (await handler.fresh(serviceStream)).state;
  const known = found.logId === null ? await begin(handler, { keys, newUuid }) : found;
  if (known.logId === null || keys.fingerprint(known.logId) !== known.secretFingerprint)
    throw new ConfigurationError(
      'SECRET is not the one that this event log was begun with. Every contact would get a second stream, so the start is refused. Put the old secret back (SECRET, or the file secret in DATA_DIR).',
    );
}

/** The state of the log after its first event, written by this process or by another one that was first. */
async function begin(
  handler: CommandHandler<ServiceState, ServiceCommand, unknown>,
  { keys, newUuid }: FirstSources,
): Promise<ServiceState> {
  const logId = newUuid();
  const context = serviceContext(newUuid());
  const command = { type: 'Initialise', logId, secretFingerprint: keys.fingerprint(logId) } as const;
  return (await handler.execute({ stream: serviceStream, command, context })).state;
}
