/** `audience backup` makes a copy of the log that can be restored, also while the service runs. `audience backup verify` says what a backup holds. */
import type { Command } from 'commander';
import { z } from 'zod';
import { makeBackup } from '../../recovery/make-backup.js';
import type { Manifest } from '../../recovery/manifest.js';
import { verifyBackup } from '../../recovery/verify-backup.js';
import { UsageError } from '../../failures.js';
import { sealKeysAtHand } from '../../integrity/seal-store.js';
import { checked } from '../shared/exit-code.js';
import type { CommandLine } from '../shared/command-line.js';
import { formatCount } from '../shared/numbers.js';
import { withExamples } from '../shared/options.js';
import { whileBackingUp } from './progress.js';
import { acceptUnsigned, acceptUnsignedOption } from './accept-unsigned.js';
import { contentInWords, writeBackupAnswer } from './words.js';

const optionsSchema = z.object({ keep: z.string().optional(), withSecrets: z.boolean().default(false) });

export function registerBackup(program: Command, line: CommandLine): void {
  const command = program
    .command('backup')
    .description('makes a verified backup of the embedded log, also while the service runs')
    .argument('<folder>', 'the folder of backups, best on another disk: each gets a folder of its own there')
    .option('--keep <n>', 'keeps this many of the newest backups and removes older ones')
    .option(
      '--with-secrets',
      'also the secret, the hashes of API keys and the key of the seals, if they are in the data folder',
    )
    .action((folder: string, options: unknown) => backup(folder, optionsSchema.parse(options), line));
  withExamples(command, [
    'audience backup /var/backups/audience',
    'audience backup /var/backups/audience --keep 14 --with-secrets',
  ]);
  const verify = command
    .command('verify')
    .description('verifies a backup, and says what it holds')
    .argument('<folder>', 'a backup, or a folder of backups: then the newest one')
    .addOption(acceptUnsignedOption())
    .action((folder: string, options: unknown) =>
      checked(() => verifyOne(folder, acceptUnsigned.parse(options), line)),
    );
  withExamples(verify, ['audience backup verify /var/backups/audience']);
}

/** @throws UsageError */
function keepIn(text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,5}$/.test(text)) throw new UsageError('--keep must be a number from 1 on');
  return text === undefined ? undefined : Number(text);
}

async function backup(folder: string, options: z.output<typeof optionsSchema>, line: CommandLine): Promise<void> {
  const place = line.place();
  const { version } = place;
  const [{ settings: log }, secrets] = [place.existing(), place.secretsAtHand()];
  const { withSecrets } = options;
  const keep = keepIn(options.keep);
  const { signal, clock } = line;
  const onNotice = (notice: string): void => void line.stderr.write(`${notice}\n`);
  const sealKeys = sealKeysAtHand(place, { onNotice });
  const made = await whileBackingUp(line, (onProgress) =>
    makeBackup({
      log,
      places: place,
      folder,
      keep,
      withSecrets,
      version,
      secrets,
      sealKeys,
      onNotice,
      signal,
      clock,
      onProgress,
    }),
  );
  const { manifest, removed, notices } = made;
  const words = [
    `The backup is in ${made.folder}: ${formatCount(manifest.count)} events, verified.`,
    ...secretsInWords(manifest, withSecrets),
    ...(removed.length === 0 ? [] : [`Removed: ${removed.join(', ')}`]),
  ];
  if (manifest.mac === null) line.stderr.write(`${unsigned}\n`);
  for (const notice of notices) line.stderr.write(`${notice}\n`);
  await writeBackupAnswer(line, { folder: made.folder, ...manifest, removed }, words);
}

const unsigned =
  'The secret of this log is not known here, so the manifest has no MAC. Set SECRET, or put the file secret into the data folder, and make the backup again. A restore accepts this backup only with --accept-unsigned.';

function secretsInWords({ secrets }: Manifest, withSecrets: boolean): readonly string[] {
  if (!withSecrets) return ['Without secrets: keep SECRET (or the file secret) in another safe place.'];
  return secrets.includes('secret') ? [] : ['The data folder has no file secret: keep SECRET in another safe place.'];
}

async function verifyOne(
  named: string,
  { acceptUnsigned: acceptsUnsigned }: z.output<typeof acceptUnsigned>,
  line: CommandLine,
): Promise<void> {
  const secrets = line.place().secretsAtHand();
  const verified = await whileBackingUp(line, (onProgress) =>
    verifyBackup(named, {
      ...{ secrets, acceptsUnsigned, signal: line.signal },
      onNotice: (notice) => void line.stderr.write(`${notice}\n`),
      onVerified: (done, total) => onProgress({ phase: 'verifying', done, total }),
    }),
  );
  const { folder, manifest, mac, seals, register } = verified;
  const words = contentInWords({ ...verified, now: line.clock() });
  await writeBackupAnswer(line, { folder, ...manifest, manifest_mac: mac, register, compared_seals: seals }, words);
}
