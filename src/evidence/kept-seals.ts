/** The seals that the service has made by itself, and whether the log still fits each of them. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { sealFaults, type SealedLogReader } from './holding-seal.js';
import type { EventReader } from '../eventstore/event-store.js';
import type { LogPlace } from './open-links.js';
import { sealsIn, sealsName } from './seal-folder.js';
import { fingerprintOf, type Seal } from './seal.js';
import { withTree } from './sealing.js';

interface KeptSeal {
  /** The data folder's, and the copy where it is the same. */
  readonly files: readonly string[];
  /** Undefined: it cannot be read. */
  readonly seal: Seal | undefined;
}

/** Of the data folder and, where one is named, of the folder of copies. `onNotice`: in which the two differ. */
export function keptSeals(
  dataDir: string,
  copies: string | undefined,
  onNotice: (notice: string) => void,
): readonly KeptSeal[] {
  const all = sealsIn(path.join(dataDir, sealsName)).map((one) => ({ ...one, files: [one.file] }));
  const own = [...all];
  if (copies === undefined) return all;
  try {
    statSync(copies);
    for (const copy of sealsIn(copies)) {
      const same = all.find(({ text }) => text === copy.text);
      if (same === undefined) all.push({ ...copy, files: [copy.file] });
      else same.files.push(copy.file);
    }
    for (const { file } of own.filter(({ files }) => files.length === 1))
      onNotice(`SEAL_DIR lacks ${path.basename(file)}, or has it otherwise.`);
  } catch (error) {
    onNotice(`SEAL_DIR cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
  }
  return all;
}

export type ExaminedSeal = ReturnType<typeof examined>;

/** Whether each fits, by what is stored of chain and tree: the whole log is not read. @throws ProofError @throws as `sealFaults` */
export async function examineSeals(
  seals: readonly KeptSeal[],
  log: EventReader & SealedLogReader,
  place: LogPlace,
): Promise<readonly ExaminedSeal[]> {
  return await withTree(log, place, async (source) => {
    const faultOf = await sealFaults(log, source);
    const rows: ExaminedSeal[] = [];
    for (const kept of seals) rows.push(examined(kept, kept.seal && (await faultOf(kept.seal))?.reason));
    return rows;
  });
}

const unreadable = { sealed_at: null, count: null, log_id: null, head: null, root: null, key_fingerprint: null };

/** `fault`: why the log does not fit it. */
function examined({ files, seal }: KeptSeal, fault: string | undefined) {
  if (seal === undefined) return { ...unreadable, fits: false, reason: 'it is no seal that can be read', files };
  const { sealed_at, count, log_id, head, root, public_key } = seal;
  const stated = { sealed_at, count, log_id, head, root, key_fingerprint: fingerprintOf(public_key) };
  return { ...stated, fits: fault === undefined, reason: fault ?? null, files };
}
