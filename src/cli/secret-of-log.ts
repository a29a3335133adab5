/** The secret of a log that is imported or migrated: its sealed head is made with it, and it is not copied. It is never shown. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { deriveHeadKey, deriveStreamKeys } from '../events/streams.js';
import type { ExaminedLog } from '../transfer/examine-log.js';
import { refusal } from '../failures.js';
import type { LogAddress } from '../transfer/log-address.js';

interface SecretQuestion {
  readonly from: LogAddress;
  readonly to: LogAddress;
  readonly log: Pick<ExaminedLog, 'logId' | 'secretFingerprint'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface SecretOfLog {
  /** Makes the sealed head; undefined where the log goes to a server: there a service makes it. */
  readonly headKey: Uint8Array | undefined;
  /** Where the secret is, and what is to be done with it. */
  readonly advice: string;
}

const mustMatch =
  'The service starts on this log only with the secret that the log was begun with: without it every contact would be split in two.';

/** @throws CommandFailedError a log is written into a folder only with its secret */
export function secretOfLog({ from, to, log, environment }: SecretQuestion): SecretOfLog {
  const [source, target] = [secretFile(from), secretFile(to)];
  const [set, there, origin] = [environment['SECRET'], secretIn(target), secretIn(source)];
  const found = [set, there, origin].find(
    (secret) => secret !== undefined && deriveStreamKeys(secret).fingerprint(log.logId) === log.secretFingerprint,
  );
  const headKey = target === '' || found === undefined ? undefined : deriveHeadKey(found);
  switch (found) {
    case undefined:
      if (target === '') return { headKey, advice: adviceFor('it', target) };
      throw refusal(
        `a log is written into a folder only with its secret. ${adviceFor('it', target)} Nothing was written`,
      );
    case set:
      return { headKey, advice: 'SECRET, as it is set here, belongs to this log: start the service with it.' };
    case there:
      return { headKey, advice: `The file ${target} belongs to this log and stays where it is.` };
    default:
      return { headKey, advice: adviceFor(`the content of ${source}`, target) };
  }
}

function adviceFor(secret: string, target: string): string {
  const wrong = existsSync(target) ? `The file ${target} does not belong to this log and must be replaced. ` : '';
  const file = target === '' ? '' : `, or write that into ${target} (readable by its owner only)`;
  return `${wrong}${mustMatch} Set SECRET to ${secret}${file}.`;
}

/** The file that src/stores/data-folder.ts gives the secret; empty for a server. */
export const secretFile = (log: LogAddress): string => (log.kind === 'folder' ? path.join(log.folder, 'secret') : '');

const secretIn = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
