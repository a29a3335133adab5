/** `audience audit consistency`: proves that the log of a newer seal holds that of an older one unchanged. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { EventReader } from '../../eventstore/event-store.js';
import { proveConsistency } from '../../integrity/proofs.js';
import { sealSchema, type Seal } from '../../integrity/seal.js';
import { readSealFile } from '../shared/seals.js';
import { CommandFailedError } from '../../failures.js';
import type { CommandLine } from '../shared/command-line.js';
import { destination, forceOption, outOption, withExamples } from '../shared/options.js';
import { formatCount } from '../shared/numbers.js';
import { whileOpen } from '../shared/while-open.js';
import { demandOfLog, refuseProof, withTree } from './log-place.js';
import { demandDestination, put } from '../shared/destination.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({ ...destination, out: destination.out.default('-') });

export function registerAuditConsistency(audit: Command, line: CommandLine): void {
  const command = audit
    .command('consistency')
    .description('proves that the log of the new seal holds that of the old one unchanged: verify.mjs checks it')
    .argument('<old>', 'the older seal')
    .argument('<new>', 'the newer seal')
    .addOption(outOption('where the proof goes (default: standard output)'))
    .addOption(forceOption())
    .action((older: string, newer: string, options: unknown) =>
      consistency([older, newer], optionsSchema.parse(options), line),
    );
  withExamples(command, ['audience audit consistency seal-2026-03.json seal-2026-04.json --out consistency.json']);
}

async function consistency(
  files: readonly [string, string],
  options: z.output<typeof optionsSchema>,
  line: CommandLine,
): Promise<void> {
  demandDestination(options);
  const older = wholeSeal(files[0]);
  const newer = wholeSeal(files[1]);
  const prove = async (log: EventReader) => {
    for (const seal of [older, newer]) await demandOfLog(log, seal);
    return await withTree(log, line, (tree) => proveConsistency(tree, older, newer));
  };
  const proof = await whileOpen(line.place().openLog(), prove).catch(refuseProof);
  await put(`${JSON.stringify(proof, undefined, 2)}\n`, options, line);
  if (options.out === '-') return;
  line.stderr.write(
    `Proven in ${printable(options.out)}: the ${formatCount(newer.count)} events of the newer seal begin with the ${formatCount(older.count)} of the older one, unchanged.\n`,
  );
}

/** A proof names both seals in full, so both must be of the present format. @throws CommandFailedError */
function wholeSeal(file: string): Seal {
  const { data } = sealSchema.safeParse(readSealFile(file));
  if (data !== undefined) return data;
  throw new CommandFailedError(`The seal ${file} is of format 1, and a proof needs seals of format 2.`, {
    type: 'seal',
    exitCode: 2,
  });
}
