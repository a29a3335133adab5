/** `audience audit history`: what happened to a contact, in plain words or in full. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { HistoryItem } from '../../audit/history-item.js';
import { auditing, findContact, nothingKnown, type Auditing, type FoundContact } from './log.js';
import { timeIn, wholeNumberIn } from './options.js';
import { paintFor } from '../colours.js';
import type { CommandLine } from '../command-line.js';
import { UsageError } from '../../transfer/failures.js';
import { withExamples } from '../program.js';
import { table } from '../table.js';

const optionsSchema = z.object({
  list: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  limit: z.string().optional(),
});

export function registerAuditHistory(audit: Command, line: CommandLine): void {
  const command = audit
    .command('history')
    .description('what happened to a contact, oldest first')
    .argument('<contact>', 'contact id, or e-mail address')
    .option('--list <id>', 'only what is about this list')
    .option('--from <time>', 'from this time on (ISO 8601; a date alone is its first millisecond in UTC)')
    .option('--to <time>', 'up to this time (a date alone is its last millisecond in UTC)')
    .option('--limit <n>', 'at most this many events')
    .action((contact: string, options: unknown) => history(contact, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit history ada@example.com',
    'audience audit history con_01J… --list lst_01J… --from 2026-03-01 --to 2026-03-31',
    'audience audit history ada@example.com --json | jq .summary',
  ]);
}

const itemsAPage = 200;

async function history(contact: string, options: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  const from = options.from === undefined ? undefined : timeIn('--from', options.from, 'start');
  const to = options.to === undefined ? undefined : timeIn('--to', options.to, 'end');
  if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from must not be after --to');
  const limit = options.limit === undefined ? Infinity : wholeNumberIn('--limit', options.limit);
  await auditing(line, async (open) => {
    const found = await findContact(contact, open);
    const all = pages({ ...found, listId: options.list, from, to, limit }, open);
    if (line.json) await writeLines(all, line);
    else await writeTable(all, line);
  });
}

interface Wanted extends FoundContact {
  readonly listId: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly limit: number;
}

async function* pages({ limit, ...wanted }: Wanted, { audit, line }: Auditing): AsyncGenerator<readonly HistoryItem[]> {
  let after: string | undefined;
  for (let left = limit; left > 0;) {
    const size = Math.min(left, itemsAPage);
    const page = await audit.history({ ...wanted, after, limit: size, signal: line.signal });
    if (page === undefined) throw nothingKnown();
    yield page.items;
    if (page.next === undefined) return;
    after = page.next;
    left -= page.items.length;
  }
}

async function writeLines(all: AsyncIterable<readonly HistoryItem[]>, { stdout }: CommandLine): Promise<void> {
  for await (const items of all) await stdout.write(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

const titles = ['TIME', 'WHAT', 'BY', 'REQUEST'];

async function writeTable(all: AsyncIterable<readonly HistoryItem[]>, { stdout, env }: CommandLine): Promise<void> {
  const rows: (readonly string[])[] = [];
  for await (const items of all)
    for (const item of items) rows.push([item.at ?? '?', inWords(item), item.actor ?? '?', item.request_id ?? '?']);
  const { bold } = paintFor(stdout, env);
  if (rows.length === 0) await stdout.write('Nothing happened in that time.\n');
  else await stdout.write(table(rows, { titles, width: stdout.columns, emphasise: bold }));
}

function inWords({ summary, list }: HistoryItem): string {
  if (list === undefined || summary.includes(`"${list.name_now}"`)) return summary;
  return `${summary} (Its ${list.deleted_at === null ? 'name now' : 'last name'} is "${list.name_now}".)`;
}
