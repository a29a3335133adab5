/** `audience import`: an export of events back into an empty store, as the same log; and contacts. */
import type { Command } from 'commander';
import { z } from 'zod';
import { sealIn } from '../shared/seals.js';
import type { CommandLine } from '../shared/command-line.js';
import { copyLogOnTerminal } from '../shared/on-terminal.js';
import { publicKeyOption, sealFiles, sealOption, withExamples } from '../shared/options.js';
import { demandChecksum } from '../../export/file.js';
import { runImport, type ImportRequest } from '../../copy/import.js';
import { registerImportContacts } from './contacts.js';
import { importAsJson, importInWords } from './report.js';

const optionsSchema = z.object({
  dryRun: z.boolean().default(false),
  ...sealFiles,
});

export function registerImport(program: Command, line: CommandLine): void {
  const group = program.command('import').description('brings in exported events, or contacts from a CSV file');
  registerImportContacts(group, line);
  const command = group
    .command('events')
    .description('brings exported events back into an empty store: same order, ids and times, and the same root')
    .argument('<file>', 'a whole export of events, as NDJSON')
    .addOption(sealOption('demands that the file begins with the sealed events'))
    .addOption(publicKeyOption())
    .option('--dry-run', 'checks the file and the store, and writes nothing')
    .action((file: unknown, options: unknown) => {
      const { dryRun: isDryRun, ...files } = optionsSchema.parse(options);
      const seal = sealIn(files);
      return importFrom(line, { file: z.string().parse(file), to: line.place().log.settings, isDryRun, seal });
    });
  withExamples(command, [
    'audience --data-dir ./new-data import events events.ndjson',
    'audience --data-dir ./new-data import events events.ndjson --seal seal.json --dry-run',
  ]);
}

async function importFrom(line: CommandLine, request: ImportRequest): Promise<void> {
  const { file, to } = request;
  const copied = await copyLogOnTerminal(line, { from: to, to }, async (options) => {
    const hasChecksum = await demandChecksum(file, options.signal);
    return { ...(await runImport(request, options)), hasChecksum };
  });
  const report = { request, ...copied };
  await line.stdout.write(line.json ? importAsJson(report) : importInWords(report));
}
