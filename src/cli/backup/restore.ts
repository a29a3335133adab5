/** `audience restore`: puts a backup into an empty folder, with the newest register of what must not come back; or marks a log that other tools have put back. */
import type { Command } from 'commander';
import { z } from 'zod';
import { markInPlace } from '../../backup/restore-in-place.js';
import { restoreBackup } from '../../backup/restore.js';
import { UsageError } from '../../failures.js';
import type { CommandLine } from '../shared/command-line.js';
import { counted, formatCount } from '../shared/numbers.js';
import { withExamples } from '../shared/options.js';
import { whileOpen } from '../shared/while-open.js';
import { whileBackingUp } from './progress.js';
import { ageInWords, writeBackupAnswer } from './words.js';

const optionsSchema = z.object({
  to: z.string().optional(),
  inPlace: z.boolean().default(false),
  register: z.string().optional(),
  withoutNewerRegister: z.boolean().default(false),
});
type Options = z.output<typeof optionsSchema>;

export function registerRestore(program: Command, line: CommandLine): void {
  const command = program
    .command('restore')
    .description('restores a backup into an empty folder; the first start there holds every e-mail that was open')
    .argument('[backup]', 'a backup, or a folder of backups: then the newest one')
    .option('--to <folder>', 'the new data folder: empty, or not there yet')
    .option('--in-place', 'the log was put back by other tools, such as those of a server: only marks it for the start')
    .option('--register <file>', 'the newest register.ndjson, of SEAL_DIR or of the folder that was in use')
    .option('--without-newer-register', 'there is none: whoever was erased since the backup comes back')
    .action((from: string | undefined, options: unknown) => restoreLog(from, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience restore /var/backups/audience --to ./restored --register /mnt/seals/register.ndjson',
    'audience restore /var/backups/audience --to ./restored --without-newer-register',
    'audience restore --in-place --register /mnt/seals/register.ndjson',
  ]);
}

async function restoreLog(from: string | undefined, options: Options, line: CommandLine): Promise<void> {
  const { to, inPlace, register, withoutNewerRegister } = options;
  if ((register === undefined) !== withoutNewerRegister)
    throw new UsageError(
      'Say --register with the newest register, or --without-newer-register where none is left: then erasures, and keys that were revoked, of after the backup are undone',
    );
  if (inPlace && from === undefined && to === undefined) return await markLog(register, line);
  if (inPlace || from === undefined || to === undefined)
    throw new UsageError(
      'Name the backup and --to with the new folder; or --in-place alone, where the log is in its place',
    );
  await restore({ from, to, register }, line);
}

interface Restore {
  readonly from: string;
  readonly to: string;
  readonly register: string | undefined;
}

async function restore({ from, to, register }: Restore, line: CommandLine): Promise<void> {
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
    held,
  ];
  await writeBackupAnswer(line, { folder: to, ...restored }, words);
  if (restored.register.lacks > 0) line.stderr.write(`${older}\n`);
}

/** What is opened for writing shows that no service runs on an embedded log. */
async function markLog(register: string | undefined, line: CommandLine): Promise<void> {
  const place = line.place();
  const { dataDir, headKey } = place;
  const { signal } = line;
  const marked = await whileOpen(place.openCommands(), ({ store }) =>
    whileBackingUp(line, (onProgress) =>
      markInPlace({
        ...{ log: store, dataDir, register, headKey, signal, eventId: place.newUuid() },
        onVerified: (done, total) => onProgress({ phase: 'verifying', done, total }),
      }),
    ),
  );
  const words = [
    `The log has ${formatCount(marked.count)} events, and is marked in ${dataDir} as restored.`,
    ...registerInWords(marked.register, line.clock()),
    `Start the process with this data folder before any other one. ${held}`,
  ];
  await writeBackupAnswer(line, marked, words);
  if (marked.register.lacks > 0) line.stderr.write(`${older}\n`);
}

const held =
  'The first start holds every e-mail that was open (reason restored): audience email list --state held, then release or cancel.';
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
