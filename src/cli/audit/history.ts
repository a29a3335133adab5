/** `audience audit history`: what happened to a contact, in plain words or in full. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { HistoryPage } from '../../audit/history.js';
import type { HistoryItem } from '../../audit/answers.js';
import { basisLines, consentInWords, livesLines, notRecorded, sayNotRecorded } from '../shared/in-words.js';
import { whileOpen } from '../shared/while-open.js';
import { createProgressBar } from '../shared/progress-bar.js';
import { contactIn, periodIn, withExamples, withPeriod } from '../shared/options.js';
import { paintFor } from '../shared/colours.js';
import type { Auditor, CommandLine, FoundContact } from '../shared/command-line.js';
import { table } from '../shared/table.js';

const optionsSchema = z.object({ list: z.string().optional() });

export function registerAuditHistory(audit: Command, line: CommandLine): void {
  const command = audit
    .command('history')
    .description('what happened to a contact, oldest first')
    .argument('<contact>', 'contact id, or e-mail address')
    .option('--list <list>', 'only what is about this list, by id or name; no e-mails')
    .action((contact: string, options: unknown) => history(contact, options, line));
  withExamples(withPeriod(command, line.clock), [
    'audience audit history ada@example.com',
    'audience audit history con_01J… --list lst_01J… --from 2026-03-01 --to 2026-03-31',
    "audience audit history ada@example.com --json | jq 'select(.type) | .summary'",
  ]);
}

const itemsAPage = 200;

async function history(contact: string, options: unknown, line: CommandLine): Promise<void> {
  const period = { ...periodIn(options), ...optionsSchema.parse(options) };
  await whileOpen(line.openAuditor(), async (auditor) => {
    const found = await auditor.find(contactIn(contact));
    const all = pages({ ...found, ...period, signal: line.signal }, auditor);
    await (line.json ? writeLines(all, line) : writeTable(all, line));
    sayNotRecorded(line);
  });
}

type WholeHistory = FoundContact &
  Pick<CommandLine, 'signal'> &
  ReturnType<typeof periodIn> &
  z.output<typeof optionsSchema>;

/** All of one moment of the log. */
async function* pages({ limit, ...wanted }: WholeHistory, { audit }: Auditor): AsyncGenerator<HistoryPage> {
  let page: HistoryPage | undefined;
  for (let left = limit; left > 0; left -= page.items.length) {
    const size = Math.min(left, itemsAPage);
    const { next_cursor: after, context } = page ?? {};
    page = await audit.history({ ...wanted, after, context, limit: size });
    yield page;
    if (page.next_cursor === undefined) return;
  }
}

async function writeLines(all: AsyncIterable<HistoryPage>, { stdout }: CommandLine): Promise<void> {
  let end = {};
  for await (const { items, basis, lives, emails_until } of all) {
    await stdout.write(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    end = { ...basis, lives, emails_until };
  }
  await stdout.write(`${JSON.stringify({ line: 'end', ...end, ...notRecorded })}\n`);
}

const titles = ['TIME', 'WHAT', 'BY', 'REQUEST'];

async function writeTable(all: AsyncIterable<HistoryPage>, line: CommandLine): Promise<void> {
  const { stdout, env } = line;
  const bar = createProgressBar(line.stderr, line.monotonic, 'changes');
  const rows: (readonly (string | readonly string[])[])[] = [];
  let end: readonly string[] = [];
  try {
    for await (const page of all) {
      for (const item of page.items)
        rows.push([item.at ?? '?', inWords(item), item.actor ?? '?', item.request_id ?? '?']);
      bar.report({ phase: 'reading', done: rows.length });
      const until = page.emails_until;
      const emails = until === undefined ? [] : [`E-mails are complete up to position ${until}.`];
      end = [...livesLines(page.lives), '', ...emails, ...basisLines(page.basis)];
    }
  } finally {
    bar.clear();
  }
  const { bold } = paintFor(stdout, env);
  if (rows.length === 0) await stdout.write('Nothing happened in that time.\n');
  else await stdout.write(table(rows, { titles, width: stdout.columns, emphasise: bold }));
  await stdout.write(end.map((text) => `${text}\n`).join(''));
}

/** A line for the event, and those of its consent. */
function inWords({ summary, list, email, consent, type }: HistoryItem): readonly string[] {
  const subject = email?.subject == null ? '' : ` Subject: "${email.subject}".`;
  const isNamed = list === undefined || summary.includes(`"${list.name_now}"`);
  const name = isNamed ? '' : ` (Its ${list.deleted_at === null ? 'name now' : 'last name'} is "${list.name_now}".)`;
  return [`${summary}${subject}${name}`, ...(consent === undefined ? [] : consentInWords(consent, type))];
}
