/** `audience audit report`: one page about one person, to be printed or handed on. */
import type { Command } from 'commander';
import path from 'node:path';
import { z } from 'zod';
import type { Report } from '../../audit/report/report-answer.js';
import { comparedSeals, createReport, type ReportSources } from '../../audit/report/report.js';
import { reportPage } from '../../audit/report/report-page.js';
import { reportedSeals, type SealedLog } from '../../evidence/holding-seal.js';
import { AlteredBlockError } from '../../evidence/prove.js';
import { newestSeals, sealsName } from '../../evidence/seal-folder.js';
import type { Seal } from '../../evidence/seal.js';
import { openHeadCheck } from '../../evidence/verify-head.js';
import { AlteredEventError, type LinkSource } from '../../eventstore/link-source.js';
import type { TreeSource } from '../../eventstore/tree.js';
import { readLogId } from '../../eventstore/log-id.js';
import { CommandFailedError } from '../../failures.js';
import type { CommandLine } from '../command-line.js';
import { sayNotRecorded } from '../not-recorded.js';
import { withExamples } from '../program.js';
import { whileOpen } from '../while-open.js';
import { openLinks } from './evidence-links.js';
import { auditing, findContact, type Auditing } from './log.js';
import { timeOption } from './options.js';
import { demandDestination, put } from './sealing.js';
import { demandedSeals } from './verify.js';

const optionsSchema = z.object({
  out: z.string().min(1),
  time: z.string().optional(),
  list: z.string().optional(),
  seal: z.string().optional(),
  publicKey: z.string().optional(),
  force: z.boolean().default(false),
});
type Options = z.output<typeof optionsSchema>;

export function registerAuditReport(audit: Command, line: CommandLine): void {
  const command = audit
    .command('report')
    .description('one page about one person: the answer in a sentence, every change, the e-mails, and how to check it')
    .argument('<contact>', 'contact id, or e-mail address')
    .requiredOption('--out <file>', 'where the page goes; - is standard output')
    .option('--list <list>', 'only this list, by id or name')
    .addOption(timeOption(line.clock))
    .option(
      '--seal <file>',
      'a seal that was kept elsewhere: the page says that the log is the sealed one, or none is made',
    )
    .option('--public-key <file>', 'the key that must have signed the seal (PEM, or base64 of SPKI in DER)')
    .option('--force', 'replaces a file that is there already')
    .action((contact: string, options: unknown) => report(contact, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit report ada@example.com --out ada.html',
    'audience audit report ada@example.com --list Newsletter --time 2026-03-01 --seal seal.json --out ada.html',
  ]);
}

async function report(contact: string, options: Options, line: CommandLine): Promise<void> {
  demandDestination(options);
  await auditing(line, async (open) => {
    const made = await reportOn(contact, options, open);
    const text = line.json ? `${JSON.stringify(made)}\n` : reportPage(made);
    // It holds personal data.
    await put(text, { ...options, mode: 0o600 }, line);
    if (options.out !== '-') line.stderr.write(`Written to ${options.out}. ${made.answer}\n`);
    sayNotRecorded(line);
  });
}

async function reportOn(contact: string, options: Options, open: Auditing): Promise<Report> {
  const { line, log, audit } = open;
  const [given] = demandedSeals(
    { seal: options.seal === undefined ? [] : [options.seal], publicKey: options.publicKey },
    line,
  );
  const found = await findContact(contact, open);
  return await whileOpen(openLinks(log, line), async ({ source }) => {
    const { tree } = source;
    const own = newestSeals(path.join(line.dataDir, sealsName), comparedSeals);
    const known = tree === undefined ? { seal: undefined } : await reportedSeals(own, log, tree);
    const asked = given && (await compared(given.seal, { log, tree, line }));
    const { list, time } = options;
    const sources = { audit, tree, ...known, ...asked };
    if (sources.seal !== undefined) await demandOwnEnd(source, { log, line });
    return await createReport(sources, { contact, ...found, list, time, askedBy: 'cli', signal: line.signal }).catch(
      (error: unknown) => {
        if (error instanceof AlteredEventError || error instanceof AlteredBlockError) refuse(error.message, line);
        throw error;
      },
    );
  });
}

interface Sealed extends Pick<Auditing, 'line'> {
  readonly log: Auditing['log'] & SealedLog;
}

/** Nor is a page that names a seal made of what somebody else has appended. On a server nothing tells of that. */
async function demandOwnEnd(source: LinkSource, { log, line }: Sealed): Promise<void> {
  const { sealed, end, difference } = await openHeadCheck(source, { key: await line.headKey(log) });
  if (end === undefined) return;
  const { count } = end;
  const linkThere = sealed && log.headAt?.(sealed.count)?.head;
  const found = difference({ logId: (await readLogId(log)) ?? '', count, kept: count, linkThere });
  if (found !== undefined) refuse(found.message, line);
}

interface Comparing extends Pick<Auditing, 'log' | 'line'> {
  readonly tree: TreeSource | undefined;
}

/** @throws CommandFailedError the log is not the one that was sealed, or that cannot be told */
async function compared(seal: Seal, { log, tree, line }: Comparing): Promise<Partial<ReportSources>> {
  if (tree === undefined)
    return refuse('there are no views that keep the evidence of this log, to compare with the seal', line);
  const { failing, ...found } = await reportedSeals([seal], log, tree);
  return failing === undefined || failing === null
    ? found
    : refuse(
        `the log is not the one that was sealed: ${failing.reason}. audience audit verify --seal tells more`,
        line,
      );
}

function refuse(reason: string, line: CommandLine): never {
  line.exitWith(1);
  throw new CommandFailedError(`No page was made: ${reason}.`, { type: 'seal' });
}
