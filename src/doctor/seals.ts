/** Checks the key and the two places of seals, and whether the newest seal is young enough and fits the log. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { compareWithTree } from '../integrity/compare-seals.js';
import { recordedRestores } from '../integrity/restores.js';
import {
  keyAtHand,
  readKeptSeals,
  type CountedSeal,
  type IgnoredSeal,
  type SealSettings,
} from '../integrity/seal-store.js';
import { openLogSource } from '../integrity/server-blocks.js';
import { SealError, type KnownSeal } from '../integrity/seal.js';
import { isMarkedRestored } from '../recovery/restored-mark.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import { messageOf } from './servers.js';
import type { OpenPlace } from './patient.js';
import { whenRestored } from './verification.js';

const hourMs = 3_600_000;

/** @param every milliseconds between two seals; 0: no periodic seals; undefined: the settings cannot be read */
export async function checkSeals(open: OpenPlace, every: number | undefined): Promise<Diagnosis> {
  const { place } = open;
  const log = await open.log();
  const unusable = unusableKey(place) ?? unusablePlace(place.seals.copies);
  if (unusable !== undefined) return unusable;
  const notices: string[] = [];
  const { counted, ignored } = await readKeptSeals(log, place, { onNotice: (notice) => notices.push(notice) });
  const [newest] = counted;
  if (newest !== undefined) {
    const found = await compared(newest.seal, open, every);
    if (found.level !== 'green') return found;
    return uncopied(counted, place.seals.copies) ?? unusual(notices, ignored) ?? found;
  }
  const [first] = ignored;
  if (first !== undefined)
    return red(
      `no seal counts: ${first.reason}`,
      'Put the key of these seals back (seal-key.pem or SEAL_KEY), or name its public key in SEAL_KEYS_BEFORE.',
    );
  return every === 0 ? none : green('no seal was made yet');
}

function uncopied(counted: readonly CountedSeal[], copies: string | undefined): Diagnosis | undefined {
  if (copies === undefined) return undefined;
  const own = counted.filter(({ files }) => !files.some((file) => path.dirname(file) === path.normalize(copies)));
  if (own.length === 0) return undefined;
  return yellow(
    `SEAL_DIR lacks ${own.length} of the ${counted.length} seals of this log`,
    'Look for "seals cannot be copied" in the log of the service. The next seal copies all of them.',
  );
}

function unusual(notices: readonly string[], ignored: readonly IgnoredSeal[]): Diagnosis | undefined {
  const [first] = ignored;
  if (notices.length === 0 && first === undefined) return undefined;
  const said = first === undefined ? [] : [`${ignored.length} seals are ignored: ${first.reason}.`];
  return yellow(
    [...notices, ...said].join(' '),
    'Check that SEAL_DIR can be written, and that only this service writes there. audience audit seals lists all seals.',
  );
}

/** Compares the newest seal with the log and with the clock. */
async function compared(seal: KnownSeal, open: OpenPlace, every: number | undefined): Promise<Diagnosis> {
  const { place, clock } = open;
  const log = await open.log();
  const { source, close } = await openLogSource(log, place);
  try {
    const { tree } = source;
    if (tree === undefined)
      return yellow(
        'not checked: no block roots of this log are stored yet',
        'Start the service, which computes them.',
      );
    const restores = await recordedRestores(log, await place.restoredKey(log));
    const [result] = await compareWithTree([seal], { log, tree, restores });
    if (result?.state === 'not_checked')
      return yellow(`not checked: ${result.reason}`, 'Start the service, and wait until it is ready.');
    if (result?.state === 'fails')
      return red(
        `the newest seal does not fit the log: ${result.reason}`,
        isMarkedRestored(place.dataDir)
          ? whenRestored
          : 'Run audience audit seals, which names the last one that fits, and audience audit verify.',
      );
    const isAtEnd = seal.count === (await tree.count());
    return ofAge({ age: clock() - Date.parse(seal.sealed_at), every, isAtEnd });
  } finally {
    await close();
  }
}

const none = yellow(
  'there is no seal yet, and with SEAL_EVERY=0 one is made only at a stop and for proofs',
  'Set SEAL_EVERY, or run audience audit seal: without a seal, nothing shows that the whole log was exchanged.',
);

interface NewestSeal {
  /** Milliseconds. */
  readonly age: number;
  readonly every: number | undefined;
  /** The newest seal covers the whole log, so no newer seal is due. */
  readonly isAtEnd: boolean;
}

function ofAge({ age, every = 0, isAtEnd }: NewestSeal): Diagnosis {
  const said = `the newest seal is ${Math.floor(age / hourMs)} hours old, and fits the log`;
  if (every === 0 || isAtEnd || age <= 2 * every) return green(said);
  return yellow(
    `${said}, though one is due every ${every / hourMs} hours`,
    'Look for "seals" in the log of the service: it says why none was made.',
  );
}

function unusableKey(settings: SealSettings): Diagnosis | undefined {
  try {
    keyAtHand(settings);
    return undefined;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return red(
      settings.seals.key === undefined ? error.message : `SEAL_KEY: ${error.message}`,
      'Put the key back from the backup, readable by the user of the service: no start succeeds before.',
    );
  }
}

function unusablePlace(folder: string | undefined): Diagnosis | undefined {
  if (folder === undefined) return undefined;
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return red(
      `SEAL_DIR cannot be used: ${messageOf(error)}`,
      'Make the folder, mount its disk, and let the user of the service write there.',
    );
  }
}
