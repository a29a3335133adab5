/** Verifies a log of up to 100,000 events. */
import { openLogSource } from '../integrity/server-blocks.js';
import { readKeptSeals } from '../integrity/seal-store.js';
import { inWords } from '../integrity/findings.js';
import { verifyLog } from '../integrity/verify.js';
import { isMarkedRestored } from '../recovery/restored-mark.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

/** The longest log that is verified, which takes about a second. */
const longestVerified = 100_000;
const altered = 'Keep the file as it is, run audience audit verify, and put the log back from the last good backup.';
/** The remedy for a difference that is found before the first start after a restore. */
export const whenRestored =
  'The log was restored from a backup, and no start has recorded that yet. Start the service, and run the doctor again.';
const whole = 'Run audience audit verify, which reads the whole log.';

export async function checkVerification({ log: openLog, place, signal }: OpenPlace): Promise<Diagnosis> {
  const log = await openLog();
  const { source, close } = await openLogSource(log, place);
  try {
    if (source.tree === undefined)
      return yellow('no block roots of this log are stored yet', 'Start the service, which computes them.');
    const count = await source.tree.count();
    if (count === 0) return green('the log is empty');
    if (count > longestVerified) return yellow(`the log has ${count} events, which is too many to verify here`, whole);
    const { counted } = await readKeptSeals(log, place, { onNotice: () => undefined });
    const seals = counted.map(({ seal }) => seal);
    const restoredKey = await place.restoredKey(log);
    const { difference, count: verified } = await verifyLog({ source, seals, restoredKey, signal });
    return difference === null
      ? green(`all ${verified} events are intact`)
      : red(inWords(difference), isMarkedRestored(place.dataDir) ? whenRestored : altered);
  } finally {
    await close();
  }
}
