/** `audience audit diff`: who joined, left or changed in a list between two times. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { diffAsCsv, diffAsLines } from '../../audit/list-diff-lines.js';
import { demandPlace } from '../../export/file.js';
import { UsageError } from '../../failures.js';
import type { CommandLine } from '../shared/command-line.js';
import { destination, forceOption, outOption, timeIn, withExamples } from '../shared/options.js';
import { whileOpen } from '../shared/while-open.js';
import { writePieces } from './list.js';

const optionsSchema = z.object({
  from: z.string(),
  to: z.string(),
  format: z.enum(['ndjson', 'csv']),
  ...destination,
  out: z.string().optional(),
});

export function registerAuditDiff(audit: Command, line: CommandLine): void {
  const time = (name: string, text: string): Option =>
    new Option(`${name} <time>`, text)
      .makeOptionMandatory()
      .argParser((given: string) => timeIn(name, given, { edge: 'end', clock: line.clock }));
  const command = audit
    .command('diff')
    .description('who joined, left or changed in a list between two times')
    .argument('<list>', 'list id, or name')
    .addOption(time('--from', 'the list as it was then; a date alone is its last millisecond in UTC'))
    .addOption(time('--to', 'and as it was then'))
    .addOption(
      new Option('--format <format>', 'a line or a row a contact').choices(['ndjson', 'csv']).default('ndjson'),
    )
    .addOption(outOption('into this file, with its SHA-256 beside it, in place of standard output'))
    .addOption(forceOption())
    .action((list: string, options: unknown) => listDiff(list, optionsSchema.parse(options), line));
  withExamples(command, ['audience audit diff Newsletter --from 2026-03-01 --to 2026-04-01']);
}

async function listDiff(name: string, options: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  const { from, to, out, force } = options;
  if (from > to) throw new UsageError('--from must not be after --to');
  if (out !== undefined) demandPlace(out, force);
  await whileOpen(line.openAuditor(), async ({ audit }) => {
    const list = await audit.listDiff({ list: name, from, to, signal: line.signal });
    await writePieces(options.format === 'csv' ? diffAsCsv(list) : diffAsLines(list), { list, out, line });
  });
}
