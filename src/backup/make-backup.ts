/** Makes a backup, also while the service runs: the seals, a verified copy of the log as it is at one moment, the register, and a manifest last. */
import { constants, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { copySqliteLog } from '../eventstore/sqlite/log-copy.js';
import { CommandFailedError } from '../failures.js';
import { makeFolder } from '../flow/durable-file.js';
import type { ReportProgress } from '../flow/progress.js';
import { isSealName, sealsName, type SealKeys } from '../integrity/seal-store.js';
import {
  joinedRegisters,
  newestOf,
  placesOf,
  readRegister,
  registerName,
  type RegisterPlaces,
} from '../privacy/register.js';
import type { SecretAtHand } from '../stores/secret-of-log.js';
import type { StoreSettings } from '../stores/stores.js';
import { sumOf } from './files.js';
import { demandRoomFor, removeOlder, whileLocked, withBackupDraft, type FoundBackup } from './folder.js';
import { completeManifest, logName, manifestName, manifestText, secretNames, type Manifest } from './manifest.js';
import { sealsInBackup } from './seals-in-backup.js';
import { verifyCopy } from './verify-backup.js';

interface BackupOptions {
  readonly stores: StoreSettings;
  readonly places: RegisterPlaces;
  /** The folder of backups. */
  readonly folder: string;
  /** Number of backups to keep; undefined: none is removed. */
  readonly keep: number | undefined;
  readonly withSecrets: boolean;
  /** Secrets, one of which may be the secret of this log. That secret makes the MAC of the manifest. */
  readonly secrets: readonly SecretAtHand[];
  /** Public keys whose seals count. */
  readonly sealKeys: SealKeys;
  /** Called with facts for the operator. */
  readonly onNotice: (notice: string) => void;
  /** Version of the service. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly onProgress: ReportProgress;
}

interface MadeBackup extends FoundBackup {
  /** Folders of older backups that were removed. */
  readonly removed: readonly string[];
  /** Facts about other folders there, for the operator. */
  readonly notices: readonly string[];
}

/** Makes a backup. Leaves nothing behind if that fails. @throws CommandFailedError @throws StoreFullError @throws StoreUnavailableError; what the file system throws; the signal's reason */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { stores, folder, keep, clock } = options;
  if (stores.events.kind !== 'embedded')
    throw new CommandFailedError(
      'The log is in EventStoreDB: back it up with its own tools, as docs/operations.md says under "Backup of servers".',
      { type: 'log_on_server' },
    );
  const { file } = stores.events;
  return await whileLocked(folder, async () => {
    const made_at = new Date(clock()).toISOString();
    let complete: CompleteDraft | undefined;
    const made = await withBackupDraft(folder, made_at, async (draft) => {
      // 1. Copy the seals, before the log, so that the copy of the log has all sealed events
      const seals = await copySeals(draft, options.places);
      // 2. Copy the log
      await copyLog(file, draft, options);
      // 3. Verify the copy, and put register and manifest beside it
      complete = await completeDraft(draft, { made_at, seals }, options);
    });
    if (complete === undefined) throw new Error('a backup has no manifest');
    const { manifest, secret } = complete;
    const found = { folder: made, manifest };
    // 4. Remove older backups
    if (keep === undefined) return { ...found, removed: [], notices: [] };
    const secrets = secret === undefined ? [] : [{ secret }];
    return { ...found, ...(await removeOlder({ folder, made: found, keep, secrets })) };
  });
}

const lookMs = 200;

async function copyLog(file: string, draft: string, { signal, onProgress }: BackupOptions): Promise<void> {
  const to = path.join(draft, logName);
  const total = statSync(file).size;
  // The size that it has by now; what was freed in the log is not copied.
  const report = (): void =>
    onProgress({ phase: 'copying', done: Math.min(total, statSync(to, { throwIfNoEntry: false })?.size ?? 0), total });
  const looking = setInterval(report, lookMs);
  await copySqliteLog({ file, to, signal }).finally(() => clearInterval(looking));
}

const notMade = 'No backup was made, and older ones stay. Run audience audit verify on the log itself.';

interface CompleteDraft {
  readonly manifest: Manifest;
  /** The secret that made the MAC. */
  readonly secret: string | undefined;
}

interface Draft {
  readonly made_at: string;
  /** Names of the seals in the backup. */
  readonly seals: readonly string[];
}

async function completeDraft(draft: string, { made_at, seals }: Draft, options: BackupOptions): Promise<CompleteDraft> {
  const { signal, places, version, folder, secrets, onProgress } = options;
  const { sealKeys: keys, onNotice } = options;
  const sealsOfDraft = sealsInBackup(draft, { files: seals.map((name) => ({ name })), keys, onNotice });
  const { secret, log_id, restores, count, root, position } = await verifyCopy(draft, sealsOfDraft, {
    ...{ secrets, signal, advice: notMade },
    onVerified: (done, total) => onProgress({ phase: 'verifying', done, total }),
  });
  demandRoomFor(folder, log_id);
  copyRegister(draft, places);
  const secretFiles = options.withSecrets ? await copySecrets(draft, places) : [];
  const files = [];
  for (const name of [logName, registerName, ...secretFiles, ...seals]) files.push(await sumOf(draft, name, signal));
  const facts = { made_at, log_id, restores, count, root, position };
  const manifest = completeManifest(
    {
      ...facts,
      register: registerFacts(draft, log_id),
      ...{ seals: seals.length, seal_keys: [...keys].sort(), secrets: secretFiles },
      versions: { service: version, node: process.versions.node, sqlite: process.versions['sqlite'] ?? '' },
      files,
    },
    secret,
  );
  writeFileSync(path.join(draft, manifestName), manifestText(manifest), { mode: 0o600 });
  return { manifest, secret };
}

/** Copies the register after the log, so that the register has everything that the copy of the log lacks. */
const copyRegister = (draft: string, places: RegisterPlaces): void =>
  writeFileSync(path.join(draft, registerName), joinedRegisters(placesOf(places)), { mode: 0o600 });

function registerFacts(draft: string, logId: string): Manifest['register'] {
  const content = readRegister(path.join(draft, registerName), logId);
  return {
    entries: content.erasures.length + content.keys.length + content.refusals.length,
    newest: newestOf(content) ?? null,
  };
}

/** Copies the seals of the data folder, and returns their names in the backup. */
async function copySeals(draft: string, { dataDir }: RegisterPlaces): Promise<readonly string[]> {
  const from = path.join(dataDir, sealsName);
  const names = existsSync(from) ? readdirSync(from).filter(isSealName).sort() : [];
  if (names.length > 0) makeFolder(path.join(draft, sealsName));
  const files = names.map((name) => `${sealsName}/${name}`);
  for (const name of files) await copyPrivately(path.join(dataDir, name), path.join(draft, name));
  return files;
}

/** Copies the secrets and keys that are in the data folder, and returns their names. A secret from elsewhere, such as SECRET, is not copied. */
async function copySecrets(draft: string, { dataDir }: RegisterPlaces): Promise<(typeof secretNames)[number][]> {
  const names = secretNames.filter((name) => existsSync(path.join(dataDir, name)));
  for (const name of names) await copyPrivately(path.join(dataDir, name), path.join(draft, name));
  return names;
}

/** Copies a file for its owner alone. Follows links, because a file of the data folder may be a link to a mounted secret. */
async function copyPrivately(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  await chmod(to, 0o600);
}
