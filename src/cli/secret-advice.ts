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
  const source = from.kind === 'folder' ? secretFile(from.folder) : undefined;
  const target = to.kind === 'folder' ? secretFile(to.folder) : undefined;
  const origin = fits(secretIn(source)) ? source : undefined;
  if (fits(environment['SECRET'])) return 'SECRET, as it is set here, belongs to this log: start the service with it.';
  if (fits(secretIn(target))) return `The file ${target} belongs to this log and stays where it is.`;
  if (target === undefined) return adviceForServer(origin);
  const wrong = existsSync(target) ? `The file ${target} does not belong to this log and must be replaced. ` : '';
  if (origin !== undefined)
    return `${wrong}${mustMatch} Copy ${origin} to ${target} (readable by its owner only), or set SECRET to its content.`;
  return `${wrong}${mustMatch} Set SECRET to it, or write it into ${target} (readable by its owner only).`;
}

function adviceForServer(origin: string | undefined): string {
  if (origin === undefined) return `${mustMatch} Set SECRET to it.`;
  return `${mustMatch} Start it with SECRET="$(cat ${origin})", and keep that file in the backup.`;
}

/** The file that src/stores/data-folder.ts gives the secret. */
export const secretFile = (folder: string): string => path.join(folder, 'secret');

function secretIn(file: string | undefined): string | undefined {
  if (file === undefined || !existsSync(file)) return undefined;
  return readFileSync(file, 'utf8').trim();
}
