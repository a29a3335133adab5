/** What commands that seal, prove or verify have in common: the seal that they are given, the key, and progress. */
import type { KeyObject } from 'node:crypto';
import { UsageError } from '../../failures.js';
import type { KnownSeal } from '../../integrity/seal.js';
import { readSealFile } from '../../integrity/seal-store.js';
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

/** That of the option or of `SEAL_KEY`; undefined: that of the data folder. */
export const namedKey = (option: string | undefined, { seals }: CommandPlace): string | undefined =>
  option ?? seals.key;

/** Made in the data folder where there is none. @throws SealError */
export const sealKeyOf = (option: string | undefined, line: CommandLine): KeyObject =>
  openSealKey({ file: namedKey(option, line.place()), dataDir: line.place().dataDir }, (file) =>
    line.stderr.write(`A key was made: ${printable(file)}. Keep a copy of it in the backup.\n`),
  );

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
