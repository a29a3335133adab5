/** `audience audit access`: who looked. */
import type { Command } from 'commander';
import { z } from 'zod';
import { everyRead, type ReadRecord } from '../../audit/access.js';
import { recipientOf } from '../../events/streams.js';
import { UsageError } from '../../transfer/failures.js';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import { writeItems } from '../table.js';
import { auditing, findContact } from './log.js';
import { timeIn, wholeNumberIn } from './options.js';

const optionsSchema = z.object({
  contact: z.string().optional(),
  actor: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  limit: z.string().optional(),
});

export function registerAuditAccess(audit: Command, line: CommandLine): void {
  const command = audit
    .command('access')
    .description('who looked: what was read through the service of persons, lists and the log')
    .option('--contact <contact>', 'only reads of this record: contact id, or e-mail address')
    .option('--actor <key>', 'only what was read with this API key, by its id')
    .option('--from <time>', 'from this time on (ISO 8601; a date alone is its first millisecond in UTC)')
    .option('--to <time>', 'up to this time (a date alone is its last millisecond in UTC)')
    .option('--limit <n>', 'at most this many')
    .action((options: unknown) => access(optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit access --contact ada@example.com',
    'audience audit access --actor key_01J… --from 2026-03-01 --json',
  ]);
}

const titles = ['TIME', 'BY', 'WHAT', 'SUBJECT', 'FROM', 'TO', 'REQUEST'];

async function access(options: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  const { contact, actor } = options;
  const from = options.from === undefined ? undefined : timeIn('--from', options.from, 'start');
  const to = options.to === undefined ? undefined : timeIn('--to', options.to, 'end');
  if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from must not be after --to');
  const limit = options.limit === undefined ? Infinity : wholeNumberIn('--limit', options.limit);
  await auditing(line, async (open) => {
    const subject = contact === undefined ? undefined : recipientOf((await findContact(contact, open)).stream);
    const found: ReadRecord[] = [];
    for await (const page of everyRead(open.audit, { subject, actor, from, to, signal: line.signal })) {
      found.push(...page.slice(0, limit - found.length));
      if (found.length >= limit) break;
    }
    if (found.length === 0 && !line.json) await line.stdout.write('Nothing was recorded of that.\n');
    else await writeItems(line, found, { titles, rowOf });
  });
}

const rowOf = ({ at, actor, what, subject, from, to, request_id }: ReadRecord): readonly string[] =>
  [at, actor, what, subject, from ?? '', to ?? '', request_id].map((cell) => cell ?? '?');
