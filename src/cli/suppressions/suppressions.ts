/** `audience suppressions`: addresses that refuse mail: list, add, release, import from a CSV file; through the running service. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { everyMail, suppressionReasons } from '../../events/suppressions.js';
import { CommandFailedError } from '../../failures.js';
import type { CommandLine } from '../shared/command-line.js';
import { idOfList } from '../shared/importing-service.js';
import { limit, limitOption, parseAddressArgument, withExamples } from '../shared/options.js';
import type { ServiceClient } from '../shared/service-client.js';
import { writeItems } from '../shared/table.js';
import { demandService, itemsFrom } from '../shared/through-service.js';
import { registerSuppressionsImport } from './import.js';

const reasonOption = (): Option =>
  new Option('--reason <reason>', 'why mail is refused').choices(suppressionReasons).makeOptionMandatory();
const scopeOption = (): Option => new Option('--scope <scope>', 'all, or id or name of a list').default(everyMail);
const noteOption = (): Option => new Option('--note <text>', 'what is known about it; it is erased with the person');

export function registerSuppressions(program: Command, line: CommandLine): void {
  const suppressions = program
    .command('suppressions')
    .description('addresses that refuse mail: list, add, release, import');
  const list = suppressions
    .command('list')
    .description('who refuses mail, and since when; of erased persons without the address')
    .addOption(new Option('--reason <reason>', 'only for this reason').choices(suppressionReasons))
    .option('--scope <scope>', 'only of this scope: all, or id or name of a list')
    .addOption(limitOption())
    .action((options: unknown) => show(listOptions.parse(options), line));
  withExamples(list, [
    'audience suppressions list --reason complaint',
    'audience suppressions list --scope News --json',
  ]);
  const add = suppressions
    .command('add')
    .description('refuses mail to an address')
    .argument('<address>', 'the e-mail address')
    .addOption(reasonOption())
    .addOption(scopeOption())
    .addOption(noteOption())
    .action((address: string, options: unknown) => addOne(address, addOptions.parse(options), line));
  withExamples(add, [
    'audience suppressions add ada@example.com --reason manual --note "by phone"',
    'audience suppressions add ada@example.com --reason unsubscribe --scope News',
  ]);
  const release = suppressions
    .command('release')
    .description('lets mail of a scope go to an address again')
    .argument('<address>', 'the e-mail address')
    .requiredOption('--scope <scope>', 'all, or id or name of a list')
    .requiredOption('--reason <code>', 'why: 1 to 40 of a-z, 0-9 and _; it stays in the log')
    .addOption(noteOption())
    .action((address: string, options: unknown) => releaseOne(address, addOptions.parse(options), line));
  withExamples(release, ['audience suppressions release ada@example.com --scope all --reason asked_by_phone']);
  registerSuppressionsImport(suppressions, line);
}

const listOptions = z.object({ reason: z.string().optional(), scope: z.string().optional(), limit });
const addOptions = z.object({ reason: z.string(), scope: z.string(), note: z.string().optional() });

const running = (line: CommandLine): Promise<ServiceClient> =>
  demandService(line, '. Start it: what is refused is asked and changed through it.');

/** @throws CommandFailedError there is no list of this name */
const scopeIn = async (scope: string, service: ServiceClient): Promise<string> =>
  scope === everyMail ? scope : await idOfList(scope, service);

const active = z.array(z.object({ scope: z.string(), reason: z.string(), since: z.string() }));
const listed = z.object({ email: z.string().nullable(), active });

async function show({ reason, scope, limit: most }: z.output<typeof listOptions>, line: CommandLine): Promise<void> {
  const service = await running(line);
  const wanted = { reason, scope: scope === undefined ? undefined : await scopeIn(scope, service) };
  const query = Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [`&${name}=${value}`]));
  const items = await itemsFrom(service, `/v1/suppressions?limit=200${query.join('')}`, {
    ...{ item: listed, most },
    terminal: line,
  });
  if (line.json) return await writeItems(line, items, { titles: [], rowOf: () => [] });
  const rows = items.flatMap((item) => item.active.map((entry) => ({ email: item.email ?? '(erased)', ...entry })));
  const titles = ['email', 'scope', 'reason', 'since'];
  await writeItems(line, rows, {
    titles,
    rowOf: ({ email, ...entry }) => [email, entry.scope, entry.reason, entry.since],
  });
}

const changed = z.object({ outcome: z.string(), active });

interface Change {
  readonly path: string;
  readonly scope: string;
  readonly body: object;
}

/** Writes the outcome, and below it what is refused afterwards. @throws CommandFailedError with what the service says */
async function change({ path, scope: named, body }: Change, line: CommandLine): Promise<void> {
  const service = await running(line);
  const scope = await scopeIn(named, service);
  const { status, data, message } = await service.ask({ method: 'POST', path, body: { ...body, scope } });
  if (status !== 200)
    throw new CommandFailedError(status === 404 ? `There is no list ${named}.` : message, { type: 'refused' });
  const answer = changed.parse(data);
  const now = answer.active.map((one) => `  ${one.scope}  ${one.reason}  since ${one.since}`);
  const left = now.length === 0 ? 'No mail to the address is refused.' : 'Mail to the address is refused in:';
  const words = [`Outcome: ${answer.outcome}. ${left}`, ...now];
  await line.stdout.write(line.json ? `${JSON.stringify(data)}\n` : `${words.join('\n')}\n`);
}

async function addOne(address: string, options: z.output<typeof addOptions>, line: CommandLine): Promise<void> {
  const { scope, ...more } = options;
  await change({ path: '/v1/suppressions', scope, body: { email: parseAddressArgument(address), ...more } }, line);
}

async function releaseOne(address: string, options: z.output<typeof addOptions>, line: CommandLine): Promise<void> {
  const { scope, ...more } = options;
  const body = { email: parseAddressArgument(address), ...more };
  await change({ path: '/v1/suppressions/release', scope, body }, line);
}
