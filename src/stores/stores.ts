/** Opens the two stores of the configuration, embedded or on servers, and waits for servers that are not there yet. */
import { z } from 'zod';
import { awaitServer, ServerRefusedError, type ServerVerdict, type AwaitServerOptions } from './await-server.js';
import type { Config } from './config.js';
import type { DataFolder } from './data-folder.js';
import { StoreUnavailableError, type EventReader, type EventStore } from '../eventstore/event-store.js';
import type { EventStoreDbStore } from '../eventstore/eventstoredb/event-store.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import {
  openSqliteEventStore,
  type SqliteEventStore,
  type SqliteEventStoreOptions,
} from '../eventstore/sqlite/event-store.js';
import { checkViews } from '../projector/start.js';
import { checkpointName } from '../projector/storage.js';
import { ReadModelsUnavailableError, type ReadModelReader, type ReadModels } from '../readmodels/read-models.js';
import {
  discardIfUnusable,
  discardViews,
  openSqliteReadModels,
  type DiscardedViews,
} from '../readmodels/sqlite/read-models.js';
import type { OnDamage } from '../readmodels/sqlite/guard.js';

const embedded = z.object({ kind: z.literal('embedded'), file: z.string() });

// The drivers of the servers are loaded only when used: they would double the time of an embedded start.
const eventStoreDb = () => import('../eventstore/eventstoredb/event-store.js');
const mongo = () => import('../readmodels/mongodb/read-models.js');
const mongoCheck = () => import('../readmodels/mongodb/check.js');

/** Plain data: it crosses threads. */
export const storeSettings = z.object({
  events: z.discriminatedUnion('kind', [
    embedded,
    z.object({ kind: z.literal('eventstoredb'), url: z.string(), prefix: z.string() }),
  ]),
  views: z.discriminatedUnion('kind', [embedded, z.object({ kind: z.literal('mongodb'), url: z.string() })]),
});
export type StoreSettings = z.output<typeof storeSettings>;
/** Where a log is: the file in a data folder, or a server with a prefix of stream names. */
export type LogAddress = StoreSettings['events'];

/** The event store, with what only the embedded log has. */
export type OpenEventStore = EventStore & Partial<EmbeddedLog>;
export type EmbeddedLog = Omit<SqliteEventStore, keyof EventStore>;

interface OpenReader extends EventReader {
  /** Something may have been appended: subscriptions read at once. */
  wake(): void;
}

export const settingsOf = (
  { eventStore, mongodb }: Pick<Config, 'eventStore' | 'mongodb'>,
  folder: Pick<DataFolder, 'eventsFile' | 'viewsFile'>,
): StoreSettings => ({
  events:
    eventStore === undefined
      ? { kind: 'embedded', file: folder.eventsFile }
      : { kind: 'eventstoredb', url: eventStore.url, prefix: eventStore.prefix },
  views: mongodb === undefined ? { kind: 'embedded', file: folder.viewsFile } : { kind: 'mongodb', url: mongodb },
});

/** Whether other processes may write to one of the stores while this one runs. */
export const isShared = ({ events, views }: StoreSettings): boolean =>
  events.kind !== 'embedded' || views.kind !== 'embedded';

interface EventStoreHooks extends AwaitServerOptions {
  /** Called before an embedded log is opened or created, while no other process can write to it. */
  readonly onLocked?: () => void;
  /** Called once when an embedded log turns out not to be what was written there. */
  readonly onAltered?: (message: string) => void;
  readonly onFault?: (error: Error) => void;
  /** Of the embedded log. */
  readonly onCommit?: NonNullable<SqliteEventStoreOptions['onCommit']>;
}

/** To append, too. @throws WriterLockedError @throws StoreUnavailableError @throws ServerRefusedError */
export async function openEventStore(address: LogAddress, hooks: EventStoreHooks = {}): Promise<OpenEventStore> {
  if (address.kind === 'embedded') return await openSqliteEventStore({ ...hooks, file: address.file, clock: Date.now });
  const store = await openServer(address, hooks);
  try {
    await awaitServer({ ...hooks, name: 'EventStoreDB (EVENTSTORE_URL)', check: () => store.check() });
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Follows the log in another thread, or beside its writer; a server is not waited for. @throws StoreUnavailableError @throws ServerRefusedError */
export const openEventReader = async (
  address: LogAddress,
  hooks: Pick<EventStoreHooks, 'onFault'> = {},
): Promise<OpenReader> =>
  address.kind === 'embedded' ? openSqliteEventReader({ file: address.file }) : await openServer(address, hooks);

async function openServer(
  { url, prefix }: Extract<LogAddress, { kind: 'eventstoredb' }>,
  { onFault }: Pick<EventStoreHooks, 'onFault'>,
): Promise<EventStoreDbStore> {
  const { openEventStoreDb } = await eventStoreDb();
  try {
    return openEventStoreDb({ url, prefix, ...(onFault && { onFault }) });
  } catch (error) {
    // The adapter's message holds nothing of the address.
    const reason = error instanceof Error ? error.message : 'it cannot be used';
    throw new ServerRefusedError(`EVENTSTORE_URL: ${reason}`, 'address', reason);
  }
}

interface ViewsHooks extends AwaitServerOptions {
  /** Called if the file was removed. */
  readonly onDiscarded: (discarded: DiscardedViews) => void;
}

/** Makes sure that the views can be opened: waits for their server, or removes a file that cannot be used. @throws ServerRefusedError */
export async function prepareViews(settings: StoreSettings['views'], hooks: ViewsHooks): Promise<void> {
  if (settings.kind === 'mongodb') {
    const { checkMongo } = await mongoCheck();
    return await awaitServer({ ...hooks, name: 'MongoDB (MONGODB_URL)', check: () => checkMongo(settings.url) });
  }
  const discarded = discardIfUnusable(settings.file, checkpointName);
  if (discarded !== undefined) hooks.onDiscarded(discarded);
}

/** Replaces a damaged file of views by an empty one. Other threads must have closed theirs. */
export function replaceViews(settings: StoreSettings['views']): void {
  if (settings.kind === 'embedded') discardViews(settings.file);
}

/**
 * Refuses views of another log, or of more of this log than there is: others may use them, or the log was shortened.
 * Call this before anything is written. @throws ForeignViewsError @throws ServerRefusedError
 */
export async function refuseForeignViews(
  settings: StoreSettings,
  log: EventReader,
  waiting: AwaitServerOptions,
): Promise<void> {
  const views = await openReadModels(settings.views);
  const check = async (): Promise<ServerVerdict> => {
    try {
      await checkViews(log, views);
      return { status: 'ready' };
    } catch (error) {
      if (error instanceof ReadModelsUnavailableError || error instanceof StoreUnavailableError)
        return { status: 'unreachable', reason: error.message };
      throw error;
    }
  };
  try {
    if (!isShared(settings)) await checkViews(log, views);
    else await awaitServer({ ...waiting, name: 'A store (EVENTSTORE_URL, MONGODB_URL)', check });
  } finally {
    await views.close();
  }
}

/** For threads that may wait: longer than creating the indexes of a large embedded view takes. */
export const longBusyTimeoutMs = 60_000;

type ViewsAddress = StoreSettings['views'];

interface ReadModelsHooks {
  /** Called when an embedded file turns out to be damaged. A server has checksums of its own. */
  readonly onDamage?: OnDamage;
}

/** `busyTimeout`: milliseconds that a write to an embedded file, and its thread, wait for another write. `readOnly`: for queries. @throws ReadModelsUnavailableError */
export async function openReadModels(
  settings: ViewsAddress,
  options: ReadModelsHooks & { readonly readOnly: true },
): Promise<ReadModelReader>;
export async function openReadModels(
  settings: ViewsAddress,
  options?: ReadModelsHooks & { readonly busyTimeout?: number },
): Promise<ReadModels>;
export async function openReadModels(
  settings: ViewsAddress,
  options: ReadModelsHooks & { readonly busyTimeout?: number; readonly readOnly?: boolean } = {},
): Promise<ReadModels> {
  if (settings.kind === 'embedded') return openSqliteReadModels({ file: settings.file, ...options });
  return (await mongo()).openMongoReadModels(settings);
}

/** The projector waits while the same file is written to: about 50 ms at a time. */
const embeddedBounds = { documents: 4_000, characters: 4 * 1024 * 1024 };

/**
 * As a rebuild needs them, in any thread or process: they wait for other writers, and leave them time to write.
 * @throws StoreUnavailableError @throws ReadModelsUnavailableError
 */
export async function openRebuildStores({ events, views }: StoreSettings, hooks: ReadModelsHooks = {}) {
  const reader = await openEventReader(events);
  const readModels = await openReadModels(views, { ...hooks, busyTimeout: longBusyTimeoutMs });
  return {
    reader,
    readModels,
    /** Of one write. Absent where nothing else waits for it. */
    ...(views.kind === 'embedded' ? { bounds: embeddedBounds } : {}),
    async close() {
      await reader.close();
      await readModels.close();
    },
  };
}
