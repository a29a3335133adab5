/** `audience audit lists`: all lists that there ever were. */
import type { Command } from 'commander';
import type { ListLife } from '../../audit/lists.js';
import { basisLines } from './in-words.js';
import { auditing } from './log.js';
import { paintFor } from '../colours.js';
import type { CommandLine } from '../command-line.js';
import { withExamples } from '../program.js';
import { table } from '../table.js';

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
  await auditing(line, async ({ audit }) => {
    const { lists: all, ...basis } = await audit.lists();
    const end = json ? [JSON.stringify({ line: 'end', ...basis })] : ['', ...basisLines(basis)];
    if (json) await stdout.write(all.map((list) => `${JSON.stringify(list)}\n`).join(''));
    else
      await stdout.write(table(all.map(row), { titles, width: stdout.columns, emphasise: paintFor(stdout, env).bold }));
    await stdout.write(end.map((text) => `${text}\n`).join(''));
  });
}

const row = ({ list_id, list_name, created_at, deleted_at, earlier_names }: ListLife) => [
  list_id,
  list_name,
  created_at,
  deleted_at ?? '',
  earlier_names.map(({ list_name: name, until }) => `${name} (until ${until})`),
];
