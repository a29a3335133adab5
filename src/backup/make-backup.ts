/** Makes a backup, also while the service runs: the log as it is at one moment, verified, the register and the seals, and a manifest last. */
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copySqliteLog } from '../eventstore/sqlite/log-copy.js';
import { sealKeyName } from '../evidence/seal-key.js';
import { sealsName } from '../evidence/seal-folder.js';
import type { Verification } from '../evidence/verify.js';
import { CommandFailedError } from '../failures.js';
import type { ReportProgress } from '../flow/progress.js';
import {
  joinedRegisters,
  newestOf,
  placesOf,
  readRegister,
  registerName,
  type RegisterPlaces,
} from '../privacy/register.js';
import { dataFolderAt } from '../stores/data-folder.js';
import type { StoreSettings } from '../stores/stores.js';
import { backupNameAt, removeOlder, whileLocked, withBackupDraft } from './folder.js';
import { logName, manifestName, sumOf, type Manifest } from './manifest.js';
import { verifyCopy, type LogCheck } from './verify-backup.js';

interface BackupOptions extends Pick<LogCheck, 'headKey' | 'signal'> {
  readonly stores: StoreSettings;
  readonly places: RegisterPlaces;
  /** The folder of backups. */
  readonly folder: string;
  /** Of this log; undefined: none is removed. */
  readonly keep: number | undefined;
  readonly withSecrets: boolean;
  /** Of the service. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly onProgress: ReportProgress;
}

interface MadeBackup {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Older ones that went. */
  readonly removed: readonly string[];
}

/** Nothing is left of one that fails. @throws CommandFailedError @throws StoreFullError @throws StoreUnavailableError; what the file system throws; the signal's reason */
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
    let manifest: Manifest | undefined;
    const made = await withBackupDraft(folder, backupNameAt(made_at), async (draft) => {
      await copyLog(file, draft, options);
      manifest = await complete(draft, made_at, options);
    });
    if (manifest === undefined) throw new Error('a backup has no manifest');
    const removed = keep === undefined ? [] : await removeOlder(folder, manifest.log_id, keep);
    return { folder: made, manifest, removed };
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

/** Verifies the copy of the log and puts the rest beside it. */
async function complete(draft: string, made_at: string, options: BackupOptions): Promise<Manifest> {
  const { signal, places, version, onProgress } = options;
  const verified = await verifyCopy(draft, {
    ...options,
    onVerified: (done, total) => onProgress({ phase: 'verifying', done, total }),
  });
  copyRegister(draft, places);
  const seals = copySeals(draft, places);
  const secrets = options.withSecrets ? copySecrets(draft, places) : [];
  const names = readdirSync(draft, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(draft, path.join(entry.parentPath, entry.name)));
  const files = [];
  for (const name of names.sort()) files.push(await sumOf(draft, name, signal));
  const manifest = {
    ...({ format: 'audience-ledger-backup/1', made_at, ...factsOf(verified) } as const),
    ...{ register: registerFacts(draft, verified.log_id ?? ''), seals, secrets },
    versions: { service: version, node: process.versions.node, sqlite: process.versions['sqlite'] ?? '' },
    files,
  };
  writeFileSync(path.join(draft, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
  return manifest;
}

const factsOf = ({ log_id, count, head, position, sealed_head }: Verification) => ({
  log_id: log_id ?? '',
  count,
  head,
  position,
  sealed_head_checked: sealed_head?.checked ?? false,
});

/** After the log: so it lacks nothing that the log has not got either. */
const copyRegister = (draft: string, places: RegisterPlaces): void =>
  writeFileSync(path.join(draft, registerName), joinedRegisters(placesOf(places)), { mode: 0o600 });

function registerFacts(draft: string, logId: string): Manifest['register'] {
  const content = readRegister(path.join(draft, registerName), logId);
  return {
    entries: content.erasures.length + content.keys.length + content.refusals.length,
    newest: newestOf(content) ?? null,
  };
}

/** @returns how many */
function copySeals(draft: string, { dataDir }: RegisterPlaces): number {
  const from = path.join(dataDir, sealsName);
  if (!existsSync(from)) return 0;
  const names = readdirSync(from).filter((name) => /^[\w.-]+\.json$/.test(name));
  mkdirSync(path.join(draft, sealsName), { mode: 0o700 });
  for (const name of names) cpSync(path.join(from, name), path.join(draft, sealsName, name));
  return names.length;
}

/** Those of the data folder: what comes from elsewhere, such as SECRET, stays there. @returns their names */
function copySecrets(draft: string, { dataDir }: RegisterPlaces): string[] {
  const { secretFile, keysFile } = dataFolderAt(dataDir);
  const files = [secretFile, keysFile, path.join(dataDir, sealKeyName)].filter((file) => existsSync(file));
  for (const file of files) cpSync(file, path.join(draft, path.basename(file)));
  return files.map((file) => path.basename(file));
}
