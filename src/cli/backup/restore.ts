/** `audience restore`: puts a backup into an empty folder, with the newest register of what must not come back. */
import type { Command } from 'commander';
import { z } from 'zod';
import { restoreBackup } from '../../backup/restore.js';
import { UsageError } from '../../failures.js';
import type { CommandLine } from '../shared/command-line.js';
import { counted, formatCount } from '../shared/numbers.js';
import { withExamples } from '../shared/options.js';
import { whileBackingUp } from './progress.js';
import { ageInWords, writeBackupAnswer } from './words.js';

const optionsSchema = z.object({
  to: z.string(),
  register: z.string().optional(),
  withoutNewerRegister: z.boolean().default(false),
});
type Options = z.output<typeof optionsSchema>;

export function registerRestore(program: Command, line: CommandLine): void {
  const command = program
    .command('restore')
    .description('restores a backup into an empty folder; the first start there holds every e-mail that was open')
    .argument('<backup>', 'a backup, or a folder of backups: then the newest one')
    .requiredOption('--to <folder>', 'the new data folder: empty, or not there yet')
    .option('--register <file>', 'the newest register.ndjson, of SEAL_DIR or of the folder that was in use')
    .option('--without-newer-register', 'there is none: whoever was erased since the backup comes back')
    .action((from: string, options: unknown) => restore(from, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience restore /var/backups/audience --to ./restored --register /mnt/seals/register.ndjson',
    'audience restore /var/backups/audience --to ./restored --without-newer-register',
  ]);
}

async function restore(from: string, options: Options, line: CommandLine): Promise<void> {
  const { to, register, withoutNewerRegister } = options;
  if ((register === undefined) !== withoutNewerRegister)
    throw new UsageError(
      'Say --register with the newest register, or --without-newer-register where none is left: then erasures, and keys that were revoked, of after the backup are undone',
    );
  const { headKey, newUuid } = line.place();
  const { signal } = line;
  const restored = await whileBackingUp(line, (onProgress) =>
    restoreBackup({
      ...{ from, to, register, headKey, signal, eventId: newUuid() },
      onVerified: (done, total) => onProgress({ phase: 'verifying', done, total }),
    }),
  );
  const { backup, manifest } = restored;
  const hasSecret = manifest.secrets.includes('secret');
  const words = [
    `${to} holds the log as it was at ${ageInWords(manifest.made_at, line.clock())}: ${formatCount(manifest.count)} events, from ${backup}.`,
    ...registerInWords(restored.register, line.clock()),
    ...(hasSecret ? [] : ['The backup has no secret: start with SECRET, or put the file secret into the folder.']),
    'The first start holds every e-mail that was open (reason restored): audience email list --state held, then release or cancel.',
  ];
  await writeBackupAnswer(line, { folder: to, ...restored }, words);
  if (restored.register.lacks > 0) line.stderr.write(`${older}\n`);
}

const older = 'The register that was given is older than the backup: look for a newer one before the first start.';

type RestoredRegister = Awaited<ReturnType<typeof restoreBackup>>['register'];

function registerInWords({ file, newest, written_at, newer }: RestoredRegister, now: number): readonly string[] {
  const age = newest === null ? 'it is empty' : `its newest entry is of ${ageInWords(newest, now)}`;
  if (file === null) return [`No newer register: the one of the backup counts, ${age}.`];
  const written = written_at === null ? '' : `, and it was last written at ${ageInWords(written_at, now)}`;
  return [
    `Register ${file}: ${age}${written}. ${counted(newer, 'entry').replace('entrys', 'entries')} came after the backup.`,
  ];
}
