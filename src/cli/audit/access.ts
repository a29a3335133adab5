/** `audience audit access`: who looked. */
import type { Command } from 'commander';
import { z } from 'zod';
import { everyRead } from '../../audit/access.js';
import type { ReadRecord } from '../../audit/answers.js';
import { recipientOf } from '../../events/streams.js';
import type { CommandLine } from '../shared/command-line.js';
import { createProgressBar } from '../shared/progress-bar.js';
import { contactIn, periodIn, withExamples, withPeriod } from '../shared/options.js';
import { writeItems } from '../shared/table.js';
import { whileOpen } from '../shared/while-open.js';

const optionsSchema = z.object({ contact: z.string().optional(), actor: z.string().optional() });

export function registerAuditAccess(audit: Command, line: CommandLine): void {
  const command = audit
    .command('access')
    .description('who looked: what was read through the service of persons, lists and the log')
    .option('--contact <contact>', 'only reads of this record: contact id, or e-mail address')
    .option('--actor <key>', 'only what was read with this API key: its id, or its name where it is of API_KEYS')
    .action((options: unknown) => access(options, line));
  withExamples(withPeriod(command, line.clock), [
    'audience audit access --contact ada@example.com',
    'audience audit access --actor key_01J… --from 2026-03-01 --json',
  ]);
}

const keysAreIds =
  ' A key that was created is named by its id (audience keys list), and only one of API_KEYS by its name.';

const titles = ['TIME', 'BY', 'WHAT', 'SUBJECT', 'FROM', 'TO', 'REQUEST'];

async function access(options: unknown, line: CommandLine): Promise<void> {
  const { contact, actor } = optionsSchema.parse(options);
  const { from, to, limit } = periodIn(options);
  await whileOpen(line.openAuditor(), async (auditor) => {
    const subject = contact === undefined ? undefined : recipientOf((await auditor.find(contactIn(contact))).stream);
    const found: ReadRecord[] = [];
    const wanted = { subject, actor, from, to, signal: line.signal };
    const bar = createProgressBar(line.stderr, line.monotonic, 'records');
    try {
      for await (const page of everyRead(auditor.audit, wanted, (done) => bar.report({ phase: 'searched', done }))) {
        found.push(...page.slice(0, limit - found.length));
        if (found.length >= limit) break;
      }
    } finally {
      bar.clear();
    }
    if (found.length === 0 && !line.json)
      await line.stdout.write(`No such read was recorded.${actor === undefined ? '' : keysAreIds}\n`);
    else await writeItems(line, found, { titles, rowOf });
  });
}

const rowOf = ({ at, actor, what, subject, from, to, request_id }: ReadRecord): readonly string[] =>
  [at, actor, what, subject, from ?? '', to ?? '', request_id].map((cell) => cell ?? '?');
