/** `audience import`: an export of events back into an empty store, as the same log; and contacts. */
import type { Command } from 'commander';
import { z } from 'zod';
import { readSeals } from '../../evidence/seal-files.js';
import type { CommandLine } from '../shared/command-line.js';
import { copyLogOnTerminal } from './on-terminal.js';
import { withExamples } from '../shared/options.js';
import { demandChecksum } from '../../export/file.js';
import { runImport, type ImportRequest } from '../../copy/import.js';
import { registerImportContacts } from './contacts.js';
import { importAsJson, importInWords } from './report.js';

const optionsSchema = z.object({
  dryRun: z.boolean().default(false),
  seal: z.string().optional(),
  publicKey: z.string().optional(),
});

export function registerImport(program: Command, line: CommandLine): void {
  const group = program.command('import').description('brings in exported events, or contacts from a CSV file');
  registerImportContacts(group, line);
  const command = group
    .command('events')
    .description('brings exported events back into an empty store: same order, ids, times and evidence chain')
    .argument('<file>', 'a whole export of events, as NDJSON')
    .option('--seal <file>', 'demands that the history in the file is the sealed one, and not shortened')
    .option('--public-key <file>', 'the key that must have signed the seal (PEM, or base64 of SPKI in DER)')
    .option('--dry-run', 'checks the file and the store, and writes nothing')
    .action((file: unknown, options: unknown) => {
      const { dryRun: isDryRun, seal: sealFile, publicKey } = optionsSchema.parse(options);
      const named = { seal: sealFile === undefined ? [] : [sealFile], publicKey };
      const seal = readSeals(named)[0]?.seal;
      return importFrom(line, { file: z.string().parse(file), to: line.stores.events, isDryRun, seal });
    });
  withExamples(command, [
    'audience --data-dir ./new-data import events events.ndjson',
    'audience --data-dir ./new-data import events events.ndjson --seal seal.json --dry-run',
  ]);
}

async function importFrom(line: CommandLine, request: Omit<ImportRequest, 'headKeyOf'>): Promise<void> {
  const { file, to } = request;
  const copied = await copyLogOnTerminal(line, { from: to, to }, async (options, headKeyOf) => {
    const hasChecksum = await demandChecksum(file, options.signal);
    return { ...(await runImport({ ...request, headKeyOf }, options)), hasChecksum };
  });
  const report = { request, ...copied };
  await line.stdout.write(line.json ? importAsJson(report) : importInWords(report));
}
