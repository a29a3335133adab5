/** Seals: their key, their two places, and whether the newest is young enough and fits the log. */
import { accessSync, constants } from 'node:fs';
import type { EventReader } from '../eventstore/event-store.js';
import { examineSeals, keptSeals } from '../evidence/kept-seals.js';
import { keptChain } from '../evidence/link-blocks.js';
import { readSealKey } from '../evidence/seal-key.js';
import { SealError } from '../evidence/seal.js';
import { green, red, yellow, type Diagnosis } from './diagnosis.js';
import { messageOf } from './servers.js';
import type { OpenPlace } from './patient.js';

const hourMs = 3_600_000;

/** @param every milliseconds between two seals; 0: none are made; undefined: the settings cannot be read */
export async function checkSeals(open: OpenPlace, every: number | undefined): Promise<Diagnosis> {
  const { place, clock } = open;
  const log = await open.log();
  const isComparable = await hasTree(open);
  const { copies, key } = place.seals;
  const unusable = unusableKey(key) ?? unusablePlace(copies);
  if (unusable !== undefined) return unusable;
  const notices: string[] = [];
  const kept = keptSeals(place.dataDir, copies, (notice) => notices.push(notice));
  const newest = kept.toSorted((one, other) => timeOf(other) - timeOf(one))[0];
  if (newest === undefined) return every === 0 ? none : green('no seal was made yet');
  if (!isComparable)
    return yellow(
      'not checked: no links of this log are kept beside the views yet',
      'Start the service, which computes them as it folds the views.',
    );
  const [examined] = await examineSeals([newest], log, place);
  if (examined?.fits === false)
    return red(
      `the newest seal does not fit the log: ${examined.reason}`,
      'Run audience audit seals, which names the last one that fits, and audience audit verify.',
    );
  if (notices.length > 0)
    return yellow(notices.join(' '), 'Look whether SEAL_DIR can be written: the next seal copies what is missing.');
  const isAtEnd = newest.seal?.head === lastLink(log);
  return ofAge({ age: clock() - timeOf(newest), every, isAtEnd });
}

/** The embedded log has its own; of a log on a server it is beside the views. */
const hasTree = async ({ place, views }: OpenPlace): Promise<boolean> =>
  place.stores.events.kind === 'embedded' || (await keptChain(await views())).checkpoint !== null;

const none = yellow(
  'no seals are made (SEAL_EVERY=0)',
  'Set SEAL_EVERY, or run audience audit seal: without a seal nothing shows that the whole log was exchanged.',
);

interface NewestSeal {
  /** Milliseconds. */
  readonly age: number;
  readonly every: number | undefined;
  /** Nothing came since: no newer one is due. */
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

const timeOf = ({ seal }: ReturnType<typeof keptSeals>[number]): number => Date.parse(seal?.sealed_at ?? '') || 0;

/** Undefined: the log does not tell, and nobody knows whether something came since. */
const lastLink = (log: EventReader & { chainHead?(): { readonly head: string } }): string | undefined =>
  log.chainHead?.().head;

function unusableKey(file: string | undefined): Diagnosis | undefined {
  if (file === undefined) return undefined;
  try {
    readSealKey(file);
    return undefined;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return red(
      `SEAL_KEY: ${error.message}`,
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
