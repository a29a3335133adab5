/** `audience email report`: a mail server hands a bounce or a complaint to the service. */
import { z } from 'zod';
import { reportOutcomes } from '../../bounces/take-report.js';
import type { Command } from 'commander';
import { CommandFailedError, UsageError } from '../../failures.js';
import type { CommandLine } from '../shared/command-line.js';
import { withExamples } from '../shared/options.js';
import { demandService } from '../shared/through-service.js';

/** Bytes that the service takes. What is read of a report stands at its beginning. */
const most = 1024 * 1024;

export function registerReport(email: Command, line: CommandLine): void {
  const report = email
    .command('report')
    .description('hands a bounce or complaint on standard input to the service; 75: the mail server is to try again')
    // Not required, because what is read from standard input must be read to its end first.
    .argument('[recipient]', 'whom the mail server got it for')
    .action((recipient: string | undefined) => send(recipient, line));
  withExamples(report, ['audience email report bounce+eml_01J….abcdefghijklmnop@mail.example.com']);
}

const taken = z.object({ outcome: z.enum(reportOutcomes), email_id: z.string().nullable() });

async function send(recipient: string | undefined, line: CommandLine): Promise<void> {
  const bytes = await bytesOf(line.stdin);
  if (recipient === undefined || recipient.trim() === '')
    throw new UsageError('Name the address to which the report was sent');
  const service = await demandService(line, ', and none is named with --url or AUDIENCE_URL.');
  // No return path has other characters.
  const headers = { 'x-envelope-to': recipient.replaceAll(/[^\x20-\x7e]/g, '?') };
  const answer = await service.ask({ method: 'POST', path: '/v1/email/reports', body: bytes, headers });
  const { status, data, message } = answer;
  if (status < 200 || status > 299)
    throw new CommandFailedError(message === '' ? `The service answered ${status}.` : message, { type: 'refused' });
  const { outcome, email_id } = taken.parse(data);
  await line.stdout.write(line.json ? `${JSON.stringify(data)}\n` : `${outcome} ${email_id ?? '-'}\n`);
}

/** Read to its end: a mail server takes a pipe that breaks for a failure. */
async function bytesOf(stdin: CommandLine['stdin']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    if (size < most) chunks.push(Buffer.from(chunk));
    size += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, most);
}
