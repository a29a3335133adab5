/** `audience import contacts`: a CSV file into a list, through the running service. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { importContacts, type ContactsImport } from '../../copy/contacts.js';
import type { RowsImported } from '../../copy/rows.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { csvOptions, demandListPlace, withCsvOptions } from '../shared/csv-options.js';
import { copyOnTerminal } from '../shared/on-terminal.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { formatCount, duration } from '../shared/numbers.js';
import { idOfList, importingService } from '../shared/importing-service.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({
  list: z.string(),
  map: z.array(z.string()).default([]),
  status: z.string().optional(),
  timeZone: z.string().optional(),
  lenient: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  resubscribe: z.boolean().default(false),
  ...csvOptions,
});

export function registerImportContacts(group: Command, line: CommandLine): void {
  const command = group
    .command('contacts')
    .description('saves the contacts of a CSV file in a list, through the running service')
    .argument('<file>', 'CSV; its first line names the columns')
    .requiredOption('--list <list>', 'id or name of the list')
    .option('--map <column=field...>', 'field of a column whose name is not a field')
    .addOption(
      new Option('--status <status>', 'status of rows without a status').choices(['Subscribed', 'Unsubscribed']),
    )
    .option(
      '--time-zone <zone>',
      'zone of times without a zone: UTC, an offset such as +02:00, or a name such as Europe/Berlin',
    )
    .option('--lenient', 'imports a row without its invalid optional fields, and lists the row as rejected')
    .option('--resubscribe', 'also subscribes people who have unsubscribed')
    .option('--dry-run', 'checks every row, and writes nothing but the list of rejected rows')
    .action(
      withExitCode(line, (file: unknown, options: unknown) => {
        const { dryRun: isDryRun, lenient: isLenient, force, ...rest } = optionsSchema.parse(options);
        return run(line, { file: z.string().parse(file), isDryRun, isLenient, ...rest }, force);
      }),
    );
  withCsvOptions(command);
  withExamples(command, [
    'audience import contacts people.csv --list News --status Subscribed --dry-run',
    "audience import contacts people.csv --list lst_01J… --map 'Mail privat=email' 'Notes='",
  ]);
}

type ImportByListName = Omit<ContactsImport, 'listId'> & { readonly list: string };

async function run(line: CommandLine, { list, ...options }: ImportByListName, force: boolean): Promise<ExitCode> {
  const { found, name, send } = await importingService(line, ': contacts are imported through it.');
  const request = { ...options, listId: await idOfList(list, found) };
  const { result, milliseconds } = await copyOnTerminal(
    line,
    (options) => importContacts(request, { ...options, service: name, send, demandPlace: demandListPlace(force) }),
    'bytes',
  );
  const { file, listId: list_id, isDryRun: dry_run } = request;
  const outcome = dry_run ? 'checked' : 'imported';
  const report = { outcome, file, list_id, dry_run, ...result, milliseconds: Math.round(milliseconds) };
  await line.stdout.write(line.json ? `${JSON.stringify(report)}\n` : inWords(request, result, milliseconds));
  return result.rejected > 0 ? 1 : 0;
}

function inWords(request: ContactsImport, { rejected_file, ...counts }: RowsImported, milliseconds: number): string {
  const imported = request.isDryRun ? 'would be imported' : 'were imported';
  const lines = [
    `From ${request.file} to list ${request.listId}, in ${duration(milliseconds / 1_000)}`,
    ...Object.entries(counts).map(([name, number]) => `  ${name.padEnd(12)}  ${formatCount(number)}`),
    ...(rejected_file === null ? [] : ['', `Rejected rows, with reasons: ${rejected_file}`]),
    ...(counts.incomplete === 0 ? [] : [`Rows that ${imported} without a field: ${formatCount(counts.incomplete)}`]),
    ...(request.isDryRun ? ['', 'Dry run: nothing was imported.'] : []),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}
