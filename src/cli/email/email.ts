/** `audience email`: what became of e-mails, and releasing or cancelling those that wait. */
import type { Command } from 'commander';
import { z } from 'zod';
import { UsageError } from '../../failures.js';
import { limit, limitOption } from '../audit/options.js';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import { writeItems } from '../table.js';
import { changeEach, demandService } from '../through-service.js';
import { deliveryStates } from '../../projections/emails.js';
import { emailsInLog, emailsOfService, type Email, type Wanted } from './list.js';

export function registerEmail(program: Command, line: CommandLine): void {
  const email = program.command('email').description('e-mails: what became of them; release, cancel');
  const list = email
    .command('list')
    .description('e-mails by their id, which is by time; no addresses')
    .option('--state <state>', `only these: ${deliveryStates.join(', ')}`)
    .addOption(limitOption())
    .action((options: unknown) => show(wantedIn(options), line));
  withExamples(list, ['audience email list --state held', 'audience email list --state deferred --limit 20 --json']);
  for (const [name, description] of changes) {
    const command = email
      .command(name)
      .description(description)
      .argument('<id...>', 'ids of e-mails')
      .action(async (ids: readonly string[]) => {
        const service = await demandService(line, '. Start it: only the service changes e-mails.');
        const pathOf = (id: string): string => `/v1/email/${id}/${name}`;
        await changeEach(ids, { service, pathOf, unknown: 'There is no e-mail of this id' }, line);
      });
    withExamples(command, [`audience email ${name} eml_01J…`]);
  }
}

const changes = [
  ['release', 'sends e-mails again that are held'],
  ['cancel', 'ends e-mails that are requested, deferred, in_doubt or held'],
] as const;

const optionsSchema = z.object({ state: z.string().optional(), limit });

/** @throws UsageError */
function wantedIn(options: unknown): Wanted {
  const { state: text, ...rest } = optionsSchema.parse(options);
  const state = deliveryStates.find((one) => one === text);
  if (state === undefined && text !== undefined)
    throw new UsageError(`--state must be one of ${deliveryStates.join(', ')}`);
  return { state, ...rest };
}

async function show(wanted: Wanted, line: CommandLine): Promise<void> {
  const service = await line.service();
  if (service === undefined)
    line.stderr.write('No service runs on this data folder: the e-mails as the log has them.\n');
  const emails = await (service === undefined ? emailsInLog(line, wanted) : emailsOfService(service, wanted));
  const titles = ['e-mail', 'state', 'attempts', 'requested', 'next attempt', 'last error'];
  await writeItems(line, emails, { titles, rowOf });
}

const rowOf = ({ email_id, state, attempts, requested_at, next_attempt_at, last_error }: Email): string[] => [
  email_id,
  state,
  String(attempts),
  requested_at,
  next_attempt_at ?? '-',
  last_error ?? '-',
];
