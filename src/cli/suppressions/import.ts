/** `audience suppressions import`: the addresses of a CSV file that refuse mail, through the running service. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { refusalLines } from '../../copy/contact-columns.js';
import { importRows, type HeaderRow } from '../../copy/rows.js';
import { everyMail, suppressionReasons } from '../../events/suppressions.js';
import { CommandFailedError } from '../../failures.js';
import { csvOptions, demandListPlace, withCsvOptions } from '../shared/csv-options.js';
import { copyOnTerminal } from '../shared/on-terminal.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { withExitCode } from '../shared/exit-code.js';
import { idOfList, importingService } from '../shared/importing-service.js';
import { duration, formatCount } from '../shared/numbers.js';
import { withExamples } from '../shared/options.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({
  column: z.string(),
  reason: z.enum(suppressionReasons),
  scope: z.string(),
  ...csvOptions,
});

export function registerSuppressionsImport(suppressions: Command, line: CommandLine): void {
  const command = suppressions
    .command('import')
    .description('refuses mail to every address of a CSV file; a repeat changes nothing')
    .argument('<file>', 'CSV; its first line names the columns')
    .requiredOption('--column <name>', 'the column with the addresses; the others are not read')
    .addOption(new Option('--reason <reason>', 'why mail is refused').choices(suppressionReasons).makeOptionMandatory())
    .option('--scope <scope>', 'all, or id or name of a list', everyMail)
    .action(
      withExitCode(line, (file: unknown, options: unknown) =>
        run(line, { file: z.string().parse(file), ...optionsSchema.parse(options) }),
      ),
    );
  withCsvOptions(command);
  withExamples(command, [
    'audience suppressions import unsubscribed.csv --column email --reason unsubscribe',
    'audience suppressions import bounced.csv --column "E-Mail" --reason hard_bounce --scope News',
  ]);
}

type ImportRequest = z.output<typeof optionsSchema> & { readonly file: string };

async function run(
  line: CommandLine,
  { column, reason, scope: named, force, ...csv }: ImportRequest,
): Promise<ExitCode> {
  const { found, name, send } = await importingService(line, ': suppressions are imported through it.');
  const scope = named === everyMail ? named : await idOfList(named, found);
  const refusal = { reason, scope };
  const rows = {
    ...csv,
    isDryRun: false,
    path: '/v1/suppressions',
    unknown: new CommandFailedError('The service has no suppressions, so it is of another version than this command.'),
    settings: { suppressions: refusal, column, ...csv },
    linesFor: (header: HeaderRow) => refusalLines(header, column, refusal),
  };
  const { result, milliseconds } = await copyOnTerminal(
    line,
    (options) => importRows(rows, { ...options, service: name, send, demandPlace: demandListPlace(force) }),
    'bytes',
  );
  const { rows: count, created, unchanged, rejected, rejected_file } = result;
  const counts = { rows: count, created, unchanged, rejected };
  const report = { outcome: 'imported', file: csv.file, ...refusal, ...counts, rejected_file };
  const lines = [
    `From ${csv.file}, in ${duration(milliseconds / 1_000)}`,
    ...Object.entries(counts).map(([what, number]) => `  ${what.padEnd(12)}  ${formatCount(number)}`),
    ...(rejected_file === null ? [] : ['', `Rejected rows, with reasons: ${rejected_file}`]),
  ];
  const json = { ...report, milliseconds: Math.round(milliseconds) };
  await line.stdout.write(line.json ? `${JSON.stringify(json)}\n` : `${lines.map(printable).join('\n')}\n`);
  return rejected > 0 ? 1 : 0;
}
