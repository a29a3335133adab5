/** Opens the two ends of a migration by their addresses: a source that is read, a target that is appended to. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import {
  StoreUnavailableError,
  WriterLockedError,
  type EventReader,
  type EventStore,
} from '../eventstore/event-store.js';
import type { EventStoreDbStore } from '../eventstore/eventstoredb/event-store.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import { openSqliteEventStore, type SqliteEventStore } from '../eventstore/sqlite/event-store.js';
import { refusal, UsageError } from '../failures.js';
import { shown, type EventStoreDbAddress, type LogAddress } from './log-address.js';
import { withRetry, type Retrying } from './with-retry.js';

/** `still`: no other process can append to it until it is closed. `in_use`: a service is running on it. */
export type Stillness = 'still' | 'in_use' | 'unknown';

export interface CopySource {
  readonly reader: Pick<EventReader, 'readAll' | 'head'>;
  /** Tries to keep every other process from writing; once `still`, it stays so. */
  hold(): Promise<Stillness>;
}

interface SourceLog extends CopySource {
  close(): Promise<void>;
}

/** The file that src/stores/data-folder.ts gives the log. */
export const eventsFileOf = (folder: string): string => path.join(folder, 'events.db');

/** @throws CommandFailedError @throws StoreUnavailableError @throws UsageError a URL that cannot be used */
export async function openSource(address: LogAddress, options: Retrying): Promise<SourceLog> {
  if (address.kind === 'folder') return openSourceFolder(address.folder);
  const store = await openServer(address, options);
  // A server has no lock that would tell.
  return { reader: store, hold: async () => 'unknown', close: () => store.close() };
}

function openSourceFolder(folder: string): SourceLog {
  const file = eventsFileOf(folder);
  if (!existsSync(file)) throw refusal(`there is no event log in ${folder} (no file ${file})`);
  const reader = openSqliteEventReader({ file });
  let lock: SqliteEventStore | undefined;
  return {
    reader,
    async hold() {
      try {
        lock ??= await openSqliteEventStore({ file, clock: Date.now });
        return 'still';
      } catch (error) {
        // A copy of a log on a read-only disk cannot be locked, and can be read.
        return error instanceof WriterLockedError ? 'in_use' : 'unknown';
      }
    },
    async close() {
      await reader.close();
      await lock?.close();
    },
  };
}

/** Makes the folder and the log where they are missing. Throws as `openSource` does. */
export const openTarget = (
  address: LogAddress,
  headKey: Uint8Array | undefined,
  options: Retrying,
): Promise<EventStore> =>
  address.kind === 'folder' ? openTargetFolder(address.folder, headKey) : openServer(address, options);

async function openTargetFolder(folder: string, headKey: Uint8Array | undefined): Promise<EventStore> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const key = headKey && { headKey: () => headKey };
    return await openSqliteEventStore({ file: eventsFileOf(folder), clock: Date.now, ...key });
  } catch (error) {
    if (!(error instanceof WriterLockedError)) throw error;
    throw refusal(
      `a service (or another migration) is running on ${folder}. Stop it, then run the command again.`,
      error,
    );
  }
}

/** A server that is starting is waited for; one that cannot be reached is rather a mistake in its address. */
async function openServer({ url, prefix }: EventStoreDbAddress, options: Retrying): Promise<EventStoreDbStore> {
  // The driver is loaded here only: it takes longer than all that most commands do.
  const { EventStoreUrlError } = await import('../eventstore/eventstoredb/url.js');
  const { openEventStoreDb } = await import('../eventstore/eventstoredb/event-store.js');
  let store: EventStoreDbStore | undefined;
  try {
    const opened = openEventStoreDb({ url, prefix });
    store = opened;
    await withRetry(() => demandReady(opened), options);
    return opened;
  } catch (error) {
    await store?.close();
    if (error instanceof EventStoreUrlError) throw new UsageError(error.message);
    throw error;
  }
}

async function demandReady(store: EventStoreDbStore): Promise<void> {
  const check = await store.check();
  if (check.status === 'ready') return;
  if (check.status === 'not_ready') throw new StoreUnavailableError(check.reason);
  throw refusal(check.reason);
}

/** For a dry run: makes nothing. Undefined: there is nothing yet. Throws as `openSource` does. */
export async function openTargetReader(address: LogAddress, options: Retrying): Promise<EventReader | undefined> {
  if (address.kind !== 'folder') return openServer(address, options);
  const file = eventsFileOf(address.folder);
  return existsSync(file) ? openSqliteEventReader({ file }) : undefined;
}

/** Before the source is read for minutes: a server that does not answer, or a URL that cannot be used. Throws as `openSource` does. */
export async function demandReachable(address: LogAddress, options: Retrying): Promise<void> {
  if (address.kind === 'eventstoredb') await (await openServer(address, options)).close();
}

/** @throws CommandFailedError both are one log. */
export function refuseSameLog(from: LogAddress, to: LogAddress): void {
  if (identityOf(from) === identityOf(to)) throw refusal(`--from and --to are the same log, ${shown(from)}`);
}

function identityOf(address: LogAddress): string {
  if (address.kind === 'eventstoredb') return `${address.prefix} ${address.url}`;
  return existsSync(address.folder) ? realpathSync(address.folder) : path.resolve(address.folder);
}
