/** Makes a backup, also while the service runs. A backup has the seals, a verified copy of the log as it was at one moment, and the register. The manifest is written last. */
import { constants, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { copySqliteLog } from '../eventstore/sqlite/log-copy.js';
import { CommandFailedError } from '../failures.js';
import { deriveRegisterKey } from '../events/streams.js';
import { makeFolder } from '../flow/durable-file.js';
import type { ReportProgress } from '../flow/progress.js';
import { isSealName, sealsName, type SealKeys } from '../integrity/seal-store.js';
import {
  joinedLines,
  placesOf,
  readRegister,
  registerName,
  textOfLines,
  type RegisterPlaces,
} from './register-file.js';
import type { SecretAtHand } from '../stores/secret-of-log.js';
import type { LogSettings } from '../stores/stores.js';
import { sumOf } from './files.js';
import { demandRoomFor, removeOlder, whileLocked, withBackupDraft, type FoundBackup } from './folder.js';
import { completeManifest, logName, manifestName, manifestText, secretNames, type Manifest } from './manifest.js';
import { noticeOfInvalid } from './compare-registers.js';
import { verifyCopy } from './verify-backup.js';

interface BackupOptions {
  readonly log: LogSettings;
  readonly places: RegisterPlaces;
  /** The folder of backups. */
  readonly folder: string;
  /** Number of backups to keep, or undefined to remove none. */
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
  const { log, folder, keep, clock } = options;
  if (log.deployment !== 'embedded')
    throw new CommandFailedError(
      'The log is in EventStoreDB: back it up with its own tools, as docs/operations.md says under "Backup of servers".',
      { type: 'log_on_server' },
    );
  const { file } = log.events;
  return await whileLocked(folder, async () => {
    const made_at = new Date(clock()).toISOString();
    const { backup, result } = await withBackupDraft(folder, made_at, async (draft) => {
      // 1. Copy the seals, before the log, so that the copy of the log has all sealed events
      const seals = await copySeals(draft, options.places);
      // 2. Copy the log
      await copyLog(file, draft, options);
      // 3. Verify the copy, and put register and manifest beside it
      return await completeDraft(draft, { made_at, seals }, options);
    });
    const { manifest, secret } = result;
    const made = { folder: backup, manifest };
    // 4. Remove older backups
    if (keep === undefined) return { ...made, removed: [], notices: [] };
    const secrets = secret === undefined ? [] : [{ secret }];
    return { ...made, ...(await removeOlder({ folder, made, keep, secrets })) };
  });
}

/** Milliseconds between two reports of progress. */
const reportMs = 200;

async function copyLog(file: string, draft: string, { signal, onProgress }: BackupOptions): Promise<void> {
  const to = path.join(draft, logName);
  const total = statSync(file).size;
  // The copy can end smaller than the log, because free pages are not copied.
  const report = (): void =>
    onProgress({ phase: 'copying', done: Math.min(total, statSync(to, { throwIfNoEntry: false })?.size ?? 0), total });
  const timer = setInterval(report, reportMs);
  await copySqliteLog({ file, to, signal }).finally(() => clearInterval(timer));
}

const notMade = 'No backup was made, and older backups were kept. Run audience audit verify on the log itself.';

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
  const { signal, places, version, folder, secrets, sealKeys: keys, onNotice, onProgress } = options;
  const sealFiles = { files: seals.map((name) => ({ name })), keys };
  const { secret, log_id, restores, count, root, position } = await verifyCopy(draft, sealFiles, {
    secrets,
    signal,
    onNotice,
    advice: notMade,
    onVerified: (done, total) => onProgress({ phase: 'verifying', done, total }),
  });
  demandRoomFor(folder, log_id);
  // The register is copied after the log, so that it has a line for each registered event that the copy of the log lacks.
  const entries = copyRegister(draft, places, { logId: log_id, secret, onNotice });
  const secretFiles = options.withSecrets ? await copySecrets(draft, places) : [];
  const files = [];
  for (const name of [logName, registerName, ...secretFiles, ...seals]) files.push(await sumOf(draft, name, signal));
  const manifest = completeManifest(
    {
      ...{ made_at, log_id, restores, count, root, position },
      register: { entries },
      seals: seals.length,
      seal_keys: [...keys].sort(),
      secrets: secretFiles,
      versions: { service: version, node: process.versions.node, sqlite: process.versions['sqlite'] ?? '' },
      files,
    },
    secret,
  );
  writeFileSync(path.join(draft, manifestName), manifestText(manifest), { mode: 0o600 });
  return { manifest, secret };
}

interface RegisterCopy {
  readonly logId: string;
  /** The secret of the log, or undefined if it is not known. Without it, no MAC of a line is checked. */
  readonly secret: string | undefined;
  readonly onNotice: (notice: string) => void;
}

/** Copies the valid lines of both places of the register, and names the others in a notice. Returns the number of lines. */
function copyRegister(draft: string, places: RegisterPlaces, { logId, secret, onNotice }: RegisterCopy): number {
  const key = secret === undefined ? undefined : deriveRegisterKey(secret);
  const contents = placesOf(places).map((file) => readRegister(file, { logId, key }));
  for (const content of contents) noticeOfInvalid(content, onNotice);
  const lines = joinedLines(contents);
  writeFileSync(path.join(draft, registerName), textOfLines(lines), { mode: 0o600 });
  return lines.length;
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

/** Copies the secrets and keys of the data folder, and returns their names. Does not copy a secret from elsewhere, such as SECRET. */
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
