/** Whether the secret at hand is the one that the log was begun with. */
import { CommandFailedError } from '../failures.js';
import { demandLogId } from '../eventstore/log-id.js';
import { ConfigurationError } from '../stores/config.js';
import { green, red, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

const remedy =
  'Put the secret of this log back, as SECRET or as the file secret of the data folder, from the backup: no start succeeds before.';

/** Undefined: the log has not begun, and any secret will do. */
export async function checkSecret({ place, ...open }: OpenPlace): Promise<Diagnosis | undefined> {
  const log = await open.log();
  if ((await log.head()) === '') return undefined;
  try {
    const keys = await place.streamKeys(log);
    return green(
      `the secret is that of this log (fingerprint ${keys.fingerprint(await demandLogId(log)).slice(0, 16)}…)`,
    );
  } catch (error) {
    if (error instanceof ConfigurationError) return red(error.message, remedy);
    if (!(error instanceof CommandFailedError) || error.type !== 'no_secret') throw error;
    return red('no secret at hand is the one that this log was begun with', remedy);
  }
}
