/** `audience audit consistency`: proves that the log of a newer seal holds that of an older one unchanged. */
import type { Command } from 'commander';
import { z } from 'zod';
import { proveConsistency, ProofError } from '../../evidence/prove.js';
import { demandPlace } from '../../transfer/export-file.js';
import { CommandFailedError, UsageError } from '../../transfer/failures.js';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import { count } from '../progress-bar.js';
import { keep, withTree } from './sealing.js';
import { demandedSeals } from './verify.js';

const optionsSchema = z.object({ out: z.string().min(1).default('-'), force: z.boolean().default(false) });

export function registerAuditConsistency(audit: Command, line: CommandLine): void {
  const command = audit
    .command('consistency')
    .description('proves that the log of the new seal holds that of the old one unchanged: verify.mjs checks it')
    .argument('<old>', 'the older seal')
    .argument('<new>', 'the newer seal')
    .option('--out <file>', 'where the proof goes (default: standard output)')
    .option('--force', 'replaces a file that is there already')
    .action((older: string, newer: string, options: unknown) =>
      consistency([older, newer], optionsSchema.parse(options), line),
    );
  withExamples(command, ['audience audit consistency seal-2026-03.json seal-2026-04.json --out consistency.json']);
}

async function consistency(
  files: readonly [string, string],
  { out, force }: z.output<typeof optionsSchema>,
  line: CommandLine,
): Promise<void> {
  if (out !== '-') demandPlace(out, force);
  const [older, newer] = demandedSeals({ seal: files }, line).map(({ seal }) => seal);
  if (older === undefined || newer === undefined) throw new UsageError('two seals are needed');
  const log = await line.openLog();
  try {
    const proof = await withTree(log, line, (tree) => proveConsistency(tree, older, newer));
    const text = `${JSON.stringify(proof, undefined, 2)}\n`;
    if (out === '-') return await line.stdout.write(text);
    await keep(out, text);
    line.stderr.write(
      `Proven in ${out}: the ${count(newer.count)} events of the newer seal begin with the ${count(older.count)} of the older one, unchanged.\n`,
    );
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new CommandFailedError(`Nothing was proven: ${error.message}.`, { type: 'proof', cause: error });
  } finally {
    await log.close();
  }
}
