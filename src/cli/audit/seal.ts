/** `audience audit seal`: a signed statement of how far the log has come and what it holds, to be kept elsewhere. */
import type { Command } from 'commander';
import { z } from 'zod';
import { fingerprintOf, SealError, type Seal } from '../../evidence/seal.js';
import { AlteredRecordError, verifiedSeal } from '../../evidence/sealing.js';
import { demandDestination, put } from '../shared/destination.js';
import { sealKeyOf, whileVerifying } from '../shared/seals.js';
import type { CommandLine } from '../shared/command-line.js';
import { CommandFailedError } from '../../failures.js';
import { checked } from '../shared/exit-code.js';
import { destination, forceOption, keyOption, outOption, withExamples } from '../shared/options.js';
import { formatCount } from '../shared/numbers.js';
import { whileOpen } from '../shared/while-open.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({
  ...destination,
  key: z.string().optional(),
});
type Options = z.output<typeof optionsSchema>;

export function registerAuditSeal(audit: Command, line: CommandLine): void {
  const command = audit
    .command('seal')
    .description('verifies the log and signs how far it has come: keep the file where the log is not')
    .addOption(outOption('where the seal goes; - is standard output').makeOptionMandatory())
    .addOption(keyOption(', made when needed'))
    .addOption(forceOption())
    .action((options: unknown) => checked(() => seal(optionsSchema.parse(options), line)));
  withExamples(command, [
    'audience audit seal --out seal-2026-03-01.json',
    'audience audit seal --key seal-key.pem --out seal.json',
  ]);
}

/** @throws CommandFailedError with exit code 1 where the record was altered */
async function seal(options: Options, line: CommandLine): Promise<void> {
  demandDestination(options);
  const made = await whileOpen(line.place().openLog(), (log) =>
    whileVerifying(line, (onProgress) =>
      verifiedSeal(log, {
        place: line.place(),
        onProgress,
        clock: line.clock,
        key: () => sealKeyOf(options.key, line),
      }),
    ),
  ).catch((error: unknown) => {
    if (!(error instanceof SealError)) throw error;
    const exitCode = error instanceof AlteredRecordError ? 1 : 2;
    throw new CommandFailedError(`No seal was made: ${error.message}.`, { type: 'seal', cause: error, exitCode });
  });
  await write(made, options, line);
}

async function write(made: Seal, options: Options, line: CommandLine): Promise<void> {
  const { stdout, stderr, json } = line;
  const { out } = options;
  const fingerprint = fingerprintOf(made.public_key);
  await put(`${JSON.stringify(made, undefined, 2)}\n`, options, line);
  if (json && out !== '-')
    await stdout.write(`${JSON.stringify({ file: out, ...made, key_fingerprint: fingerprint })}\n`);
  if (json) return;
  const where = out === '-' ? '' : ` in ${printable(out)}`;
  stderr.write(
    `Sealed${where}: ${formatCount(made.count)} events, signed by the key with the fingerprint ${fingerprint}.\n`,
  );
  stderr.write('Keep the seal where the log is not, and make the fingerprint known to those who will check it.\n');
}
