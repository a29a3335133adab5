/** `audience keys`: creates, lists, rotates and revokes API keys, through the running service. */
import type { Command } from 'commander';
import { z } from 'zod';
import { scopes } from '../../events/scopes.js';
import { CommandFailedError, UsageError } from '../../transfer/failures.js';
import { paintFor } from '../colours.js';
import type { CommandLine } from '../command-line.js';
import { demandService } from '../demand-service.js';
import { withExamples } from '../program.js';
import type { ServiceAnswer, ServiceClient, ServiceRequest } from '../service-client.js';
import { table } from '../table.js';

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
    .action((ids: readonly string[], options: unknown) => revokeKeys(ids, revokeOptions.parse(options), line));
  withExamples(revoke, ['audience keys revoke key_01J… --reason leaked']);
}

const createOptions = z.object({ name: z.string(), scopes: z.array(z.string()), expires: z.string().optional() });
const rotateOptions = z.object({ overlap: z.string() });
const revokeOptions = z.object({ reason: z.string().optional() });

async function createKey(options: z.output<typeof createOptions>, line: CommandLine): Promise<void> {
  const { name, expires } = options;
  const wanted = options.scopes.flatMap((text) => text.split(','));
  const duration = secondsIn(expires ?? '');
  // What is no time either is refused by the service.
  const expires_at = duration === undefined ? expires : new Date(line.clock() + duration * 1_000).toISOString();
  const body = { name, scopes: wanted, expires_at };
  const { key_id } = await secretFrom({ method: 'POST', path: '/v1/keys', body }, line);
  line.stderr.write(`${key_id} was created. Its secret is shown this once.\n`);
}

async function rotateKey(id: string, { overlap }: z.output<typeof rotateOptions>, line: CommandLine): Promise<void> {
  const overlap_seconds = secondsIn(overlap);
  if (overlap_seconds === undefined) throw new UsageError('--overlap must be a duration such as 24h or 30m, or 0');
  const path = `/v1/keys/${encodeURIComponent(id)}/rotate`;
  const { key_id, previous_until } = await secretFrom({ method: 'POST', path, body: { overlap_seconds } }, line);
  const before = overlap_seconds === 0 ? 'has ended' : `holds until ${previous_until}`;
  line.stderr.write(`${key_id} has a new secret, shown this once. The one before ${before}.\n`);
}

const unitSeconds = new Map(Object.entries({ s: 1, m: 60, h: 3_600, d: 86_400 }));

/** Of `90d`, `24h`, `30m`, `10s`, or `0`; undefined: that is no duration. */
export function secondsIn(text: string): number | undefined {
  if (text === '0') return 0;
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (unitSeconds.get(unit) ?? NaN);
}

const issued = z.object({ key_id: z.string(), secret: z.string(), previous_until: z.string().optional() });

/** Standard output is the secret and nothing else, so that a script can take it. */
async function secretFrom(request: ServiceRequest, line: CommandLine): Promise<z.output<typeof issued>> {
  const ask = await asking(line);
  const data = accepted(await ask(request));
  const key = issued.parse(data);
  await line.stdout.write(line.json ? `${JSON.stringify(data)}\n` : `${key.secret}\n`);
  return key;
}

/** One by one: a refusal does not keep the others from being revoked. */
async function revokeKeys(ids: readonly string[], body: object, line: CommandLine): Promise<void> {
  const ask = await asking(line);
  for (const id of ids) {
    const path = `/v1/keys/${encodeURIComponent(id)}/revoke`;
    const { status, data, message } = await ask({ method: 'POST', path, body });
    if (status === 200) await line.stdout.write(line.json ? `${JSON.stringify(data)}\n` : `${id}: revoked\n`);
    else {
      line.exitWith(1);
      line.stderr.write(`${id}: ${message}\n`);
    }
  }
}

const titles = ['key_id', 'name', 'state', 'scopes', 'created_at', 'expires_at', 'last_used_at'];
const shownKeys = z.array(z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])));

async function listKeys(line: CommandLine): Promise<void> {
  const ask = await asking(line);
  const found: z.output<typeof shownKeys> = [];
  let next: string | undefined = '';
  while (next !== undefined) {
    const answer: ServiceAnswer = await ask({ method: 'GET', path: `/v1/keys?limit=200${next}` });
    found.push(...shownKeys.parse(accepted(answer)));
    const { nextCursor } = answer;
    next = nextCursor === undefined ? undefined : `&cursor=${encodeURIComponent(nextCursor)}`;
  }
  const { stdout, env } = line;
  const rows = found.map((key) => titles.map((title) => [key[title] ?? '-'].flat().join(' ')));
  await stdout.write(
    line.json
      ? found.map((key) => `${JSON.stringify(key)}\n`).join('')
      : table(rows, { titles, width: stdout.columns, emphasise: paintFor(stdout, env).bold }),
  );
}

/** @throws CommandFailedError with what the service says */
function accepted({ status, data, message }: ServiceAnswer): unknown {
  if (status === 200) return data;
  throw new CommandFailedError(message, { type: 'refused' });
}

/** @throws CommandFailedError no service runs */
async function asking(line: CommandLine): Promise<ServiceClient['ask']> {
  const service = await demandService(line, '. Start it: only the service knows and changes keys.');
  return async (request) => {
    const answer = await service.ask(request);
    return answer.status === 404 ? { ...answer, message: 'There is no key of this id' } : answer;
  };
}
