/** `audience audit seals`: the seals that the service has made by itself, and which of them the log still fits. */
import type { Command } from 'commander';
import { sealFaults } from '../../evidence/holding-seal.js';
import { keptSeals, type KeptSeal } from '../../evidence/seal-files.js';
import { withTree } from '../../evidence/sealing.js';
import { fingerprintOf } from '../../evidence/seal.js';
import type { CommandLine } from '../shared/command-line.js';
import { present, withExamples } from '../shared/options.js';
import { writeItems } from '../shared/table.js';
import { whileOpen } from '../shared/while-open.js';

export function registerAuditSeals(audit: Command, line: CommandLine): void {
  const command = audit
    .command('seals')
    .description('the seals that the service has made by itself (SEAL_EVERY), and whether the log still fits them')
    .action(() => seals(line));
  withExamples(command, ['audience audit seals']);
}

const method =
  'FITS: compared were, at the last event of each seal, the link that is stored there and the root of the tree. The whole log was not read: audience audit verify --seal FILE does that.';
const caution =
  'A seal proves nothing against a person who has its key and can change this folder. A key in the data folder is with the owner of the log: keep copies of the seals, or the lines of the service log that name them, with somebody else.';

async function seals(line: CommandLine): Promise<void> {
  // The exit code until it is known what holds.
  line.exitWith(2);
  const { stderr, json } = line;
  const notice = (text: string): void => void stderr.write(`${text}\n`);
  const listed = keptSeals(line.dataDir, present(line.env['SEAL_DIR']), notice);
  await whileOpen(line.openLog(), async (log) => {
    const rows = await withTree(log, line, async (source) => {
      const faultOf = await sealFaults(log, source);
      const found = [];
      for (const one of listed) found.push(rowOf(one, one.seal && (await faultOf(one.seal))));
      return found;
    });
    line.exitWith(rows.every(({ fits }) => fits) ? 0 : 1);
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
    if (json) return;
    stderr.write(rows.length === 0 ? 'There are no seals.\n' : `${method}\n`);
    stderr.write(`${caution}\n`);
  });
}

const unreadable = { sealed_at: null, count: null, log_id: null, head: null, root: null, key_fingerprint: null };

function rowOf({ files, seal }: KeptSeal, wrong: string | undefined) {
  if (seal === undefined) return { ...unreadable, fits: false, reason: 'it is no seal that can be read', files };
  const { sealed_at, count, log_id, head, root, public_key } = seal;
  const said = { sealed_at, count, log_id, head, root, key_fingerprint: fingerprintOf(public_key) };
  return { ...said, fits: wrong === undefined, reason: wrong ?? null, files };
}
