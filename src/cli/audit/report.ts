/** `audience audit report`: one page about one person, to be printed or handed on. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { EventReader } from '../../eventstore/event-store.js';
import type { TreeSource } from '../../eventstore/tree.js';
import { CommandFailedError } from '../../failures.js';
import { compareWithTree } from '../../integrity/compare-seals.js';
import { recordedRestores } from '../../integrity/restores.js';
import type { KnownSeal } from '../../integrity/seal.js';
import { reportPage } from '../../report/report-page.js';
import { sealedReport } from '../../report/sealed-report.js';
import { whileOpen } from '../shared/while-open.js';
import type { CommandLine } from '../shared/command-line.js';
import { demandDestination, put } from '../shared/destination.js';
import { sayNotRecorded } from '../shared/in-words.js';
import {
  contactIn,
  destination,
  forceOption,
  outOption,
  publicKeyOption,
  sealFiles,
  sealOption,
  timeOption,
  withExamples,
} from '../shared/options.js';
import { sealIn } from '../shared/seals.js';
import { keptSeals, withSource } from './log-place.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({
  ...destination,
  ...sealFiles,
  time: z.string().optional(),
  list: z.string().optional(),
});
type Options = z.output<typeof optionsSchema>;

export function registerAuditReport(audit: Command, line: CommandLine): void {
  const command = audit
    .command('report')
    .description('one page about one person: the answer in a sentence, every change, the e-mails, and how to check it')
    .argument('<contact>', 'contact id, or e-mail address')
    .addOption(outOption('where the page goes; - is standard output').makeOptionMandatory())
    .option('--list <list>', 'only this list, by id or name')
    .addOption(timeOption(line.clock))
    .addOption(
      sealOption('a seal that was kept elsewhere: the page says that the log is the sealed one, or none is made'),
    )
    .addOption(publicKeyOption())
    .addOption(forceOption())
    .action((contact: string, options: unknown) => report(contact, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit report ada@example.com --out ada.html',
    'audience audit report ada@example.com --list Newsletter --time 2026-03-01 --seal seal.json --out ada.html',
  ]);
}

async function report(contact: string, options: Options, line: CommandLine): Promise<void> {
  demandDestination(options);
  await whileOpen(line.openAuditor(), async ({ log, audit, find }) => {
    const given = sealIn(options);
    const { list, time } = options;
    const request = { contact, ...(await find(contactIn(contact))), list, time, askedBy: 'cli', signal: line.signal };
    const made = await withSource(log, line, async ({ tree }) => {
      if (given !== undefined && tree === undefined)
        throw new CommandFailedError(
          'No page was made: there are no views that keep the blocks of this log, so it cannot be compared with the seal.',
          { type: 'seal' },
        );
      const seals =
        tree === undefined ? { kept: [], given: undefined } : await comparedSeals(given, { log, tree, line });
      return await sealedReport(request, { log, tree, audit, ...seals });
    });
    const text = line.json ? `${JSON.stringify(made)}\n` : reportPage(made);
    // It holds personal data.
    await put(text, { ...options, mode: 0o600 }, line);
    if (options.out !== '-') line.stderr.write(`Written to ${printable(options.out)}. ${made.answer}\n`);
    sayNotRecorded(line);
  });
}

interface Place {
  readonly log: EventReader;
  readonly tree: TreeSource;
  readonly line: CommandLine;
}

/** Compares the seals of the service, and the given one, with the log. */
async function comparedSeals(given: KnownSeal | undefined, { log, tree, line }: Place) {
  const restores = await recordedRestores(log, await line.place().restoredKey(log));
  const { counted } = await keptSeals(log, line);
  const seals = [...(given === undefined ? [] : [given]), ...counted.map(({ seal }) => seal)];
  const compared = await compareWithTree(seals, { log, tree, restores });
  return given === undefined ? { kept: compared, given } : { kept: compared.slice(1), given: compared[0] };
}
