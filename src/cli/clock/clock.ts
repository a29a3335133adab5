/** `audience clock`: tells the running service that its clock is right. */
import type { Command } from 'commander';
import { z } from 'zod';
import { CommandFailedError } from '../../failures.js';
import type { CommandLine } from '../shared/command-line.js';
import { withExamples } from '../shared/options.js';
import { demandService } from '../shared/through-service.js';

export function registerClock(program: Command, line: CommandLine): void {
  const clock = program
    .command('clock')
    .description('the clock of the service, and how to trust it again after a jump');
  const confirm = clock
    .command('confirm')
    .description('tells the service that its clock is right, so that the clock is trusted at once')
    .action(() => confirmClock(line));
  withExamples(confirm, ['audience clock confirm']);
}

const confirmed = z.object({ confirmed_at: z.string() });

async function confirmClock(line: CommandLine): Promise<void> {
  const service = await demandService(line, '. Start the service first, because this command is about its clock.');
  const { status, data, message } = await service.ask({ method: 'POST', path: '/v1/clock/confirm', body: {} });
  if (status !== 200) throw new CommandFailedError(message, { type: 'refused' });
  const { confirmed_at } = confirmed.parse(data);
  const text = `The clock of the service is trusted. It shows ${confirmed_at}.\n`;
  await line.stdout.write(line.json ? `${JSON.stringify(data)}\n` : text);
}
