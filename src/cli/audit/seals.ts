/** `audience audit seals`: the seals that the service has made, and whether the log still fits them. */
import path from 'node:path';
import type { Command } from 'commander';
import { compareWithTree } from '../../integrity/compare-seals.js';
import { recordedRestores } from '../../integrity/restores.js';
import { fingerprintOf } from '../../integrity/seal.js';
import type { CommandLine, ExitCode } from '../shared/command-line.js';
import { checked, withExitCode } from '../shared/exit-code.js';
import { withExamples } from '../shared/options.js';
import { writeItems } from '../shared/table.js';
import { whileOpen } from '../shared/while-open.js';
import { keptSeals, withTree } from './log-place.js';

export function registerAuditSeals(audit: Command, line: CommandLine): void {
  const command = audit
    .command('seals')
    .description('the seals that the service has made (SEAL_EVERY), newest first, and whether the log still fits them')
    .action(withExitCode(line, () => seals(line)));
  withExamples(command, ['audience audit seals']);
}

const method =
  'Each seal was compared with the stored tree. The whole log was not read: audience audit verify does that.';
const caution =
  'A seal proves nothing against a person who has its key and can change this folder. Keep copies of the seals, or the lines of the service log that name them, where that person cannot write (SEAL_DIR).';

async function seals(line: CommandLine): Promise<ExitCode> {
  const { stderr, json } = line;
  const rows = await checked(() => examine(line));
  await writeItems(line, rows, {
    titles: ['SEQ', 'SEALED', 'EVENTS', 'RESTORES', 'STATE', 'KEY', 'FILES'],
    rowOf: ({ seq, sealed_at, count, restores, state, reason, key_fingerprint, files }) => [
      ...[seq, sealed_at, count, restores].map((value) => (value === null ? '' : String(value))),
      reason === null ? state : `${state}: ${reason}`,
      key_fingerprint ?? '',
      files.join(' '),
    ],
  });
  if (!json) {
    stderr.write(rows.length === 0 ? 'There are no seals.\n' : `${method}\n`);
    stderr.write(`${caution}\n`);
  }
  if (rows.some(({ state }) => state === 'fails')) return 1;
  return rows.some(({ state }) => state === 'not_checked') ? 2 : 0;
}

const unreadable = {
  log_id: null,
  seq: null,
  restores: null,
  count: null,
  root: null,
  final: null,
  sealed_at: null,
  key_fingerprint: null,
};

async function examine(line: CommandLine) {
  const place = line.place();
  return await whileOpen(place.openLog(), async (log) => {
    const { counted, ignored } = await keptSeals(log, line);
    const restores = await recordedRestores(log, await place.restoredKey(log));
    const kept = counted.map(({ seal }) => seal);
    const compared = await withTree(log, line, (tree) => compareWithTree(kept, { log, tree, restores }));
    noteMissingCopies(line, counted);
    const rows = compared.map(({ seal, state, reason }, index) => {
      const { log_id, seq, restores, count, root, final, sealed_at, public_key } = seal;
      const stated = { log_id, seq, restores, count, root, final, sealed_at };
      const files = counted[index]?.files ?? [];
      return { ...stated, key_fingerprint: fingerprintOf(public_key), state, reason, files };
    });
    return [
      ...rows,
      ...ignored.map(({ files, reason }) => ({ ...unreadable, state: 'ignored' as const, reason, files })),
    ];
  });
}

/** Says which seals SEAL_DIR lacks. */
function noteMissingCopies(line: CommandLine, counted: readonly { readonly files: readonly string[] }[]): void {
  const { copies } = line.place().seals;
  if (copies === undefined) return;
  for (const { files } of counted) {
    const [file = ''] = files;
    if (!files.some((one) => path.dirname(one) === copies))
      line.stderr.write(`SEAL_DIR lacks ${path.basename(file)}, or its copy differs.\n`);
  }
}
