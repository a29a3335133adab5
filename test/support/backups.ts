/** A small data folder without a service, its backups, and alterations of a backup by somebody who can write to its folder. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deriveHeadKey, deriveStreamKeys } from '../../src/events/streams.js';
import type { EventToAppend } from '../../src/eventstore/event-store.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { audience, type Ended } from './audience.js';
import type { Overrides } from './stores.js';

const event = (type: string, data: object): EventToAppend => ({
  id: randomUUID(),
  type,
  data: JSON.stringify(data),
  metadata: JSON.stringify({
    ...{ at: '2026-01-01T00:00:00.000Z', $correlationId: 'a', $causationId: 'a' },
    ...{ request_id: 'a', actor: 'service', schema: 1 },
  }),
});

export interface LogFolder {
  readonly dataDir: string;
  readonly logId: string;
  readonly secret: string;
  /** Appends events, and events that say that the log was restored. */
  grow(events: { readonly groups?: number; readonly restores?: number }): Promise<void>;
}

const head = '0'.repeat(64);

/** Creates a data folder with a log of one event, its secret, its API keys and its seal key. */
export async function newLogFolder(dataDir: string): Promise<LogFolder> {
  mkdirSync(dataDir, { recursive: true });
  const [logId, secret] = [randomUUID(), randomBytes(32).toString('hex')];
  writeFileSync(path.join(dataDir, 'secret'), `${secret}\n`);
  writeFileSync(path.join(dataDir, 'api-keys.json'), `${JSON.stringify([{ id: 'default', sha256: head }])}\n`);
  writeFileSync(path.join(dataDir, 'seal-key.pem'), 'a private key\n');
  async function append(stream: string, events: readonly EventToAppend[]): Promise<void> {
    const file = path.join(dataDir, 'events.db');
    const store = await openSqliteEventStore({ file, clock: Date.now, headKey: () => deriveHeadKey(secret) });
    for (const one of events) await store.append(stream, [one], { expectedRevision: 'any' });
    await store.close();
  }
  const secret_fingerprint = deriveStreamKeys(secret).fingerprint(logId);
  await append('service', [event('ServiceInitialised', { log_id: logId, secret_fingerprint })]);
  return {
    ...{ dataDir, logId, secret },
    async grow({ groups = 0, restores = 0 }) {
      const restored = Array.from({ length: restores }, () => event('LogRestored', { count: 1, head }));
      if (restores > 0) await append('service', restored);
      const some = Array.from({ length: groups }, () => event('Said', { text: 'hello' }));
      if (groups > 0) await append(`said-${randomUUID()}`, some);
    },
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
