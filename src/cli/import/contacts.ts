/** `audience import contacts`: a CSV file into a list, through the running service. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { encodings } from '../../transfer/csv-file.js';
import { CommandFailedError } from '../../transfer/failures.js';
import { importContacts, type ContactsImport, type ContactsImported } from '../../transfer/import-contacts.js';
import type { CommandLine } from '../command-line.js';
import { copyOnTerminal, type Copied } from '../copying.js';
import { withExamples } from '../program.js';
import { count, duration } from '../progress-bar.js';

const optionsSchema = z.object({
  list: z.string(),
  map: z.array(z.string()).default([]),
  status: z.string().optional(),
  encoding: z.enum(encodings).optional(),
  dryRun: z.boolean().default(false),
  resubscribe: z.boolean().default(false),
});

export function registerImportContacts(group: Command, line: CommandLine): void {
  const command = group
    .command('contacts')
    .description('saves the contacts of a CSV file in a list, through the running service')
    .argument('<file>', 'CSV; its first line names the columns')
    .requiredOption('--list <id>', 'the list')
    .option('--map <column=field...>', 'what a column is, where its name does not say so')
    .addOption(new Option('--status <status>', 'of rows that have none').choices(['Subscribed', 'Unsubscribed']))
    .addOption(new Option('--encoding <name>', 'of the file, where it is not seen right').choices(encodings))
    .option('--resubscribe', 'also subscribes who has unsubscribed')
    .option('--dry-run', 'checks every row, and writes nothing but the report of rejected rows')
    .action((file: unknown, options: unknown) => {
      const { list: listId, dryRun: isDryRun, ...rest } = optionsSchema.parse(options);
      return run(line, { file: z.string().parse(file), listId, isDryRun, ...rest });
    });
  withExamples(command, [
    'audience import contacts people.csv --list lst_01J… --status Subscribed --dry-run',
    "audience import contacts people.csv --list lst_01J… --map 'Mail privat=email' 'Notes='",
  ]);
}

async function run(line: CommandLine, request: ContactsImport): Promise<void> {
  const service = await line.service();
  if (service === undefined)
    throw new CommandFailedError('No service runs on this data folder: contacts are imported through it.', {
      type: 'no_service',
    });
  const { url, sendLines: send } = service;
  const { result, milliseconds } = await copyOnTerminal(
    line,
    (options) => importContacts(request, { ...options, service: url, send }),
    'lines',
  );
  await line.stdout.write(
    line.json ? asJson({ request, result, milliseconds }) : inWords({ request, result, milliseconds }),
  );
  if (result.rejected > 0) line.exitWith(1);
}

type Reported = Omit<Copied<ContactsImport, ContactsImported>, 'advice'>;

function inWords({ request, result, milliseconds }: Reported): string {
  const { file, listId, isDryRun } = request;
  const { rows, created, updated, unchanged, kept_unsubscribed: kept, rejected, encoding, rejectedFile } = result;
  const line = (name: string, number: number, more = ''): string => `  ${name.padEnd(10)}  ${count(number)}${more}`;
  const lines = [
    `From ${file} (${encoding}) to list ${listId}`,
    line('rows', rows, `, in ${duration(milliseconds / 1_000)}`),
    ...(isDryRun
      ? [line('valid', rows - rejected)]
      : [
          line('created', created),
          line('updated', updated),
          line('unchanged', unchanged),
          ...(kept === 0 ? [] : [line('of these', kept, ' unsubscribed before, and stay so: see --resubscribe')]),
        ]),
    line('rejected', rejected, rejectedFile === undefined ? '' : `, see ${rejectedFile}`),
  ];
  if (isDryRun) lines.push('', 'Dry run: nothing was imported.');
  return `${lines.join('\n')}\n`;
}

function asJson({ request, result, milliseconds }: Reported): string {
  const { file, listId: list_id, isDryRun: dry_run } = request;
  const { rejectedFile: rejected_file = null, ...counts } = result;
  const outcome = dry_run ? 'checked' : 'imported';
  return `${JSON.stringify({ outcome, file, list_id, dry_run, ...counts, rejected_file, milliseconds: Math.round(milliseconds) })}\n`;
}
