/** `audience keys`: creates, lists, rotates and revokes API keys, through the running service. */
import type { Command } from 'commander';
import { z } from 'zod';
import { scopes } from '../../events/scopes.js';
import { CommandFailedError, UsageError } from '../../transfer/failures.js';
import { paintFor } from '../colours.js';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import type { ServiceAnswer, ServiceClient } from '../service-client.js';
import { table } from '../table.js';
import { durationOf, expiryIn } from './durations.js';

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

const issued = z.object({ key_id: z.string(), secret: z.string(), previous_until: z.string().optional() });

async function createKey(options: z.output<typeof createOptions>, line: CommandLine): Promise<void> {
  const { name, expires } = options;
  const wanted = options.scopes.flatMap((text) => text.split(','));
  const expiry = expires === undefined ? {} : { expires_at: expiryIn(expires, line.clock()) };
  const service = await runningService(line);
  const answer = await service.ask({ method: 'POST', path: '/v1/keys', body: { name, scopes: wanted, ...expiry } });
  const { key_id } = await showSecret(answer, line);
  line.stderr.write(`${key_id} was created. Its secret is shown this once.\n`);
}

async function rotateKey(id: string, options: z.output<typeof rotateOptions>, line: CommandLine): Promise<void> {
  const overlap_seconds = durationOf(options.overlap);
  if (overlap_seconds === undefined) throw new UsageError('--overlap must be a duration such as 24h or 30m, or 0');
  const service = await runningService(line);
  const answer = await service.ask({ method: 'POST', path: pathOf(id, 'rotate'), body: { overlap_seconds } });
  const { key_id, previous_until = '' } = await showSecret(answer, line);
  line.stderr.write(
    `${key_id} has a new secret, shown this once. The one before ${overlap_seconds === 0 ? 'has ended' : `holds until ${previous_until}`}.\n`,
  );
}

/** Standard output is the secret and nothing else, so that a script can take it. */
async function showSecret(answer: ServiceAnswer, line: CommandLine): Promise<z.output<typeof issued>> {
  const key = issued.parse(dataOf(answer));
  await line.stdout.write(line.json ? `${JSON.stringify(answer.data)}\n` : `${key.secret}\n`);
  return key;
}

/** One by one: a refusal does not keep the others from being revoked. */
async function revokeKeys(
  ids: readonly string[],
  body: z.output<typeof revokeOptions>,
  line: CommandLine,
): Promise<void> {
  const service = await runningService(line);
  for (const id of ids) {
    const { status, data, message } = await service.ask({ method: 'POST', path: pathOf(id, 'revoke'), body });
    if (status === 200) await line.stdout.write(line.json ? `${JSON.stringify(data)}\n` : `${id}: revoked\n`);
    else {
      line.exitWith(1);
      line.stderr.write(`${id}: ${status === 404 ? 'There is no key of this id' : message}\n`);
    }
  }
}

const shownKeys = z.array(
  z.looseObject({
    key_id: z.string(),
    name: z.string(),
    state: z.string(),
    scopes: z.array(z.string()),
    created_at: z.string(),
    expires_at: z.string().nullable(),
    last_used_at: z.string().nullable(),
  }),
);

async function listKeys(line: CommandLine): Promise<void> {
  const service = await runningService(line);
  const found: z.output<typeof shownKeys> = [];
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await service.ask({ method: 'GET', path: `/v1/keys?limit=200${next}` });
    found.push(...shownKeys.parse(dataOf(answer)));
    cursor = answer.nextCursor;
  }
  const { stdout, env } = line;
  const titles = ['key', 'name', 'state', 'scopes', 'created', 'expires', 'last used'];
  await stdout.write(
    line.json
      ? found.map((key) => `${JSON.stringify(key)}\n`).join('')
      : table(
          found.map((key) => [
            key.key_id,
            key.name,
            key.state,
            key.scopes.join(' '),
            key.created_at,
            key.expires_at ?? '-',
            key.last_used_at ?? '-',
          ]),
          { titles, width: stdout.columns, emphasise: paintFor(stdout, env).bold },
        ),
  );
}

const pathOf = (id: string, change: string): string => `/v1/keys/${encodeURIComponent(id)}/${change}`;

/** @throws CommandFailedError with what the service says */
function dataOf({ status, data, message }: ServiceAnswer): unknown {
  if (status === 200) return data;
  throw new CommandFailedError(status === 404 ? 'There is no key of this id.' : message, { type: 'refused' });
}

/** @throws CommandFailedError */
async function runningService(line: CommandLine): Promise<ServiceClient> {
  const service = await line.service();
  if (service !== undefined) return service;
  throw new CommandFailedError(
    'No service runs on this data folder. Start it: only the service knows and changes keys.',
    {
      type: 'no_service',
    },
  );
}
