/** `audience audit verify`: verifies that no event was altered, dropped, moved or inserted, or names the first that was. */
import type { Command } from 'commander';
import { z } from 'zod';
import { verifyOpen } from '../../evidence/verify-open.js';
import { CommandFailedError } from '../../failures.js';
import { whileOpen } from '../shared/while-open.js';
import { paintFor } from '../shared/colours.js';
import type { CommandLine } from '../shared/command-line.js';
import { withExamples } from '../shared/options.js';
import { demandedSeals, whileVerifying } from '../shared/seals.js';
import { verifiedAsJson, verifiedInWords } from './verify-report.js';

const optionsSchema = z.object({
  seal: z.array(z.string()).default([]),
  publicKey: z.string().optional(),
  quick: z.boolean().default(false),
});

export function registerAuditVerify(audit: Command, line: CommandLine): void {
  const command = audit
    .command('verify')
    .description('computes the evidence chain again and names the first event that is not as it was written')
    .option(
      '--seal <file...>',
      'also verifies that the history up to this seal is the sealed one, and not shortened; of several it says which still hold',
    )
    .option('--public-key <file>', 'the key that must have signed the seal (PEM, or base64 of SPKI in DER)')
    .option('--quick', 'the chain only, not also order and times within each stream: takes little memory')
    .action((options: unknown) => verify(optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit verify',
    'audience audit verify --seal seal.json --public-key seal-public.pem',
    'audience audit verify --data-dir ./restored --json',
  ]);
}

async function verify(options: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  // A script must not take what could not be read for what was altered.
  line.exitWith(2);
  const seals = demandedSeals(options, line);
  const begun = line.monotonic();
  await whileOpen(line.openLog(), async (log) => {
    const asked = { seals: seals.map(({ seal }) => seal), depth: options.quick ? 'chain' : 'streams' } as const;
    const { result, linked } = await whileVerifying(line, (onProgress) =>
      verifyOpen(log, { place: line, ...asked, onProgress }),
    );
    if (result.intact && result.count === 0)
      throw new CommandFailedError('The log holds no events: there is nothing to verify.', { type: 'empty' });
    const verified = { result, linked, seals, milliseconds: line.monotonic() - begun };
    const { stdout, env } = line;
    // Before the output, whose failure must not turn the exit code into 2.
    line.exitWith(result.intact ? 0 : 1);
    await stdout.write(line.json ? verifiedAsJson(verified) : verifiedInWords(verified, paintFor(stdout, env)));
  });
}
