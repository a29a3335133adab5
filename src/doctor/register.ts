/** The register of what must not come back, in its places: whether the log lacks something of it, and whether a restore would find it. */
import { erasureDecider } from '../commands/erasures.js';
import { erasuresStream } from '../events/streams.js';
import { readLogId } from '../eventstore/log-id.js';
import { missingInLog } from '../privacy/missing.js';
import { placesOf, readRegister, RegisterError, type RegisterContent } from '../privacy/register.js';
import { foldStream } from '../privacy/fold-stream.js';
import { isMarkedRestored } from '../stores/restored.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

const whenMarked = 'Start the service: it asks for all of this again, and holds the e-mails that were open.';
/** Unmarked, a start asks for it again, too, but sends those e-mails a second time. */
const whenNotMarked =
  'Run audience restore --in-place before the next start, which then asks for all of this again and holds open e-mails; where a start has come first, run audience privacy reapply.';

export async function checkRegister({ place, log: openLog }: OpenPlace): Promise<Diagnosis> {
  const log = await openLog();
  const logId = (await readLogId(log)) ?? '';
  const state = await foldStream(log, erasuresStream, erasureDecider);
  const places = placesOf(place);
  let found: readonly { readonly file: string; readonly content: RegisterContent }[];
  try {
    found = places.map((file) => ({ file, content: readRegister(file, logId) }));
  } catch (error) {
    if (error instanceof RegisterError)
      return red(
        error.message,
        'Put the register back from its other place, or from a backup: no start succeeds before.',
      );
    throw error;
  }
  const contents = found.map(({ content }) => content);
  const { erasures, keys, refusals } = await missingInLog(log, contents, { isThorough: false });
  if (erasures.length + keys.length + refusals.size > 0)
    return red(
      `the log lacks what the register has (erasures: ${erasures.length}, changes of API keys: ${keys.length}, people who refused mail: ${refusals.size}). The log was restored from a backup, or a process was killed before it wrote to the log`,
      isMarkedRestored(place.dataDir) ? whenMarked : whenNotMarked,
    );
  const short = found.filter(({ content }) =>
    [...state.all.keys()].some((id) => !content.erasures.some((one) => one.erasure_id === id)),
  );
  if (short.length > 0)
    return yellow(
      `erasures of the log are missing in ${short.map(({ file }) => file).join(', ')}`,
      'Start the service, which writes what is missing with the next erasure, and look whether the folder can be written.',
    );
  return places.length > 1
    ? green(`erasures registered: ${state.all.size}, in ${places.length} places`)
    : yellow(
        `erasures registered: ${state.all.size}, in one place only`,
        'Set SEAL_DIR to a folder on another disk: a restore needs the newest register.',
      );
}
