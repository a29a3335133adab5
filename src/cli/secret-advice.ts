/** Where the secret behind the stream names is: import and migration do not copy it. It is never shown. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { deriveStreamKeys } from '../events/streams.js';
import type { ExaminedLog } from '../transfer/examine-log.js';
import type { LogAddress } from '../transfer/log-address.js';

interface SecretQuestion {
  readonly from: LogAddress;
  readonly to: LogAddress;
  readonly log: Pick<ExaminedLog, 'logId' | 'secretFingerprint'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const mustMatch =
  'The service starts on this log only with the secret that the log was begun with: without it every contact would be split in two.';

export function adviceOnSecret({ from, to, log, environment }: SecretQuestion): string {
  const fits = (secret: string | undefined): boolean =>
    secret !== undefined && deriveStreamKeys(secret).fingerprint(log.logId) === log.secretFingerprint;
  const [source, target] = [secretFile(from), secretFile(to)];
  if (fits(environment['SECRET'])) return 'SECRET, as it is set here, belongs to this log: start the service with it.';
  if (fits(secretIn(target))) return `The file ${target} belongs to this log and stays where it is.`;
  const wrong = existsSync(target) ? `The file ${target} does not belong to this log and must be replaced. ` : '';
  const secret = fits(secretIn(source)) ? `the content of ${source}` : 'it';
  const file = target === '' ? '' : `, or write that into ${target} (readable by its owner only)`;
  return `${wrong}${mustMatch} Set SECRET to ${secret}${file}.`;
}

/** The file that src/stores/data-folder.ts gives the secret; empty for a server. */
export const secretFile = (log: LogAddress): string => (log.kind === 'folder' ? path.join(log.folder, 'secret') : '');

const secretIn = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
