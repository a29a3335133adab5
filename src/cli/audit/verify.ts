/** `audience audit verify`: verifies that no event was altered, dropped, moved or inserted, or names the first that was. */
import type { Command } from 'commander';
import { z } from 'zod';
import { verifyOpen } from '../../evidence/verify-open.js';
import { CommandFailedError } from '../../failures.js';
import { whileOpen } from '../shared/while-open.js';
import { paintFor } from '../shared/colours.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { checked, withExitCode } from '../shared/exit-code.js';
import { publicKeyOption, sealFiles, withExamples } from '../shared/options.js';
import { readSeals } from '../../evidence/seal-files.js';
import { whileVerifying } from '../shared/seals.js';
import { verifiedAsJson, verifiedInWords, type VerificationReport } from './verify-report.js';

const optionsSchema = z.object({
  seal: z.array(z.string()).default([]),
  publicKey: sealFiles.publicKey,
  quick: z.boolean().default(false),
});
type Options = z.output<typeof optionsSchema>;

export function registerAuditVerify(audit: Command, line: CommandLine): void {
  const command = audit
    .command('verify')
    .description(
      'computes the evidence chain again and says whether the log was altered, and where if that can be told',
    )
    .option(
      '--seal <file...>',
      'also verifies that the history up to this seal is the sealed one, and not shortened; of several it says which still hold',
    )
    .addOption(publicKeyOption())
    .option('--quick', 'the chain only, not also order and times within each stream: takes little memory')
    .action(withExitCode(line, (options: unknown) => verify(optionsSchema.parse(options), line)));
  withExamples(command, [
    'audience audit verify',
    'audience audit verify --seal seal.json --public-key seal-public.pem',
    'audience audit verify --data-dir ./restored --json',
  ]);
}

async function verify(options: Options, line: CommandLine): Promise<ExitCode> {
  const verified = await checked(() => verification(options, line));
  const { stdout, env, json } = line;
  await stdout.write(json ? verifiedAsJson(verified) : verifiedInWords(verified, paintFor(stdout, env)));
  return verified.result.intact ? 0 : 1;
}

/** @throws CommandFailedError, UsageError, StoreUnavailableError */
async function verification(options: Options, line: CommandLine): Promise<VerificationReport> {
  const seals = readSeals(options);
  const startedAt = line.monotonic();
  const request = { seals: seals.map(({ seal }) => seal), depth: options.quick ? 'chain' : 'streams' } as const;
  const { result, linked } = await whileOpen(line.place().openLog(), (log) =>
    whileVerifying(line, (onProgress) => verifyOpen(log, { place: line.place(), ...request, onProgress })),
  );
  if (result.intact && result.count === 0)
    throw new CommandFailedError('The log holds no events: there is nothing to verify.', { type: 'empty' });
  return { result, linked, seals, milliseconds: line.monotonic() - startedAt };
}
