/** `audience restore` puts a backup into an empty folder, with the newest register of what must not come back, or marks a log that other tools have put back. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { markInPlace } from '../../recovery/restore-in-place.js';
import { restoreBackup } from '../../recovery/restore.js';
import { knownSecretOf } from '../../recovery/verify-backup.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { sealKeyName } from '../../integrity/seal-store.js';
import type { CommandLine } from '../shared/command-line.js';
import { counted, formatCount } from '../shared/numbers.js';
import { withExamples } from '../shared/options.js';
import { whileOpen } from '../shared/while-open.js';
import { acceptUnsigned, acceptUnsignedOption } from './accept-unsigned.js';
import { whileBackingUp } from './progress.js';
import { ageInWords, writeBackupAnswer } from './words.js';

const optionsSchema = z.object({
  to: z.string().optional(),
  inPlace: z.boolean().default(false),
  register: z.string().optional(),
  withoutNewerRegister: z.boolean().default(false),
  withSecrets: z.boolean().default(false),
  ...acceptUnsigned.shape,
});
type Options = z.output<typeof optionsSchema>;

export function registerRestore(program: Command, line: CommandLine): void {
  const command = program
    .command('restore')
    .description('restores a backup into an empty folder; the first start there holds every e-mail that was open')
    .argument('[backup]', 'a backup, or a folder of backups: then the newest one')
    .option('--to <folder>', 'the new data folder: missing, empty, or with nothing but secrets and keys')
    .option(
      '--in-place',
      'only marks the log for the first start, because other tools have restored it, such as those of a server',
    )
    .option('--register <file>', 'the newest register.ndjson, from SEAL_DIR or from the folder that was in use')
    .option(
      '--without-newer-register',
      'no newer register is left: erasures, refusals of mail and changes of API keys after the backup are undone',
    )
    .option(
      '--with-secrets',
      'also the secret, the hashes of API keys and the key of the seals, if the backup has them',
    )
    .addOption(acceptUnsignedOption())
    .action((from: string | undefined, options: unknown) => restoreLog(from, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience restore /var/backups/audience --to ./restored --register /mnt/seals/register.ndjson',
    'audience restore /var/backups/audience --to ./restored --without-newer-register --with-secrets',
    'audience restore --in-place --register /mnt/seals/register.ndjson',
  ]);
}

async function restoreLog(from: string | undefined, options: Options, line: CommandLine): Promise<void> {
  const { to, inPlace, register, withoutNewerRegister, withSecrets, acceptUnsigned: acceptsUnsigned } = options;
  if (register !== undefined && withoutNewerRegister)
    throw new UsageError('Give either --register or --without-newer-register, not both');
  if (register === undefined && !withoutNewerRegister)
    throw new UsageError(
      'Add --register with the newest register. If none is left, add --without-newer-register: erasures, unsubscriptions, suppressions, and rotations and revocations of API keys after the backup are then undone',
    );
  if (inPlace) {
    demandNothingElse(from, options);
    return await markLog(register, line);
  }
  if (from === undefined || to === undefined)
    throw new UsageError(
      'Name the backup, and the new folder with --to. If the log is in its place already, use --in-place alone',
    );
  await restore({ from, to, register, withSecrets, acceptsUnsigned }, line);
}

/** @throws UsageError */
function demandNothingElse(
  from: string | undefined,
  { to, withSecrets, acceptUnsigned: acceptsUnsigned }: Options,
): void {
  if (from !== undefined || to !== undefined || withSecrets || acceptsUnsigned)
    throw new UsageError(
      '--in-place reads no backup, and the folder in use keeps its own secrets. Leave out the backup, --to, --with-secrets and --accept-unsigned',
    );
}

interface Restore {
  readonly from: string;
  readonly to: string;
  readonly register: string | undefined;
  readonly withSecrets: boolean;
  readonly acceptsUnsigned: boolean;
}

async function restore(options: Restore, line: CommandLine): Promise<void> {
  const { to } = options;
  const place = line.place();
  const onNotice = (notice: string): void => void line.stderr.write(`${notice}\n`);
  const restored = await whileBackingUp(line, (onProgress) =>
    restoreBackup({
      ...{ ...options, secrets: place.secretsAtHand(), signal: line.signal, eventId: place.newUuid(), onNotice },
      onVerified: (done, total) => onProgress({ phase: 'verifying', done, total }),
    }),
  );
  const { backup, manifest, mac, register, secrets, secret } = restored;
  for (const notice of noticesOfSecrets(secrets, options)) onNotice(notice);
  const words = [
    `${to} has the log as of ${ageInWords(manifest.made_at, line.clock())}: ${formatCount(manifest.count)} events, from ${backup}.`,
    ...registerInWords(register, line.clock()),
    held,
  ];
  await writeBackupAnswer(
    line,
    { folder: to, backup, manifest, manifest_mac: mac, register, secrets, secret_in: secret },
    words,
  );
  if (register.lacks > 0) onNotice(older);
  else if (register.file !== null && register.newer === 0) onNotice(noNewer);
  const hasSealKey = place.seals.key !== undefined || existsSync(path.join(to, sealKeyName));
  if (manifest.seals > 0 && !hasSealKey) onNotice(sealKeyInWords(to));
  // Say this last, because the service does not start without the secret.
  if (secret !== path.join(to, 'secret')) onNotice(secretInWords(to, secret, secrets));
}

type Restored = Awaited<ReturnType<typeof restoreBackup>>;

function noticesOfSecrets({ restored, left_out, kept }: Restored['secrets'], options: Restore): readonly string[] {
  const { to, withSecrets } = options;
  return [
    ...(restored.length === 0 ? [] : [`Restored secrets and keys: ${restored.join(', ')}.`]),
    ...(withSecrets && restored.length === 0 ? ['There was no secret or key to restore from the backup.'] : []),
    ...(left_out.length === 0
      ? []
      : [`Not restored: ${left_out.join(', ')}. Secrets and keys of a backup are restored with --with-secrets only.`]),
    ...(kept.length === 0 ? [] : [`Kept as they were in ${to}: ${kept.join(', ')}.`]),
  ];
}

/** Returns what to do about a secret that is not in the folder. @param secret the file or variable that has it */
function secretInWords(to: string, secret: string, { restored, kept }: Restored['secrets']): string {
  const file = path.join(to, 'secret');
  const wrong = [...restored, ...kept].includes('secret') ? `The file ${file} is not the secret of this log. ` : '';
  if (secret === 'SECRET')
    return `${wrong}The secret of this log is not in ${to}. Start the service with SECRET as it is set here.`;
  return `${wrong}The secret of this log is not in ${to}. Before the start, copy ${secret} to ${file}, or set SECRET to its content.`;
}

const sealKeyInWords = (to: string): string =>
  `The key of the seals is not in ${to}. Before the start, copy ${sealKeyName} from the folder in use to ${path.join(to, sealKeyName)}. If it is lost, set SEAL_KEYS_BEFORE to its public key, which is public_key in a seal.`;

/** Marks the log while it is locked, so that no service runs on it. */
async function markLog(register: string | undefined, line: CommandLine): Promise<void> {
  const place = line.place();
  const { dataDir, signal } = place;
  const marked = await whileOpen(place.openLocked(), (log) =>
    whileBackingUp(line, async (onProgress) => {
      const secret = await knownSecretOf(log, place.secretsAtHand());
      if (secret === undefined)
        throw new CommandFailedError(
          'The secret of this log is needed, because the mark of the restore is made with it: set SECRET, or put the file secret back.',
          { type: 'no_secret' },
        );
      return await markInPlace({
        ...{ log, dataDir, register, secret, signal, eventId: place.newUuid() },
        onNotice: (notice) => void line.stderr.write(`${notice}\n`),
        onVerified: (done, total) => onProgress({ phase: 'verifying', done, total }),
      });
    }),
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
const older =
  'The named register lacks lines that came with the log, so it is older or incomplete. Look for a newer one before the first start.';

const noNewer =
  'The register that was given has nothing newer than the backup. If people were erased or refused mail, or API keys were rotated or revoked after the backup, look for a newer one before the first start.';

type RestoredRegister = Restored['register'];

function registerInWords({ file, entries, written_at, newer }: RestoredRegister, now: number): readonly string[] {
  if (file === null) return [`No newer register. The register that came with the log has ${counted(entries, 'line')}.`];
  const written = written_at === null ? '' : `, last written at ${ageInWords(written_at, now)}`;
  return [
    `Register ${file}: ${counted(entries, 'valid line')}${written}. ${formatCount(newer)} of them did not come with the log.`,
  ];
}
