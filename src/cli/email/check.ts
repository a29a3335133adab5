/** `audience email check`: what the mail server says to this service, step by step. */
import type { Command } from 'commander';
import { z } from 'zod';
import { isAddress } from '../../events/address.js';
import { createSerialQueue } from '../../flow/serial.js';
import type { CheckStep, MailSettings } from '../../mailer/check.js';
import type { Mail } from '../../mailer/transport.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { printable } from '../../events/printable.js';
import { withExitCode } from '../shared/exit-code.js';
import { reasonOf, withExamples } from '../shared/options.js';

export function registerCheck(email: Command, line: CommandLine): void {
  const check = email
    .command('check')
    .description('what the mail server says, step by step; and the DNS record of DKIM')
    .argument('[address]', 'where to send one test e-mail; without it, nothing is sent')
    .option('--from <address>', 'its sender; default: the user in SMTP_URL, if that is an address, else the recipient')
    .action(withExitCode(line, (to: string | undefined, options: unknown) => checkEach(to, options, line)));
  withExamples(check, ['audience email check', 'audience email check me@example.com --from news@example.com']);
}

const optionsSchema = z.object({ from: z.string().optional() });

/** @throws UsageError, CommandFailedError */
async function checkEach(to: string | undefined, options: unknown, line: CommandLine): Promise<ExitCode> {
  const { from } = optionsSchema.parse(options);
  if (from !== undefined && to === undefined) throw new UsageError('--from needs an address to send to');
  for (const address of [to, from])
    if (address !== undefined && !isAddress(address))
      throw new UsageError(`This is not a valid email address${reasonOf(address)}`);
  const settings = line.mailSettings();
  if (settings === undefined)
    throw new CommandFailedError(
      'SMTP_URL is not set: e-mails are written into the folder outbox of the data folder.',
      {
        type: 'no_mail_server',
      },
    );
  const mail = to === undefined ? undefined : await testMail({ to, from }, settings, line);
  return (await tellSteps(settings, mail, line)) ? 0 : 1;
}

async function tellSteps(settings: MailSettings, mail: Mail | undefined, line: CommandLine): Promise<boolean> {
  // Large, and needed by this command only.
  const { checkMailServer, longestGreetingMs } = await import('../../mailer/check.js');
  const { names, signal, stdout, stderr, json } = line;
  const { host, port } = settings.server;
  const queue = createSerialQueue();
  const written: Promise<void>[] = [];
  const onStep = (step: CheckStep): void => {
    const write = queue.run(async () => {
      await stdout.write(json ? `${JSON.stringify(step)}\n` : inLines(step));
      if (step.step === 'DNS' && step.ok)
        stderr.write(`Waiting for the greeting of ${host}:${port}, at most ${longestGreetingMs / 60_000} minutes.\n`);
    });
    // The last await throws the failure.
    write.catch(() => undefined);
    written.push(write);
  };
  const isWell = await checkMailServer({ settings, names, mail, onStep, signal });
  await Promise.all(written);
  return isWell;
}

interface Parties {
  readonly to: string;
  readonly from: string | undefined;
}

async function testMail({ to, from }: Parties, { server, dkim }: MailSettings, line: CommandLine): Promise<Mail> {
  const { composeMail } = await import('../../mailer/message.js');
  const user = server.auth?.user ?? '';
  const message = {
    from_email: from ?? (isAddress(user) ? user : to),
    to_email: to,
    subject: 'Test e-mail of audience-ledger',
    mail_template: '<p>This e-mail was sent by <code>audience email check</code>. It arrived.</p>',
  };
  const email_id = `check_${line.place().newUuid()}`;
  return await composeMail({ email_id, requested_at: new Date(line.clock()).toISOString(), message }, { dkim });
}

function inLines({ step, ok, said }: CheckStep): string {
  const lines = [`${ok ? 'ok' : 'NO'}  ${step}`, ...said.map((text) => `      ${text}`)];
  return lines.map((text) => `${printable(text)}\n`).join('');
}
