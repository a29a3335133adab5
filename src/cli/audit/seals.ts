/** `audience audit seals`: the seals that the service has made by itself, and which of them the log still fits. */
import type { Command } from 'commander';
import { examineSeals, keptSeals, type ExaminedSeal } from '../../evidence/kept-seals.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { checked, withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { writeItems } from '../shared/table.js';
import { whileOpen } from '../shared/while-open.js';

export function registerAuditSeals(audit: Command, line: CommandLine): void {
  const command = audit
    .command('seals')
    .description('the seals that the service has made by itself (SEAL_EVERY), and whether the log still fits them')
    .action(withExitCode(line, () => seals(line)));
  withExamples(command, ['audience audit seals']);
}

const method =
  'FITS: compared were, at the last event of each seal, the link that is stored there and the root of the tree. The whole log was not read: audience audit verify --seal FILE does that.';
const caution =
  'A seal proves nothing against a person who has its key and can change this folder. A key in the data folder is with the owner of the log: keep copies of the seals, or the lines of the service log that name them, with somebody else.';

async function seals(line: CommandLine): Promise<ExitCode> {
  const { stderr, json } = line;
  const rows = await checked(() => examine(line));
  await writeItems(line, rows, {
    titles: ['SEALED', 'EVENTS', 'FITS', 'KEY', 'FILES'],
    rowOf: ({ sealed_at, count, fits, reason, key_fingerprint, files }) => [
      sealed_at ?? '',
      count === null ? '' : String(count),
      fits ? 'yes' : `no: ${reason}`,
      key_fingerprint ?? '',
      files.join(' '),
    ],
  });
  if (!json) {
    stderr.write(rows.length === 0 ? 'There are no seals.\n' : `${method}\n`);
    stderr.write(`${caution}\n`);
  }
  return rows.every(({ fits }) => fits) ? 0 : 1;
}

async function examine(line: CommandLine): Promise<readonly ExaminedSeal[]> {
  const onNotice = (text: string): void => void line.stderr.write(`${text}\n`);
  const place = line.place();
  const listed = keptSeals(place.dataDir, place.seals.copies, onNotice);
  return await whileOpen(place.openLog(), (log) => examineSeals(listed, log, place));
}
