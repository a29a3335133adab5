/** `audience migrate`: copies the event log into another store and compares the two. */
import type { Command } from 'commander';
import { z } from 'zod';
import { UsageError } from '../../failures.js';
import { parseAddress } from '../../copy/endpoints.js';
import { runMigration, type Migration } from '../../copy/copy.js';
import type { Environment } from '../../stores/values-from-files.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { copyLogOnTerminal } from '../shared/on-terminal.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { migratedAsJson, migratedInWords } from './report.js';

const optionsSchema = z.object({
  from: z.string(),
  to: z.string(),
  prefix: z.string().optional(),
  dryRun: z.boolean().default(false),
});

const notes = `
Stop the service first: nothing may write to the log while it is copied, and no
service may use the target before the copy is done.
The same command again goes on where an earlier run was stopped. Afterwards the
service needs the same SECRET as before (the file secret in its data folder).
`;

export function registerMigrate(program: Command, line: CommandLine): void {
  const command = program
    .command('migrate')
    .description('copies the event log into another store and compares the two')
    .requiredOption('--from <log>', 'a data folder, or an address that begins with esdb://; nothing is written there')
    .requiredOption('--to <log>', 'where the events go: empty, or left there by an earlier run')
    .option('--prefix <prefix>', 'of the stream names in EventStoreDB (EVENTSTORE_PREFIX, else audience_)')
    .option('--dry-run', 'checks both logs and says what would be copied')
    .action(withExitCode(line, (options: unknown) => migrate(requestOf(options, line.env), line)))
    .addHelpText('after', notes);
  withExamples(command, [
    "audience migrate --from ./data --to 'esdb://admin:changeit@db.example:2113'",
    "audience migrate --from 'esdb://127.0.0.1:2113?tls=false' --to ./data",
    'audience migrate --from ./data --to ./copy --dry-run',
  ]);
}

/** @throws UsageError */
function requestOf(given: unknown, env: Environment): Migration {
  const options = optionsSchema.parse(given);
  const ambient = env['EVENTSTORE_PREFIX'] ?? '';
  const prefix = options.prefix ?? (ambient === '' ? 'audience_' : ambient);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(prefix)) {
    const origin = options.prefix === undefined ? 'EVENTSTORE_PREFIX' : '--prefix';
    throw new UsageError(`${origin} must be 1 to 64 letters, digits, _ and -`);
  }
  const from = parseAddress('--from', options.from, prefix);
  return { from, to: parseAddress('--to', options.to, prefix), isDryRun: options.dryRun };
}

async function migrate(request: Migration, line: CommandLine): Promise<ExitCode> {
  const copied = await copyLogOnTerminal(line, request, (options) => runMigration(request, options));
  const report = { request, ...copied };
  await line.stdout.write(line.json ? migratedAsJson(report) : migratedInWords(report));
  return copied.result.outcome === 'differs' ? 1 : 0;
}
