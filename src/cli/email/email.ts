/** `audience email`: what became of e-mails, and releasing or cancelling those that wait. */
import { type DeliveryState, deliveryStates, reasonOf } from '../../projections/emails.js';
import { emailsInLog } from '../../projector/emails-in-log.js';
import { toEmailAnswer, type EmailAnswer } from '../../projections/queries.js';
import { changeEach, demandService, itemsFrom } from '../shared/through-service.js';
import { whileOpen } from '../shared/while-open.js';
import type { Command } from 'commander';
import { z } from 'zod';
import { refusalKinds } from '../../events/refusal-kind.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { withExitCode } from '../shared/exit-code.js';
import { limit, limitOption, withExamples } from '../shared/options.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import type { ServiceClient } from '../shared/service-client.js';
import { writeItems } from '../shared/table.js';
import { registerCheck } from './check.js';
import { registerReport } from './report.js';

export function registerEmail(program: Command, line: CommandLine): void {
  const email = program
    .command('email')
    .description('e-mails: what became of them; release, cancel; check the mail server');
  const list = email
    .command('list')
    .description('e-mails by their id, which is by time; no addresses')
    .option('--state <state>', `only these: ${deliveryStates.join(', ')}`)
    .addOption(limitOption())
    .action((options: unknown) => show(filterIn(options), line));
  withExamples(list, ['audience email list --state held', 'audience email list --state deferred --limit 20 --json']);
  const release = email
    .command('release')
    .description('sends e-mails again that are held or have failed')
    .argument('[id...]', 'ids of e-mails')
    .option('--reason <reason>', 'instead of ids: all that are held for this reason, such as auth_failed')
    .option('--failed', 'with --reason: all that have failed for it')
    .action(withExitCode(line, (ids: readonly string[], options: unknown) => releaseEach(ids, options, line)));
  withExamples(release, ['audience email release eml_01J…', 'audience email release --reason auth_failed']);
  const cancel = email
    .command('cancel')
    .description('ends e-mails that are requested, deferred, in_doubt or held')
    .argument('<id...>', 'ids of e-mails')
    .action(
      withExitCode(line, async (ids: readonly string[]) =>
        changeEmails(ids, 'cancel', { service: await serviceOf(line), line }),
      ),
    );
  withExamples(cancel, ['audience email cancel eml_01J…']);
  registerCheck(email, line);
  registerReport(email, line);
}

const serviceOf = (line: CommandLine): Promise<ServiceClient> =>
  demandService(line, '. Start it: only the service changes e-mails.');

interface Through {
  readonly service: ServiceClient;
  readonly line: CommandLine;
}

async function changeEmails(
  ids: readonly string[],
  change: 'release' | 'cancel',
  { service, line }: Through,
): Promise<ExitCode> {
  const pathOf = (id: string): string => `/v1/email/${id}/${change}`;
  return await changeEach(ids, { service, pathOf, unknown: 'There is no e-mail of this id' }, line);
}

const releaseSchema = z.object({ reason: z.string().optional(), failed: z.literal(true).optional() });

/** @throws UsageError, CommandFailedError */
async function releaseEach(given: readonly string[], options: unknown, line: CommandLine): Promise<ExitCode> {
  const { reason, failed } = releaseSchema.parse(options);
  if ((given.length === 0) === (reason === undefined))
    throw new UsageError('Name either ids of e-mails or their --reason');
  if (failed && reason === undefined) throw new UsageError('--failed needs --reason');
  const service = await serviceOf(line);
  const state = failed ? 'failed' : 'held';
  const ids = reason === undefined ? given : await idsByReason({ service, line }, state, reason);
  return await changeEmails(ids, 'release', { service, line });
}

/** The oldest first. @throws CommandFailedError where there are none: it names the reasons that there are */
async function idsByReason(
  { service, line }: Through,
  state: 'held' | 'failed',
  reason: string,
): Promise<readonly string[]> {
  const emails = await emailsOfService(service, { state, limit: Infinity }, line);
  const ids = emails.filter((email) => reasonOf(email) === reason).map(({ email_id }) => email_id);
  if (ids.length > 0) return ids;
  const others = [...new Set(emails.map((email) => reasonOf(email) ?? ''))].sort().join(', ') || 'none';
  throw new CommandFailedError(`No e-mail is ${state} for this reason. Reasons that there are: ${others}.`, {
    type: 'nothing_found',
  });
}

const optionsSchema = z.object({ state: z.string().optional(), limit });

/** @throws UsageError */
function filterIn(options: unknown): EmailFilter {
  const { state: text, ...rest } = optionsSchema.parse(options);
  const state = deliveryStates.find((one) => one === text);
  if (state === undefined && text !== undefined)
    throw new UsageError(`--state must be one of ${deliveryStates.join(', ')}`);
  return { state, ...rest };
}

async function show(filter: EmailFilter, line: CommandLine): Promise<void> {
  const service = await line.service();
  if (service === undefined)
    line.stderr.write('No service runs on this data folder: the e-mails as the log has them.\n');
  const emails = await (service === undefined ? emailsOfLog(line, filter) : emailsOfService(service, filter, line));
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

type Email = EmailAnswer;

interface EmailFilter {
  readonly state: DeliveryState | undefined;
  readonly limit: number;
}

const time = z.string().nullable();
const emailSchema = z.object({
  email_id: z.string(),
  state: z.enum(deliveryStates),
  attempts: z.number(),
  requested_at: z.string(),
  sent_at: time,
  next_attempt_at: time,
  last_error: z.string().nullable(),
  bounced: z
    .object({
      at: z.string(),
      verified: z.boolean(),
      kind: z.enum(refusalKinds),
      enhanced_code: z.string().nullable(),
    })
    .nullable(),
  complained: z.object({ at: z.string(), verified: z.boolean() }).nullable(),
});

/** @throws CommandFailedError */
async function emailsOfService(
  service: ServiceClient,
  { state, limit }: EmailFilter,
  line: CommandLine,
): Promise<readonly Email[]> {
  const filter = state === undefined ? '' : `&state=${state}`;
  return await itemsFrom(service, `/v1/email?limit=${Math.min(200, limit)}${filter}`, {
    item: emailSchema,
    most: limit,
    terminal: line,
  });
}

/** @throws CommandFailedError, StoreUnavailableError */
async function emailsOfLog(line: CommandLine, { state, limit }: EmailFilter): Promise<readonly Email[]> {
  const { documents, unreadable } = await whileOpen(line.place().openLog(), (log) => emailsInLog(log, line.signal));
  if (unreadable > 0)
    line.stderr.write(`${unreadable} e-mails have events that cannot be read: their states may be wrong.\n`);
  return documents
    .filter((email) => state === undefined || email.state === state)
    .slice(0, limit)
    .map(toEmailAnswer);
}
