/** Seals that were kept elsewhere, read from their files and checked; and those that the service has made by itself. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { CommandFailedError, UsageError } from '../failures.js';
import { sealsIn, sealsName } from './seal-folder.js';
import { checkSeal, parseSeal, SealError, UnreadableSealError, type Seal, type SealCheck } from './seal.js';

export interface CheckedSeal {
  readonly seal: Seal;
  readonly check: SealCheck;
}

export interface SealFiles {
  readonly seal: readonly string[];
  /** That must have signed them, in a file. */
  readonly publicKey?: string | undefined;
}

/** @throws UsageError @throws CommandFailedError `seal`: one was altered, or another key signed it; `unreadable_seal`: one is no seal */
export function readSeals({ seal: files, publicKey }: SealFiles): readonly CheckedSeal[] {
  if (files.length === 0 && publicKey !== undefined) throw new UsageError('--public-key goes with --seal');
  return files.map((file) => readSeal(file, publicKey));
}

function readSeal(file: string, publicKey: string | undefined): CheckedSeal {
  try {
    const seal = parseSeal(textOf(file));
    const check = checkSeal(seal, publicKey === undefined ? undefined : textOf(publicKey));
    if (!check.isSigned) throw new SealError('its signature is not right: it was altered');
    if (check.isExpected === false)
      throw new SealError(`it is signed by another key (fingerprint ${check.fingerprint}) than the expected one`);
    return { seal, check };
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    if (error instanceof UnreadableSealError)
      throw new CommandFailedError(`The seal ${file} cannot be read: ${error.message}.`, {
        type: 'unreadable_seal',
        cause: error,
      });
    throw new CommandFailedError(`The seal ${file} proves nothing: ${error.message}.`, { type: 'seal', cause: error });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailedError(`${file} cannot be read: ${reason}`, { cause: error });
  }
}

export interface KeptSeal {
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
