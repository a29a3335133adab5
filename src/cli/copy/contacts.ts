/** `audience import contacts`: a CSV file into a list, through the running service. */
import { Option, type Command } from 'commander';
import path from 'node:path';
import { z } from 'zod';
import { delimiters, encodings } from '../../copy/csv-file.js';
import { importContacts, type ContactsImport, type ContactsImported } from '../../copy/contacts.js';
import { nameKey } from '../../events/catalogues.js';
import { CommandFailedError } from '../../failures.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { copyOnTerminal } from './on-terminal.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { formatCount, duration } from '../shared/numbers.js';
import type { ServiceAnswer, ServiceClient } from '../shared/service-client.js';
import { demandService, itemsFrom } from '../shared/through-service.js';

const optionsSchema = z.object({
  list: z.string(),
  map: z.array(z.string()).default([]),
  status: z.string().optional(),
  encoding: z.enum(encodings),
  delimiter: z.enum(delimiters),
  dryRun: z.boolean().default(false),
  resubscribe: z.boolean().default(false),
});

export function registerImportContacts(group: Command, line: CommandLine): void {
  const command = group
    .command('contacts')
    .description('saves the contacts of a CSV file in a list, through the running service')
    .argument('<file>', 'CSV; its first line names the columns')
    .requiredOption('--list <list>', 'id or name of the list')
    .option('--map <column=field...>', 'what a column is, where its name does not say so')
    .addOption(new Option('--status <status>', 'of rows that have none').choices(['Subscribed', 'Unsubscribed']))
    .addOption(new Option('--encoding <name>', 'of the file').choices(encodings).default('utf-8'))
    .addOption(new Option('--delimiter <sign>', 'between cells').choices(delimiters).default(','))
    .option('--resubscribe', 'also subscribes people who have unsubscribed')
    .option('--dry-run', 'checks every row, and writes nothing but the report of rejected rows')
    .action(
      withExitCode(line, (file: unknown, options: unknown) => {
        const { dryRun: isDryRun, ...rest } = optionsSchema.parse(options);
        return run(line, { file: z.string().parse(file), isDryRun, ...rest });
      }),
    );
  withExamples(command, [
    'audience import contacts people.csv --list News --status Subscribed --dry-run',
    "audience import contacts people.csv --list lst_01J… --map 'Mail privat=email' 'Notes='",
  ]);
}

type ImportByListName = Omit<ContactsImport, 'listId'> & { readonly list: string };

async function run(line: CommandLine, { list, ...options }: ImportByListName): Promise<ExitCode> {
  const find = () => demandService(line, ': contacts are imported through it.');
  const found = await find();
  const request = { ...options, listId: await idOfList(list, found) };
  const name = found.isNamed ? found.url : path.resolve(line.place().dataDir);
  let service: Promise<ServiceClient> | undefined = Promise.resolve(found);
  async function send(target: string, body: string): Promise<ServiceAnswer> {
    // Where it has failed it may have been started again, on another port.
    const current = (service ??= find());
    try {
      return await (await current).ask({ method: 'POST', path: target, body });
    } catch (error) {
      if (service === current) service = undefined;
      throw error;
    }
  }
  const { result, milliseconds } = await copyOnTerminal(
    line,
    (options) => importContacts(request, { ...options, service: name, send }),
    'bytes',
  );
  const { file, listId: list_id, isDryRun: dry_run } = request;
  const outcome = dry_run ? 'checked' : 'imported';
  const report = { outcome, file, list_id, dry_run, ...result, milliseconds: Math.round(milliseconds) };
  await line.stdout.write(line.json ? `${JSON.stringify(report)}\n` : inWords(request, result, milliseconds));
  return result.rejected > 0 ? 1 : 0;
}

const listSchema = z.object({ list_id: z.string(), list_name: z.string() });

/** @throws CommandFailedError there is no list of this name */
async function idOfList(list: string, service: ServiceClient): Promise<string> {
  if (list.startsWith('lst_')) return list;
  const lists = await itemsFrom(service, '/v1/lists?limit=200', { item: listSchema });
  const found = lists.find(({ list_name }) => nameKey(list_name) === nameKey(list));
  if (found !== undefined) return found.list_id;
  throw new CommandFailedError(`There is no list ${list}.`, { type: 'unknown_list' });
}

function inWords(
  request: ContactsImport,
  { rejected_file, ...counts }: ContactsImported,
  milliseconds: number,
): string {
  const lines = [
    `From ${request.file} to list ${request.listId}, in ${duration(milliseconds / 1_000)}`,
    ...Object.entries(counts).map(([name, number]) => `  ${name.padEnd(12)}  ${formatCount(number)}`),
    ...(rejected_file === null ? [] : ['', `Rejected rows, with reasons: ${rejected_file}`]),
    ...(request.isDryRun ? ['', 'Dry run: nothing was imported.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}
