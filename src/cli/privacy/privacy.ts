/** `audience privacy`: exports what is stored about a person, erases a person, and shows how far erasures are. */
import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { reasonForm } from '../../events/erasures.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { wouldGo } from '../../privacy/person-in-stores.js';
import { parseAddressArgument, withExamples } from '../shared/options.js';
import type { CommandLine } from '../shared/command-line.js';
import { counted } from '../shared/numbers.js';
import type { ServiceAnswer } from '../shared/service-client.js';
import { demandService } from '../shared/through-service.js';
import { whileOpen } from '../shared/while-open.js';
import { registerPrivacyExport } from './export.js';
import { registerReapply } from './reapply.js';
import { registerPrivacyRetention } from './retention.js';
import { registerStatus } from './status.js';

export function registerPrivacy(program: Command, line: CommandLine): void {
  const privacy = program.command('privacy').description('what is stored about a person, and erasing them');
  registerPrivacyExport(privacy, line);
  const erase = privacy
    .command('erase')
    .description('erases all that is stored about an address, through the running service, and waits until it is done')
    .argument('<address>', 'the e-mail address')
    .option('--reason <code>', 'why: 1 to 40 of a-z, 0-9 and _; it stays in the log')
    .option('--forget-suppression', 'mail to the address is no longer refused; default: what the person refused stays')
    .option('--dry-run', 'counts what would go, and changes nothing')
    .option('--no-wait', 'ends when the request is stored')
    .action((address: string, options: unknown) => eraseAddress(address, eraseOptions.parse(options), line));
  withExamples(erase, [
    'audience privacy erase ada@example.com --dry-run',
    'audience privacy erase ada@example.com --reason requested',
    'audience privacy erase ada@example.com --forget-suppression',
  ]);
  registerStatus(privacy, line);
  registerPrivacyRetention(privacy, line);
  registerReapply(privacy, line);
}

const eraseOptions = z.object({
  reason: z.string().optional(),
  forgetSuppression: z.literal(true).optional(),
  dryRun: z.boolean().default(false),
  wait: z.boolean().default(true),
});

const waitMs = 200;

const erasure = z.object({
  erasure_id: z.string(),
  status: z.string(),
  contacts: z.number().nullable(),
  emails: z.number().nullable(),
});

/** @throws UsageError */
function demandCode(reason: string | undefined): void {
  if (reason !== undefined && !reasonForm.test(reason))
    throw new UsageError('--reason must be 1 to 40 of a-z, 0-9 and _');
}

async function eraseAddress(
  address: string,
  { reason, forgetSuppression: forget_suppression, dryRun, wait }: z.output<typeof eraseOptions>,
  line: CommandLine,
): Promise<void> {
  const email = parseAddressArgument(address);
  demandCode(reason);
  if (dryRun) return await showWhatWouldGo(email, line);
  const service = await demandService(line, '. Start it: only the service erases.');
  const erasures = '/v1/privacy/erasures';
  let answer = await service.ask({ method: 'POST', path: erasures, body: { email, reason, forget_suppression } });
  const { erasure_id: id } = erasureIn(answer);
  while (wait && erasureIn(answer).status !== 'completed') {
    await sleep(waitMs, undefined, { signal: line.signal });
    answer = await service.ask({ method: 'GET', path: `${erasures}/${id}` });
  }
  const { status, contacts, emails } = erasureIn(answer);
  const words =
    status === 'completed'
      ? `${id} is completed: ${contacts === 1 ? 'the contact and ' : 'no contact, '}${counted(emails ?? 0, 'e-mail')}.`
      : `${id} is stored, and will be carried through: audience privacy status`;
  await line.stdout.write(line.json ? `${JSON.stringify(answer.data)}\n` : `${words}\n`);
}

async function showWhatWouldGo(email: string, line: CommandLine): Promise<void> {
  await whileOpen(line.place().openLog(), async (log) => {
    const key = (await line.place().streamKeys(log)).contactKey(email);
    const found = await whileOpen(line.place().openViews(), (views) =>
      wouldGo(key, { log, views, outbox: line.place().outbox }),
    );
    const { contact, events, emails, open, files } = found;
    const words = `${contact ? 'A contact' : 'No contact'}, ${counted(events, 'event')} with personal data, ${counted(emails, 'e-mail')} (${open} to be cancelled), ${counted(files, 'file')} of the outbox.`;
    await line.stdout.write(line.json ? `${JSON.stringify(found)}\n` : `${words} Nothing was changed.\n`);
  });
}

/** @throws CommandFailedError with what the service says */
function erasureIn({ status, data, message }: ServiceAnswer): z.output<typeof erasure> {
  if (status === 200 || status === 202) return erasure.parse(data);
  throw new CommandFailedError(message, { type: 'refused' });
}
