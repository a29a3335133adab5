/** `audience audit seal`: verifies the log and signs how many events it has and their root. Keep the file where the log is not. */
import type { KeyObject } from 'node:crypto';
import type { Command } from 'commander';
import { z } from 'zod';
import type { EventReader } from '../../eventstore/event-store.js';
import { CommandFailedError } from '../../failures.js';
import { printable } from '../../events/printable.js';
import { createSeal, fingerprintOf, SealError, sealText, type Seal } from '../../integrity/seal.js';
import { demandDestination, put } from '../shared/destination.js';
import type { CommandLine } from '../shared/command-line.js';
import { checked } from '../shared/exit-code.js';
import { formatCount } from '../shared/numbers.js';
import { destination, forceOption, keyOption, outOption, withExamples } from '../shared/options.js';
import { sealKeyOf, whileVerifying } from '../shared/seals.js';
import { whileOpen } from '../shared/while-open.js';
import { keptSeals } from './log-place.js';
import { verified } from './verify.js';

const optionsSchema = z.object({
  ...destination,
  key: z.string().optional(),
});
type Options = z.output<typeof optionsSchema>;

export function registerAuditSeal(audit: Command, line: CommandLine): void {
  const command = audit
    .command('seal')
    .description('verifies the log and signs how many events it has and their root: keep the file where the log is not')
    .addOption(outOption('where the seal goes; - is standard output').makeOptionMandatory())
    .addOption(keyOption(', made when needed'))
    .addOption(forceOption())
    .action((options: unknown) => checked(() => seal(optionsSchema.parse(options), line)));
  withExamples(command, [
    'audience audit seal --out seal-2026-03-01.json',
    'audience audit seal --key seal-key.pem --out seal.json',
  ]);
}

async function seal(options: Options, line: CommandLine): Promise<void> {
  demandDestination(options);
  const key = (): KeyObject => sealKeyOf(options.key, line);
  const made = await whileOpen(line.place().openLog(), (log) => verifiedSeal(log, line, key));
  await write(made, options, line);
}

/**
 * Verifies the whole log, compares it with the seals of the service, and seals it. Opens the key after that, because the
 * key is made if it does not exist.
 * @throws CommandFailedError with exit code 1 if the log was altered
 */
export async function verifiedSeal(log: EventReader, line: CommandLine, key: () => KeyObject): Promise<Seal> {
  const { counted } = await keptSeals(log, line);
  const seals = counted.map((one) => one.seal);
  const { result } = await whileVerifying(line, (onProgress) => verified(log, { line, seals, onProgress }));
  const { log_id, count, root, restores, difference } = result;
  if (difference !== null) throw notSealed(`the record is not intact: ${difference.message}`, 1);
  if (root === null) throw notSealed('an empty log is not sealed', 2);
  if (log_id === null) throw notSealed('the log does not begin as a log of this service', 2);
  try {
    const seq = 1 + Math.max(0, ...seals.map((one) => one.seq));
    return createSeal({ log_id, seq, restores: restores.length, count, root, final: false }, key(), line.clock());
  } catch (error) {
    if (error instanceof SealError) throw notSealed(error.message, 2, error);
    throw error;
  }
}

const notSealed = (reason: string, exitCode: 1 | 2, cause?: unknown): CommandFailedError =>
  new CommandFailedError(`No seal was made: ${reason}.`, { type: 'seal', cause, exitCode });

async function write(made: Seal, options: Options, line: CommandLine): Promise<void> {
  const { stdout, stderr, json } = line;
  const { out } = options;
  const fingerprint = fingerprintOf(made.public_key);
  await put(sealText(made), options, line);
  if (json && out !== '-')
    await stdout.write(`${JSON.stringify({ file: out, ...made, key_fingerprint: fingerprint })}\n`);
  if (json) return;
  const where = out === '-' ? '' : ` in ${printable(out)}`;
  stderr.write(
    `Sealed${where}: ${formatCount(made.count)} events, signed by the key with the fingerprint ${fingerprint}.\n`,
  );
  stderr.write('Keep the seal where the log is not, and make the fingerprint known to those who will check it.\n');
}
