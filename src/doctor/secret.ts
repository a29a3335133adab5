/** Whether the secret that the service would take is the one that the log was begun with. */
import { deriveStreamKeys } from '../events/streams.js';
import { demandLogId } from '../eventstore/log-id.js';
import { ConfigurationError, present } from '../stores/config.js';
import { dataFolderAt } from '../stores/data-folder.js';
import { secretOf } from '../stores/secret-of-log.js';
import { withFiles } from '../stores/values-from-files.js';
import { green, red, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

const remedy =
  'Put the secret of this log back from the backup, as SECRET or as the file secret of the data folder: no start succeeds before.';

/** Undefined: the log has not begun, and any secret will do. */
export async function checkSecret({ env, place, log: openLog }: OpenPlace): Promise<Diagnosis | undefined> {
  const log = await openLog();
  if ((await log.head()) === '') return undefined;
  try {
    const set = present(withFiles(env, ['SECRET'])['SECRET']);
    const secret = set ?? dataFolderAt(place.dataDir).secret();
    const from = set === undefined ? 'the file secret' : 'SECRET';
    if (secret === undefined)
      return red('there is no secret: neither SECRET nor the file secret of the data folder', remedy);
    if ((await secretOf(log, [secret])) === undefined)
      return red(`${from} is not the secret that this log was begun with`, remedy);
    const fingerprint = deriveStreamKeys(secret).fingerprint(await demandLogId(log));
    return green(`${from} is the secret of this log (fingerprint ${fingerprint.slice(0, 16)}…)`);
  } catch (error) {
    if (error instanceof ConfigurationError) return red(error.message, remedy);
    throw error;
  }
}
