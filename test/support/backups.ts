/** A small data folder without a service, its backups, and alterations of a backup by an attacker who can write to its folder. */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deriveRestoredKey, deriveStreamKeys } from '../../src/events/streams.js';
import type { EventToAppend } from '../../src/eventstore/event-store.js';
import { toHex } from '../../src/eventstore/leaf.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { rootOf } from '../../src/eventstore/tree.js';
import { restoredMac, restoresOf } from '../../src/integrity/restores.js';
import { keepSeal } from '../../src/integrity/seal-store.js';
import { createSeal, type SealedState } from '../../src/integrity/seal.js';
import { audience, type Ended } from './audience.js';
import type { Overrides } from './stores.js';

const event = (type: string, data: object, schema = 1): EventToAppend => ({
  id: randomUUID(),
  type,
  data: JSON.stringify(data),
  metadata: JSON.stringify({
    ...{ at: '2026-01-01T00:00:00.000Z', $correlationId: 'a', $causationId: 'a' },
    ...{ request_id: 'a', actor: 'service', schema },
  }),
});

export interface LogFolder {
  readonly dataDir: string;
  readonly logId: string;
  readonly secret: string;
  /** Appends records of restores, and other events. */
  grow(events: { readonly groups?: number; readonly restores?: number }): Promise<void>;
  /** Seals the log, and returns the file. @param change members that a forger would write */
  seal(change?: Partial<SealedState>): Promise<string>;
}

/** Creates a data folder with a log of one event, its secret, its API keys and its seal key. */
export async function newLogFolder(dataDir: string): Promise<LogFolder> {
  mkdirSync(dataDir, { recursive: true });
  const [logId, secret] = [randomUUID(), randomBytes(32).toString('hex')];
  writeFileSync(path.join(dataDir, 'secret'), `${secret}\n`);
  const keys = [{ id: 'default', sha256: '0'.repeat(64) }];
  writeFileSync(path.join(dataDir, 'api-keys.json'), `${JSON.stringify(keys)}\n`);
  const sealKey = generateKeyPairSync('ed25519').privateKey;
  writeFileSync(path.join(dataDir, 'seal-key.pem'), sealKey.export({ type: 'pkcs8', format: 'pem' }));

  async function whileOpen<Result>(work: (store: SqliteEventStore) => Promise<Result>): Promise<Result> {
    const store = await openSqliteEventStore({ file: path.join(dataDir, 'events.db'), clock: Date.now });
    return await work(store).finally(() => store.close());
  }
  const append = (store: SqliteEventStore, stream: string, one: EventToAppend) =>
    store.append(stream, [one], { expectedRevision: 'any' });
  async function stateOf(store: SqliteEventStore): Promise<{ readonly count: number; readonly root: string }> {
    const frontier = await store.frontier();
    return { count: frontier.count, root: toHex(rootOf(frontier) ?? '') };
  }

  const secret_fingerprint = deriveStreamKeys(secret).fingerprint(logId);
  await whileOpen((store) =>
    append(store, 'service', event('ServiceInitialised', { log_id: logId, secret_fingerprint })),
  );
  return {
    ...{ dataDir, logId, secret },
    grow: ({ groups = 0, restores = 0 }) =>
      whileOpen(async (store) => {
        const key = deriveRestoredKey(secret);
        for (let left = restores; left > 0; left -= 1) {
          const number = (await restoresOf(store)).length + 1;
          const record = { ...(await stateOf(store)), superseded: null };
          const mac = restoredMac({ ...record, logId, number }, key);
          await append(store, 'service', event('LogRestored', { ...record, mac }, 2));
        }
        const stream = `said-${randomUUID()}`;
        for (let left = groups; left > 0; left -= 1) await append(store, stream, event('Said', { text: 'hello' }));
      }),
    seal: (change = {}) =>
      whileOpen(async (store) => {
        const restores = (await restoresOf(store)).length;
        const state = { log_id: logId, seq: 1, restores, ...(await stateOf(store)), final: false, ...change };
        return keepSeal(dataDir, createSeal(state, sealKey, Date.now()));
      }),
  };
}

/** Creates an empty folder. */
export function newRoot(): { readonly root: string; remove(): void } {
  const root = mkdtempSync(path.join(tmpdir(), 'backups-'));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

export interface Made {
  readonly folder: string;
  readonly removed: readonly string[];
  readonly err: string;
}

/** Makes a backup, which must succeed. */
export async function backUp(log: LogFolder, folder: string, ...words: readonly string[]): Promise<Made> {
  const { code, out, err } = await audience(['--data-dir', log.dataDir, 'backup', folder, ...words]);
  if (code !== 0) throw new Error(err);
  return { ...(JSON.parse(out) as Omit<Made, 'err'>), err };
}

interface Restoring {
  /** The folder in use. Default: a folder that does not exist. */
  readonly dataDir?: string;
  readonly env?: Overrides;
}

/** Restores a backup without a newer register. */
export const restoreTo = (
  to: string,
  [from, ...words]: readonly [string, ...string[]],
  { dataDir = path.join(to, '..', 'no-data'), env = {} }: Restoring = {},
): Promise<Ended> =>
  audience(['--data-dir', dataDir, 'restore', from, '--to', to, '--without-newer-register', ...words], { env });

/** A manifest that a test changes. */
export type ManifestJson = Record<string, unknown> & {
  files: { name: string; bytes: number; sha256: string }[];
  secrets: string[];
};

export function alterManifest(backup: string, alter: (manifest: ManifestJson) => void): void {
  const file = path.join(backup, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as ManifestJson;
  alter(manifest);
  writeFileSync(file, JSON.stringify(manifest));
}
