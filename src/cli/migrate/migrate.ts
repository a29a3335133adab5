/** `audience migrate`: what `npm run migrate` does, by its other name. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';

const optionsSchema = z.object({
  from: z.string(),
  to: z.string(),
  prefix: z.string().optional(),
  dryRun: z.boolean().default(false),
});

export function registerMigrate(program: Command, line: CommandLine): void {
  const command = program
    .command('migrate')
    .description('copies the event log into another store and compares the two')
    .requiredOption('--from <log>', 'a data folder, or an address that begins with esdb://; nothing is written there')
    .requiredOption('--to <log>', 'where the events go: empty, or left there by an earlier run')
    .option('--prefix <prefix>', 'of the stream names in EventStoreDB (EVENTSTORE_PREFIX, else audience_)')
    .option('--dry-run', 'checks both logs and says what would be copied')
    .action((options: unknown) => run(optionsSchema.parse(options), line));
  withExamples(command, [
    "audience migrate --from ./data --to 'esdb://admin:changeit@db.example:2113'",
    'audience migrate --from ./data --to ./copy --dry-run',
  ]);
}

async function run({ from, to, prefix, dryRun }: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  // The driver of a server is loaded for those alone who need it.
  const [{ readArguments }, { migrate }] = await Promise.all([import('./arguments.js'), import('./run.js')]);
  const words = [`--from=${from}`, `--to=${to}`, ...(prefix === undefined ? [] : [`--prefix=${prefix}`])];
  const migration = readArguments(words, line.env);
  if (migration !== undefined) line.exitWith(await migrate({ ...migration, isDryRun: dryRun, json: line.json }, line));
}
