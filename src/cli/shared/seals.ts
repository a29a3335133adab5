/** What commands that seal, prove or verify have in common: the seal that they are given, the key, and progress. */
import type { KeyObject } from 'node:crypto';
import { openSealKey } from '../../evidence/seal-key.js';
import { readSeals } from '../../evidence/seal-files.js';
import type { SealingOptions } from '../../evidence/sealing.js';
import type { CommandLine, CommandPlace } from './command-line.js';
import { createProgressBar } from './progress-bar.js';
import { printable } from '../../events/printable.js';

/** The seal of `--seal`. @throws as `readSeals` */
export const sealIn = ({
  seal,
  publicKey,
}: {
  readonly seal?: string | undefined;
  readonly publicKey?: string | undefined;
}) => readSeals({ seal: seal === undefined ? [] : [seal], publicKey })[0]?.seal;

/** That of the option or of `SEAL_KEY`; undefined: that of the data folder. */
export const namedKey = (option: string | undefined, { seals }: CommandPlace): string | undefined =>
  option ?? seals.key;

/** Made in the data folder where there is none. @throws SealError */
export const sealKeyOf = (option: string | undefined, line: CommandLine): KeyObject =>
  openSealKey({ file: namedKey(option, line.place()), dataDir: line.place().dataDir }, (file) =>
    line.stderr.write(`A key was made: ${printable(file)}. Keep a copy of it in the backup.\n`),
  );

/** With a bar on the terminal for as long as the work runs. */
export async function whileVerifying<Result>(
  { stderr, monotonic }: CommandLine,
  work: (onProgress: SealingOptions['onProgress']) => Promise<Result>,
): Promise<Result> {
  const bar = createProgressBar(stderr, monotonic);
  const onProgress: SealingOptions['onProgress'] = (done, total) =>
    bar.report({ phase: 'verifying', done, ...(total === undefined ? {} : { total }) });
  return await work(onProgress).finally(() => bar.clear());
}
