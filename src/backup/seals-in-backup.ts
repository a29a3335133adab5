/** Reads the seals of a backup that counted when it was made. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readSignedSeal, SealError, type KnownSeal } from '../integrity/seal.js';
import { sealsName, type SealKeys } from '../integrity/seal-store.js';

interface SealsRequest {
  readonly files: readonly { readonly name: string }[];
  /** Public keys whose seals count. */
  readonly keys: SealKeys;
  readonly onNotice: (notice: string) => void;
}

/** Returns the seals among the files. Leaves out those that do not count, with a notice. @throws what the file system throws */
export function sealsInBackup(backup: string, { files, keys, onNotice }: SealsRequest): readonly KnownSeal[] {
  const names = files.map(({ name }) => name).filter((name) => name.startsWith(`${sealsName}/`));
  return names.flatMap((name) => {
    const file = path.join(backup, name);
    try {
      const seal = readSignedSeal(readFileSync(file, 'utf8'));
      if (!keys.has(seal.public_key)) throw new SealError('it is signed with a key that does not count');
      return [seal];
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      onNotice(`Ignored the seal ${file}: ${error.message}.`);
      return [];
    }
  });
}
