/** Checks the register of events that a restore must not undo: whether the log has them, and whether a restore would find them. */
import {
  examineRegister,
  isRegisterComplete,
  type ExaminedRegister,
  type PlaceStatus,
} from '../recovery/examine-register.js';
import { isMarkedRestored } from '../recovery/restored-mark.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import type { OpenPlace } from './patient.js';

const whenMarked = 'Start the service, which brings these events back and holds the emails that were open.';
/** A start without the mark also brings these events back, but it sends the open emails a second time. */
const whenNotMarked =
  'Run audience restore --in-place before the next start, which then brings these events back and holds open emails. If the service has been started already, run audience privacy reapply.';

export async function checkRegister({ place, log: openLog, clock }: OpenPlace): Promise<Diagnosis> {
  const log = await openLog();
  const found = await examineRegister(log, { places: place, key: await place.registerKey(log), clock });
  const { applied, reported } = found.missing;
  if (!found.isUsable)
    return red(
      `no line of ${filesOf(found.places)} was written with the secret of this log, so no start succeeds`,
      'Put the register back from its other place or from a backup. If none is left, move the file away, and the service builds the register again from the log.',
    );
  if (applied.length > 0)
    return red(
      `the log lacks ${applied.length} events of the register, so it was probably restored from a backup`,
      isMarkedRestored(place.dataDir) ? whenMarked : whenNotMarked,
    );
  const erasures = reported.filter(({ type }) => type === 'ErasureRequested').length;
  if (erasures > 0)
    return red(
      `the log lacks ${erasures} erasures of the register, and these people are shown again`,
      'If no service has been started since the log was put back, run audience restore --in-place. Otherwise run audience privacy status, which names the command for each.',
    );
  if (reported.length > 0)
    return yellow(
      `the log lacks ${reported.length} events of the register that an operator must decide on`,
      'Run audience privacy status, which names them and what to do.',
    );
  return checkPlaces(found) ?? checkProgress(found, await isRegisterComplete(log, found));
}

const filesOf = (places: readonly PlaceStatus[]): string => places.map(({ file }) => file).join(', ');

/** Line numbers in one finding. */
const mostNamed = 10;

/** Names all that is wrong with the files, so that a harmless fault hides no other. */
function checkPlaces({ places }: ExaminedRegister): Diagnosis | undefined {
  const away = places.filter((one) => one.away !== null);
  const short = places.filter((one) => one.away === null && one.lacks > 0);
  const damaged = places.filter(({ invalid }) => invalid.length > 0);
  const faults: readonly { readonly finding: string; readonly remedy: string }[] = [
    ...(away.length === 0
      ? []
      : [
          {
            finding: `the register cannot be read: ${away.map((one) => `${one.file} (${one.away})`).join('; ')}`,
            remedy: 'Make the folder available again. The service then writes what it lacks.',
          },
        ]),
    ...(short.length === 0
      ? []
      : [
          {
            finding: `lines of the register are missing in ${short.map(({ file, lacks }) => `${file} (${lacks})`).join(', ')}`,
            remedy: 'Start the service, which writes them, and check that it can write to the folder.',
          },
        ]),
    ...(damaged.length === 0
      ? []
      : [
          {
            finding: `lines of the register are damaged or have a wrong MAC, and have no effect: ${damaged.map(invalidInWords).join('; ')}`,
            remedy:
              'The next start writes the lines again whose events are in the log. Remove the damaged lines after that. If the log was restored since, a damaged line may be an erasure that was not brought back: look for an intact copy of the file, and append its lines. Find out what damaged the file.',
          },
        ]),
  ];
  return faults.length === 0
    ? undefined
    : yellow(faults.map(({ finding }) => finding).join('; '), faults.map(({ remedy }) => remedy).join(' '));
}

function invalidInWords({ file, invalid }: PlaceStatus): string {
  const more = invalid.length > mostNamed ? ` and ${invalid.length - mostNamed} more` : '';
  return `${file} (lines ${invalid.slice(0, mostNamed).join(', ')}${more})`;
}

function checkProgress({ places, isChecked, lines }: ExaminedRegister, isComplete: boolean): Diagnosis {
  const said = `events registered: ${lines.length}${isChecked ? '' : ' (MACs not checked, because the secret is not at hand)'}`;
  if (!isComplete)
    return yellow(
      `${said}; the register is still being built from the log`,
      'Let the service run: until the register is complete, do not restore with it.',
    );
  return places.length > 1
    ? green(`${said}, in ${places.length} places`)
    : yellow(
        `${said}, in one place only`,
        'Set SEAL_DIR to a folder on another disk: a restore needs the newest register.',
      );
}
