/** `audience privacy retention`: how many e-mails are kept, and how many are due to be erased. */
import type { Command } from 'commander';
import { z } from 'zod';
import { CommandFailedError, UsageError } from '../../failures.js';
import { countDue, countErased, hasViews } from '../../privacy/retention-counts.js';
import { retainedSince } from '../../privacy/retention.js';
import { ConfigurationError, mostRetainedDays, readRetention } from '../../stores/config.js';
import { wholeNumberIn, withExamples } from '../shared/options.js';
import type { CommandLine } from '../shared/command-line.js';
import { counted } from '../shared/numbers.js';
import { whileOpen } from '../shared/while-open.js';

const optionsSchema = z.object({ days: z.string().optional(), dryRun: z.boolean().default(false) });

export function registerPrivacyRetention(privacy: Command, line: CommandLine): void {
  const command = privacy
    .command('retention')
    .description('how many e-mails are due to be erased by RETAIN_EMAILS, and how many are erased; changes nothing')
    .option('--days <n>', 'in place of RETAIN_EMAILS: what that would mean')
    .option('--dry-run', 'only what is due')
    .action((options: unknown) => retention(optionsSchema.parse(options), line));
  withExamples(command, ['audience privacy retention', 'audience privacy retention --days 365 --dry-run']);
}

async function retention({ days: given, dryRun }: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  const days = given === undefined ? configured(line) : wholeNumberIn('--days', given, mostRetainedDays);
  await whileOpen(line.place().openViews(), async (views) => {
    if (!(await hasViews(views)))
      throw new CommandFailedError('There are no views to count in: start the service once.', { type: 'no_views' });
    const before = days === null ? null : retainedSince(days, line.clock());
    const due = before === null ? 0 : await countDue(views, before);
    const erased = dryRun ? {} : { erased: await countErased(views) };
    const counts = { days, before, due, ...erased };
    await line.stdout.write(line.json ? `${JSON.stringify(counts)}\n` : inWords(counts));
  });
}

/** Null: e-mails are kept for ever. */
function configured({ env }: CommandLine): number | null {
  try {
    return readRetention(env) || null;
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
}

interface Counts {
  readonly days: number | null;
  readonly before: string | null;
  readonly due: number;
  readonly erased?: number;
}

function inWords({ days, before, due, erased }: Counts): string {
  const lines =
    days === null
      ? 'RETAIN_EMAILS is not set: what e-mails said is kept for ever.\n'
      : `Due: ${counted(due, 'e-mail')} that were sent, failed or cancelled more than ${counted(days, 'day')} ago, before ${before}.\n`;
  return erased === undefined
    ? lines
    : `${lines}Erased so far, by time or with their person: ${counted(erased, 'e-mail')}.\n`;
}
