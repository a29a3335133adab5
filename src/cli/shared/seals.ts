/** What commands that seal, prove or verify have in common: the seal that they are given, the key, and progress. */
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CommandFailedError, UsageError } from '../../failures.js';
import {
  fingerprintOf,
  publicKeyOf,
  readPublicKey,
  readSignedSeal,
  SealError,
  UnreadableSealError,
  type KnownSeal,
} from '../../integrity/seal.js';
import { openSealKey } from '../../integrity/seal-store.js';
import type { CommandLine, CommandPlace } from './command-line.js';
import { createProgressBar } from './progress-bar.js';
import { printable } from '../../events/printable.js';

/** Returns the seal of `--seal`, or undefined without the option. @throws UsageError @throws as `readSealFile` */
export function sealIn({
  seal,
  publicKey,
}: {
  readonly seal?: string | undefined;
  readonly publicKey?: string | undefined;
}): KnownSeal | undefined {
  if (seal !== undefined) return readSealFile(seal, publicKey);
  if (publicKey !== undefined) throw new UsageError('--public-key goes with --seal');
  return undefined;
}

/**
 * Returns the seal in a file. Its signature matches.
 * @param publicKeyFile file with the public key that must have signed it. Without one, any key may have.
 * @throws CommandFailedError of the type `seal` (exit code 1) if the seal was altered or signed with another key, or of the
 *   type `unreadable_seal` (exit code 2) if the file cannot be read or is not a seal
 */
export function readSealFile(file: string, publicKeyFile?: string): KnownSeal {
  try {
    const expected = publicKeyFile === undefined ? undefined : publicKeyOf(readPublicKey(textOf(publicKeyFile)));
    const seal = readSignedSeal(textOf(file));
    if (expected !== undefined && seal.public_key !== expected)
      throw new SealError(
        `it is signed by another key (fingerprint ${fingerprintOf(seal.public_key)}) than the expected one`,
      );
    return seal;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const isUnreadable = error instanceof UnreadableSealError;
    throw new CommandFailedError(
      `The seal ${file} ${isUnreadable ? 'cannot be read' : 'proves nothing'}: ${error.message}.`,
      { type: isUnreadable ? 'unreadable_seal' : 'seal', cause: error, exitCode: isUnreadable ? 2 : 1 },
    );
  }
}

/** @throws CommandFailedError */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailedError(`${file} cannot be read: ${reason}`, { cause: error, exitCode: 2 });
  }
}

/** Returns the file of the key that signs: that of the option or of `SEAL_KEY`, or undefined for that of the data folder. */
export const namedKey = (option: string | undefined, { seals }: CommandPlace): string | undefined =>
  option ?? seals.key;

/** Returns the key that signs. Makes that of the data folder if it does not exist. @throws SealError */
export function sealKeyOf(option: string | undefined, line: CommandLine): KeyObject {
  const { dataDir, seals } = line.place();
  const onMade = (file: string): void =>
    void line.stderr.write(`A key was made: ${printable(file)}. Keep a copy of it in the backup.\n`);
  return openSealKey({ dataDir, seals: { ...seals, key: namedKey(option, line.place()) } }, { onMade });
}

/** Hears of the number of events so far, and of all events if that is known. */
type OnVerified = (done: number, total: number | undefined) => void;

/** With a bar on the terminal for as long as the work runs. */
export async function whileVerifying<Result>(
  { stderr, monotonic }: CommandLine,
  work: (onProgress: OnVerified) => Promise<Result>,
): Promise<Result> {
  const bar = createProgressBar(stderr, monotonic);
  const onProgress: OnVerified = (done, total) =>
    bar.report({ phase: 'verifying', done, ...(total === undefined ? {} : { total }) });
  return await work(onProgress).finally(() => bar.clear());
}
