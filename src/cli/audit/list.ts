/** `audience audit list`: a list as it was at a time, member by member; and `lists`: all that there ever were. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import type { BasisWithoutSeal } from '../../audit/answers.js';
import type { ListAt } from '../../audit/list-at.js';
import { listAsCsv, listAsLines } from '../../audit/list-lines.js';
import type { ListOverview } from '../../audit/lists.js';
import { basisLines, notRecorded, sayNotRecorded, unreadableInWords } from '../shared/in-words.js';
import { whileOpen } from '../shared/while-open.js';
import { destination, forceOption, outOption, timeOption, withExamples } from '../shared/options.js';
import { paintFor } from '../shared/colours.js';
import type { CommandLine } from '../shared/command-line.js';
import { demandPlace, writeWhole } from '../../export/file.js';
import { table } from '../shared/table.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({
  time: z.string(),
  format: z.enum(['ndjson', 'csv']),
  ...destination,
  out: z.string().optional(),
});

export function registerAuditList(audit: Command, line: CommandLine): void {
  const command = audit
    .command('list')
    .description('a list as it was at a time, with all who were in it')
    .argument('<list>', 'list id, or name')
    .addOption(timeOption(line.clock).makeOptionMandatory())
    .addOption(new Option('--format <format>', 'a line or a row a member').choices(['ndjson', 'csv']).default('ndjson'))
    .addOption(outOption('into this file, with its SHA-256 beside it, in place of standard output'))
    .addOption(forceOption())
    .action((list: string, options: unknown) => listAt(list, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience audit list Newsletter --time 2026-03-01',
    'audience audit list lst_01J… --time 2026-03-01T12:00Z --format csv --out news.csv',
  ]);
}

async function listAt(name: string, options: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  const { time, out, force } = options;
  if (out !== undefined) demandPlace(out, force);
  const { signal } = line;
  await whileOpen(line.openAuditor(), async ({ audit }) => {
    const list = await audit.listAt({ list: name, time, signal });
    const pieces = options.format === 'csv' ? listAsCsv(list) : listAsLines(list);
    await writePieces(pieces, { list, out, line });
  });
}

interface Written {
  readonly list: BasisWithoutSeal & Pick<ListAt, 'unreadable' | 'seal'>;
  /** Undefined: standard output. */
  readonly out: string | undefined;
  readonly line: CommandLine;
}

export async function writePieces(pieces: AsyncIterable<string>, { list, out, line }: Written): Promise<void> {
  const { stdout } = line;
  if (out === undefined)
    for await (const piece of pieces) await stdout.write(stdout.isTTY ? piece : Buffer.from(piece));
  else await toFile(out, { pieces, list, line });
  // The first and the last line of NDJSON have the basis.
  const basis = line.json ? [] : basisLines({ ...list, seal: await list.seal() });
  for (const said of [...unreadableInWords(list.unreadable()), ...basis]) line.stderr.write(`${said}\n`);
  sayNotRecorded(line);
}

interface FileContent extends Omit<Written, 'out'> {
  readonly pieces: AsyncIterable<string>;
}

async function toFile(file: string, { pieces, list, line }: FileContent): Promise<void> {
  const { bytes, sha256 } = await writeWhole(file, pieces);
  const { count } = list.unreadable();
  if (line.json)
    await line.stdout.write(
      `${JSON.stringify({ file, bytes, sha256, ...(count === 0 ? {} : { unreadable: count }), ...notRecorded })}\n`,
    );
  else line.stderr.write(`${printable(file)}: ${bytes} bytes, SHA-256 ${sha256}\n`);
}

export function registerAuditLists(audit: Command, line: CommandLine): void {
  const command = audit
    .command('lists')
    .description('all lists that there ever were, deleted ones too, with their times and earlier names')
    .action(() => lists(line));
  withExamples(command, ['audience audit lists']);
}

const titles = ['LIST', 'NAME', 'CREATED', 'DELETED', 'EARLIER NAMES'];

async function lists(line: CommandLine): Promise<void> {
  const { stdout, env, json } = line;
  await whileOpen(line.openAuditor(), async ({ audit }) => {
    const { lists: all, ...basis } = await audit.lists();
    const end = json ? [JSON.stringify({ line: 'end', ...basis })] : ['', ...basisLines(basis)];
    if (json) await stdout.write(all.map((list) => `${JSON.stringify(list)}\n`).join(''));
    else
      await stdout.write(table(all.map(row), { titles, width: stdout.columns, emphasise: paintFor(stdout, env).bold }));
    await stdout.write(end.map((text) => `${text}\n`).join(''));
  });
}

const row = ({ list_id, list_name, created_at, deleted_at, earlier_names }: ListOverview) => [
  list_id,
  list_name,
  created_at,
  deleted_at ?? '',
  earlier_names.map(({ list_name: name, until }) => `${name} (until ${until})`),
];
