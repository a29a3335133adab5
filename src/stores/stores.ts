/** The stores of the two deployments: SQLite files of one process, or EventStoreDB and MongoDB that many processes share. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { awaitServer, ServerRefusedError, type ServerVerdict, type AwaitServerOptions } from './await-server.js';
import { dataFolderAt, type DataFolder } from './data-folder.js';
import { openFileForReading, type OnNotice } from './for-reading.js';
import { leasesOf, type OpenLease } from './own-lease.js';
import { clockNotesIn, sharedClockNotes, type ClockNotes } from './trusted-clock.js';
import { CommandFailedError } from '../failures.js';
import { StoreUnavailableError, type EventReader, type EventStore } from '../eventstore/event-store.js';
import type { Observe } from '../flow/observe.js';
import type { EventStoreDbStore } from '../eventstore/eventstoredb/event-store.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import { hasWriter, openSqliteEventStore, type SqliteEventStore } from '../eventstore/sqlite/event-store.js';
import { checkViews } from '../projector/start.js';
import { checkpointName } from '../projector/storage.js';
import { ReadModelsUnavailableError, type ReadModelReader, type ReadModels } from '../readmodels/read-models.js';
import {
  discardIfUnusable,
  discardViews,
  openSqliteReadModels,
  openSqliteViews,
  type DiscardedViews,
  type SqliteReadModelsOptions,
} from '../readmodels/sqlite/read-models.js';
import type { OnDamage } from '../readmodels/sqlite/guard.js';

const embeddedSettings = z.object({
  deployment: z.literal('embedded'),
  events: z.object({ file: z.string() }),
  views: z.object({ file: z.string() }),
});
const serverSettings = z.object({
  deployment: z.literal('servers'),
  events: z.object({ url: z.string(), prefix: z.string() }),
  views: z.object({ url: z.string() }),
});
type EmbeddedSettings = z.output<typeof embeddedSettings>;
type ServerSettings = z.output<typeof serverSettings>;

/** The settings of a deployment. Plain data, because they cross threads. */
export const storeSettings = z.discriminatedUnion('deployment', [embeddedSettings, serverSettings]);
export type StoreSettings = z.output<typeof storeSettings>;
/** The settings of a log alone, which are enough for a command that reads no views. */
export type LogSettings = EmbeddedSettings | LogOnServer;
type LogOnServer = Omit<ServerSettings, 'views'> & Partial<Pick<ServerSettings, 'views'>>;

type StoreFiles = Pick<DataFolder, 'eventsFile' | 'viewsFile'>;

export const embeddedIn = ({ eventsFile, viewsFile }: StoreFiles): EmbeddedSettings => ({
  deployment: 'embedded',
  events: { file: eventsFile },
  views: { file: viewsFile },
});

/** Returns the settings of these servers, or of the files in the data folder if no servers are named. */
export const settingsOf = <Servers extends object>(servers: Servers | undefined, folder: StoreFiles) =>
  servers === undefined ? embeddedIn(folder) : { deployment: 'servers' as const, ...servers };

/** The event store, with what only the embedded log has. */
export type OpenEventStore = EventStore & Partial<EmbeddedLog>;
export type EmbeddedLog = Omit<SqliteEventStore, keyof EventStore>;

interface OpenReader extends EventReader {
  /** Lets subscriptions read at once, because something may have been appended. */
  wake(): void;
}

interface EventStoreHooks extends AwaitServerOptions {
  /** Called before an embedded log is opened or created, while no other process can write to it. */
  readonly onLocked?: () => void;
  /** Called once when an embedded log turns out not to be what was written there. */
  readonly onAltered?: (message: string) => void;
  readonly onFault?: (error: Error) => void;
}

interface ReadingCommand {
  readonly signal: AbortSignal;
  readonly onNotice: OnNotice;
}

/** A log that can be opened. */
export interface LogStore {
  readonly settings: LogSettings;
  /** The file in the data folder that may hold the secret of the log. Undefined on servers: there the secret is set in the environment. */
  readonly secretFile: string | undefined;
  /** Returns false if there is no log yet. Servers are not asked: returns true. */
  exists(): boolean;
  /** Returns whether a process writes to the log. Servers have no lock that would tell: returns true. */
  mayHaveWriter(): boolean;
  /** Opens the log to append. @throws WriterLockedError @throws StoreUnavailableError @throws ServerRefusedError */
  openEventStore(hooks?: EventStoreHooks): Promise<OpenEventStore>;
  /** Opens the log to follow it in another thread, or beside its writer. Does not wait for a server. @throws StoreUnavailableError @throws ServerRefusedError */
  openEventReader(hooks?: Pick<EventStoreHooks, 'onFault'>): Promise<OpenReader>;
  /** Opens the log for a command that only reads and leaves no trace. @throws CommandFailedError @throws StoreUnavailableError */
  openLogForReading(command: ReadingCommand): Promise<EventReader>;
}

interface ViewsHooks extends AwaitServerOptions {
  /** Called if the file was removed. */
  readonly onDiscarded: (discarded: DiscardedViews) => void;
}

interface ReadModelsHooks {
  /** Called when an embedded file turns out to be damaged. A server has checksums of its own. */
  readonly onDamage?: OnDamage;
}

interface OpenReadModels {
  (options: ReadModelsHooks & { readonly readOnly: true }): Promise<ReadModelReader>;
  (options?: ReadModelsHooks & { readonly busyTimeout?: number }): Promise<ReadModels>;
}

/** The log and the views of a deployment. */
export interface Stores extends LogStore {
  readonly settings: StoreSettings;
  /** Makes sure that the views can be opened: waits for their server, or removes a file that cannot be used. @throws ServerRefusedError */
  prepareViews(hooks: ViewsHooks): Promise<void>;
  /** Replaces a damaged file of views by an empty one. Other threads must have closed theirs. */
  replaceViews(): void;
  /**
   * Refuses views of another log, or of more of this log than there is: others may use them, or the log was shortened.
   * Call this before anything is written. @throws ForeignViewsError @throws ServerRefusedError
   */
  refuseForeignViews(log: EventReader, waiting: AwaitServerOptions): Promise<void>;
  /** `busyTimeout`: milliseconds that a write to an embedded file, and its thread, wait for another write. `readOnly`: for queries. @throws ReadModelsUnavailableError */
  readonly openReadModels: OpenReadModels;
  /** Opens the views for a command that only reads and leaves no trace. Views that do not exist are not created: they read as empty. @throws ReadModelsUnavailableError */
  openViewsForReading(onNotice: OnNotice): Promise<ReadModelReader>;
  /** Opens the lease with this name. Returns undefined if this process is the only one. @throws ReadModelsUnavailableError */
  readonly openLease: OpenLease;
  /** Opens the notes about the clock, which are kept between starts. @throws ReadModelsUnavailableError */
  openClockNotes(): Promise<ClockNotes>;
  /** The most that a rebuild writes at once. Undefined if nothing else waits for the writes of a rebuild. */
  readonly rebuildBounds: typeof embeddedBounds | undefined;
}

/**
 * Returns the stores of a deployment without opening them. Settings of a log alone lead to a store without views. No other
 * function of this room asks which deployment it is.
 *
 * @param observe reports transactions of the embedded log, and round trips to a server
 */
export function storesOf(settings: StoreSettings, observe?: Observe): Stores;
export function storesOf(settings: LogSettings, observe?: Observe): LogStore;
export function storesOf(settings: LogSettings, observe?: Observe): LogStore {
  if (settings.deployment === 'embedded') return embeddedStores(settings, observe);
  const { views } = settings;
  return views === undefined ? serverLog(settings, observe) : serverStores({ ...settings, views }, observe);
}

/** For threads that may wait: longer than creating the indexes of a large embedded view takes. */
export const longBusyTimeoutMs = 60_000;

/** The projector waits while the same file is written to: about 50 ms at a time. */
const embeddedBounds = { documents: 4_000, characters: 4 * 1024 * 1024 };

function embeddedStores(settings: EmbeddedSettings, observe: Observe | undefined): Stores {
  const [events, views] = [settings.events.file, settings.views.file];
  const folder = dataFolderAt(path.dirname(events));
  const openReadModels = async (options: Omit<SqliteReadModelsOptions, 'file'> = {}) =>
    openSqliteReadModels({ file: views, ...options });
  return {
    settings,
    secretFile: folder.secretFile,
    exists: () => existsSync(events),
    mayHaveWriter: () => hasWriter(events),
    openEventStore: (hooks = {}) => openSqliteEventStore({ ...hooks, observe, file: events, clock: Date.now }),
    openEventReader: async () => openSqliteEventReader({ file: events }),
    openLogForReading: ({ onNotice }) => openFileForReading(events, openSqliteEventReader, onNotice),
    async prepareViews({ onDiscarded }) {
      const discarded = discardIfUnusable(views, checkpointName);
      if (discarded !== undefined) onDiscarded(discarded);
    },
    replaceViews: () => discardViews(views),
    async refuseForeignViews(log) {
      const readModels = await openReadModels();
      await checkViews(log, readModels).finally(() => readModels.close());
    },
    openReadModels,
    openViewsForReading: async (onNotice) =>
      existsSync(views)
        ? await openFileForReading(views, openSqliteViews, onNotice)
        : openSqliteReadModels({ file: ':memory:' }),
    openLease: () => Promise.resolve(undefined),
    openClockNotes: () => Promise.resolve(clockNotesIn(folder.clockFile)),
    rebuildBounds: embeddedBounds,
  };
}

// Load the drivers of the servers only when they are used, because they would double the time of an embedded start.
const eventStoreDb = () => import('../eventstore/eventstoredb/event-store.js');
const mongo = () => import('../readmodels/mongodb/read-models.js');
const mongoCheck = () => import('../readmodels/mongodb/check.js');

function serverLog(settings: LogOnServer, observe: Observe | undefined): LogStore {
  const { url, prefix } = settings.events;

  async function open({ onFault }: Pick<EventStoreHooks, 'onFault'> = {}): Promise<EventStoreDbStore> {
    const { openEventStoreDb } = await eventStoreDb();
    try {
      return openEventStoreDb({ url, prefix, observe, ...(onFault && { onFault }) });
    } catch (error) {
      // The adapter's message holds nothing of the address.
      const reason = error instanceof Error ? error.message : 'it cannot be used';
      throw new ServerRefusedError(`EVENTSTORE_URL: ${reason}`, 'address', reason);
    }
  }

  async function openEventStore(hooks: EventStoreHooks = {}): Promise<OpenEventStore> {
    const store = await open(hooks);
    try {
      await awaitServer({ ...hooks, name: 'EventStoreDB (EVENTSTORE_URL)', check: () => store.check() });
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  return {
    settings,
    secretFile: undefined,
    exists: () => true,
    mayHaveWriter: () => true,
    openEventStore,
    openEventReader: open,
    async openLogForReading({ signal }) {
      try {
        // Do not wait for a server that does not answer, because its address is probably wrong.
        return await openEventStore({ waitsFor: [], signal });
      } catch (error) {
        if (!(error instanceof ServerRefusedError)) throw error;
        throw new CommandFailedError(`EventStoreDB (EVENTSTORE_URL) cannot be used: ${error.reason}`, {
          type: 'unavailable',
        });
      }
    },
  };
}

function serverStores(settings: ServerSettings, observe: Observe | undefined): Stores {
  const { url } = settings.views;
  const openReadModels = async (): Promise<ReadModels> => (await mongo()).openMongoReadModels({ url, observe });
  return {
    ...serverLog(settings, observe),
    settings,
    async prepareViews(hooks) {
      const { checkMongo } = await mongoCheck();
      await awaitServer({ ...hooks, name: 'MongoDB (MONGODB_URL)', check: () => checkMongo(url) });
    },
    // MongoDB repairs its own files.
    replaceViews: () => undefined,
    async refuseForeignViews(log, waiting) {
      const views = await openReadModels();
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
      await awaitServer({ ...waiting, name: 'A store (EVENTSTORE_URL, MONGODB_URL)', check }).finally(() =>
        views.close(),
      );
    },
    openReadModels,
    openViewsForReading: openReadModels,
    openLease: leasesOf(openReadModels),
    openClockNotes: async () => sharedClockNotes(await openReadModels()),
    rebuildBounds: undefined,
  };
}

/**
 * Opens the stores for the thread of a rebuild, which waits for other writers and leaves them time to write.
 * @throws StoreUnavailableError @throws ReadModelsUnavailableError
 */
export async function openRebuildStores(settings: StoreSettings, hooks: ReadModelsHooks = {}) {
  const stores = storesOf(settings);
  const reader = await stores.openEventReader();
  const readModels = await stores.openReadModels({ ...hooks, busyTimeout: longBusyTimeoutMs });
  return {
    reader,
    readModels,
    /** The bounds of one write. Absent if nothing else waits for the write. */
    ...(stores.rebuildBounds && { bounds: stores.rebuildBounds }),
    async close() {
      await reader.close();
      await readModels.close();
    },
  };
}
