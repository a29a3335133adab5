/** `audience keys`: creates, lists, rotates and revokes API keys, through the running service. */
import type { Command } from 'commander';
import { z } from 'zod';
import { parseTime } from '../../audit/times.js';
import { scopes } from '../../events/keys.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import type { CommandLine } from '../shared/command-line.js';
import { withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import type { ServiceClient } from '../shared/service-client.js';
import { writeItems } from '../shared/table.js';
import { changeEach, demandService, itemsFrom } from '../shared/through-service.js';

export function registerKeys(program: Command, line: CommandLine): void {
  const keys = program.command('keys').description('API keys: create, list, rotate, revoke');
  const create = keys
    .command('create')
    .description('creates a key; its secret is written once, to standard output')
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--scopes <scopes...>', `what it may do: ${scopes.join(', ')}`)
    .option('--expires <time>', 'when it ends: a duration such as 90d, or a date and time. Default: never')
    .action((options: unknown) => createKey(createOptions.parse(options), line));
  withExamples(create, [
    'audience keys create --name shop --scopes contacts:write email:write --expires 90d',
    'KEY=$(audience keys create --name auditor --scopes audit:read)',
  ]);
  const list = keys
    .command('list')
    .description('all keys, revoked ones too; no secrets')
    .action(() => listKeys(line));
  withExamples(list, ['audience keys list', 'audience keys list --json']);
  const rotate = keys
    .command('rotate')
    .description('gives a key a new secret, written once, to standard output')
    .argument('<id>', 'id of the key')
    .option('--overlap <duration>', 'how long the secret before holds, too, such as 2h; 0: it ends at once', '24h')
    .action((id: string, options: unknown) => rotateKey(id, rotateOptions.parse(options), line));
  withExamples(rotate, ['audience keys rotate key_01J…', 'audience keys rotate key_01J… --overlap 0']);
  const revoke = keys
    .command('revoke')
    .description('refuses keys from now on, for ever')
    .argument('<id...>', 'ids of keys')
    .option('--reason <text>', 'why; nothing personal, it stays in the log')
    .action(
      withExitCode(line, async (ids: readonly string[], options: unknown) => {
        const change = { service: await running(line), pathOf: (id: string) => `/v1/keys/${id}/revoke`, unknown };
        return await changeEach(ids, { ...change, body: revokeOptions.parse(options) }, line);
      }),
    );
  withExamples(revoke, ['audience keys revoke key_01J… --reason leaked']);
}

const unknown = 'There is no key of this id';

/** @throws CommandFailedError no service runs */
const running = (line: CommandLine): Promise<ServiceClient> =>
  demandService(line, '. Start it: only the service knows and changes keys.');

const createOptions = z.object({ name: z.string(), scopes: z.array(z.string()), expires: z.string().optional() });
const rotateOptions = z.object({ overlap: z.string() });
const revokeOptions = z.object({ reason: z.string().optional() });

async function createKey(options: z.output<typeof createOptions>, line: CommandLine): Promise<void> {
  const { name, expires } = options;
  const wanted = options.scopes.flatMap((text) => text.split(','));
  const duration = secondsIn(expires ?? '');
  const isTime = expires === undefined || (/T/i.test(expires) && parseTime(expires, 'end') !== undefined);
  if (duration === undefined && !isTime)
    throw new UsageError('--expires must be a duration such as 90d, or an ISO 8601 date and time with its zone');
  const expires_at = duration === undefined ? expires : new Date(line.clock() + duration * 1_000).toISOString();
  const { key_id } = await secretFrom('/v1/keys', { name, scopes: wanted, expires_at }, line);
  line.stderr.write(`${key_id} was created. Its secret is shown this once.\n`);
}

async function rotateKey(id: string, { overlap }: z.output<typeof rotateOptions>, line: CommandLine): Promise<void> {
  const overlap_seconds = secondsIn(overlap);
  if (overlap_seconds === undefined || overlap_seconds > longestOverlap)
    throw new UsageError('--overlap must be a duration such as 24h or 30m of at most 30d, or 0');
  const path = `/v1/keys/${encodeURIComponent(id)}/rotate`;
  const { key_id, previous_until } = await secretFrom(path, { overlap_seconds }, line);
  const before = overlap_seconds === 0 ? 'has ended' : `holds until ${previous_until}`;
  line.stderr.write(`${key_id} has a new secret, shown this once. The one before ${before}.\n`);
}

const longestOverlap = 30 * 86_400;
const unitSeconds = new Map(Object.entries({ s: 1, m: 60, h: 3_600, d: 86_400 }));

/** Of `90d`, `24h`, `30m`, `10s`, or `0`; undefined: that is no duration. */
export function secondsIn(text: string): number | undefined {
  if (text === '0') return 0;
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (unitSeconds.get(unit) ?? NaN);
}

const issued = z.object({ key_id: z.string(), secret: z.string(), previous_until: z.string().optional() });

/** Standard output is the secret and nothing else, so that a script can take it. */
async function secretFrom(path: string, body: object, line: CommandLine): Promise<z.output<typeof issued>> {
  const service = await running(line);
  const { status, data, message } = await service.ask({ method: 'POST', path, body });
  if (status !== 200) throw new CommandFailedError(status === 404 ? unknown : message, { type: 'refused' });
  const key = issued.parse(data);
  await line.stdout.write(line.json ? `${JSON.stringify(data)}\n` : `${key.secret}\n`);
  return key;
}

const titles = ['key_id', 'name', 'state', 'scopes', 'created_at', 'expires_at', 'last_used_at'];
const shownKey = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()]));

async function listKeys(line: CommandLine): Promise<void> {
  const keys = await itemsFrom(await running(line), '/v1/keys?limit=200', { item: shownKey, terminal: line });
  await writeItems(line, keys, { titles, rowOf: (key) => titles.map((title) => [key[title] ?? '-'].flat().join(' ')) });
}
