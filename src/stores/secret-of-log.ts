/** Finds the secret of a log: with another one no address would be found. It is never shown. */
import { existsSync, readFileSync } from 'node:fs';
import { codec } from '../events/codec.js';
import { deriveStreamKeys, type StreamKeys } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { serviceStream } from '../eventstore/log-id.js';
import { CommandFailedError } from '../failures.js';
import { dataFolderAt } from './data-folder.js';
import { storesOf, type LogSettings } from './stores.js';
import { withFiles } from './values-from-files.js';

/** A secret, and where it was found. The secret is never shown. */
export interface SecretAtHand {
  readonly secret: string;
  /** The variable or the file, for messages. */
  readonly source: string;
}

/** Returns the secret of a data folder, or `[]` if the folder has no secret or the secret cannot be read. The latter is a notice. */
export function secretsInFolder(dataDir: string, onNotice: (notice: string) => void): readonly SecretAtHand[] {
  const folder = dataFolderAt(dataDir);
  try {
    const secret = folder.secret();
    return secret === undefined ? [] : [{ secret, source: folder.secretFile }];
  } catch (error) {
    onNotice(`The secret cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** As the first event of a log has it. */
interface LogBeginning {
  readonly logId: string;
  readonly secretFingerprint: string;
}

type Secrets = readonly (string | undefined)[];

const fits = (secret: string, { logId, secretFingerprint }: LogBeginning): boolean =>
  deriveStreamKeys(secret).fingerprint(logId) === secretFingerprint;

/** The first that fits, any one where the log is empty; undefined: none does. @throws StoreUnavailableError */
export async function secretOf(log: Pick<EventReader, 'readStream'>, secrets: Secrets): Promise<string | undefined> {
  const beginning = await beginningOf(log);
  return secrets.find((secret) => secret !== undefined && (beginning === undefined || fits(secret, beginning)));
}

async function beginningOf(log: Pick<EventReader, 'readStream'>): Promise<LogBeginning | undefined> {
  for await (const events of log.readStream(serviceStream))
    for (const stored of events) {
      const { event } = codec.decode(stored);
      if (event.type !== 'ServiceInitialised') continue;
      return { logId: event.data.log_id, secretFingerprint: event.data.secret_fingerprint };
    }
  return undefined;
}

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

interface SecretQuestion {
  readonly from: LogSettings;
  readonly to: LogSettings;
  readonly log: LogBeginning;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const mustMatch =
  'The service starts on this log only with the secret that the log was created with, because another secret would split every contact in two.';

/** Says which secret belongs to a log that is imported or migrated, and where to put it. A copy of a log has no secret with it. */
export function adviceOnSecret({ from, to, log, environment }: SecretQuestion): string {
  const [source = '', target = ''] = [storesOf(from).secretFile, storesOf(to).secretFile];
  const [set, there, origin] = [withFiles(environment, ['SECRET'])['SECRET'], secretIn(target), secretIn(source)];
  const found = [set, there, origin].find((secret) => secret !== undefined && fits(secret, log));
  switch (found) {
    case undefined:
      return adviceFor('it', target);
    case set:
      return 'SECRET, as it is set here, belongs to this log: start the service with it.';
    case there:
      return `The file ${target} belongs to this log and stays where it is.`;
    default:
      return adviceFor(`the content of ${source}`, target);
  }
}

function adviceFor(secret: string, target: string): string {
  const wrong = existsSync(target) ? `The file ${target} does not belong to this log and must be replaced. ` : '';
  const file = target === '' ? '' : `, or write that into ${target} (readable by its owner only)`;
  return `${wrong}${mustMatch} Set SECRET to ${secret}${file}.`;
}

const secretIn = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
