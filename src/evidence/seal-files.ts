/** Seals that were kept elsewhere, read from their files and checked. */
import { readFileSync } from 'node:fs';
import { CommandFailedError, UsageError } from '../failures.js';
import { checkSeal, parseSeal, SealError, UnreadableSealError, type Seal, type SealCheck } from './seal.js';

export interface CheckedSeal {
  readonly seal: Seal;
  readonly check: SealCheck;
}

interface SealFiles {
  readonly seal: readonly string[];
  /** That must have signed them, in a file. */
  readonly publicKey?: string | undefined;
}

/** @throws UsageError @throws CommandFailedError `seal`, exit code 1: one was altered, or another key signed it; with exit code 2: one cannot be read, or is no seal */
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
        exitCode: 2,
      });
    throw new CommandFailedError(`The seal ${file} proves nothing: ${error.message}.`, {
      type: 'seal',
      cause: error,
      exitCode: 1,
    });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailedError(`${file} cannot be read: ${reason}`, { cause: error, exitCode: 2 });
  }
}
