/** Log, views and data folder of one call of the command line, by its options and the environment. */
import { randomUUID, type KeyObject } from 'node:crypto';
import path from 'node:path';
import type { CommandPlace, CommandTerminal } from '../cli/shared/command-line.js';
import { deriveRegisterKey, deriveRestoredKey, deriveStreamKeys } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { CommandFailedError } from '../failures.js';
import { liveProjections } from '../projections/views.js';
import { readLive } from '../projector/live-reader.js';
import { readStoresConfig } from '../stores/config.js';
import { dataFolderAt } from '../stores/data-folder.js';
import { isMarkedRestored } from '../recovery/restored-mark.js';
import { secretOf, secretsInFolder, streamKeysOf } from '../stores/secret-of-log.js';
import { version } from './version.js';
import { settingsOf, storesOf, type LogStore, type Stores } from '../stores/stores.js';

type Around = Pick<CommandTerminal, 'env' | 'stderr' | 'signal'>;

/** A folder named on the command line wins over servers named in the environment. @throws ConfigurationError */
export function commandPlace(named: string | undefined, { env, stderr, signal }: Around): CommandPlace {
  const config = readStoresConfig(
    named === undefined ? env : { ...env, DATA_DIR: named, EVENTSTORE_URL: '', MONGODB_URL: '' },
  );
  const { dataDir, secret, seals } = config;
  const folder = dataFolderAt(dataDir);
  const log = storesOf(settingsOf(config.logServer, folder));
  const stores = (): Stores => storesOf(settingsOf(config.servers(), folder));
  const onNotice = (notice: string): void => void stderr.write(`${notice}\n`);
  const existing = (): LogStore => demandLog(log, dataDir);
  const secrets = (): readonly (string | undefined)[] => [secret, folder.secret()];
  const openLog = async (): Promise<EventReader> => existing().openLogForReading({ signal, onNotice });
  return {
    dataDir,
    secret,
    outbox: folder.outbox,
    seals,
    log,
    stores,
    signal,
    newUuid: randomUUID,
    version,
    existing,
    openLog,
    async openViews() {
      const views = await demandLog(stores(), dataDir).openViewsForReading(onNotice);
      return await readLive(views, liveProjections).catch(async (error: unknown) => {
        await views.close();
        throw error;
      });
    },
    async openCommands() {
      const log = await openLog();
      if (isMarkedRestored(dataDir)) {
        await log.close();
        throw new CommandFailedError(
          'The log was restored from a backup. Start the service once, so that it records the restore, and run the command again.',
          { type: 'not_started' },
        );
      }
      const known = await secretOf(log, secrets()).finally(() => log.close());
      if (known === undefined)
        throw new CommandFailedError('The secret of this log is needed: set SECRET, or put the file secret back.', {
          type: 'no_secret',
        });
      return await openForWriting({ log: existing(), config: { dataDir, seals }, secret: known, onNotice, signal });
    },
    openLocked: () => existing().openEventStore({ signal }),
    secretsAtHand: () => [
      ...(secret === undefined ? [] : [{ secret, source: 'SECRET' }]),
      ...secretsInFolder(dataDir, onNotice),
    ],
    streamKeys: (log) => streamKeysOf(log, secrets()),
    restoredKey: (log) => keyOf(log, deriveRestoredKey),
    registerKey: (log) => keyOf(log, deriveRegisterKey),
  };

  async function keyOf(log: EventReader, derive: (secret: string) => KeyObject): Promise<KeyObject | undefined> {
    try {
      const known = await secretOf(log, secrets());
      return known === undefined ? undefined : derive(known);
    } catch (error) {
      // A log that was altered at its beginning, or a secret that this user may not read.
      onNotice(`The secret of this log cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
      return undefined;
    }
  }
}

function demandLog<Store extends LogStore>(log: Store, dataDir: string): Store {
  if (log.exists()) return log;
  throw new CommandFailedError(
    `There is no event log in ${path.resolve(dataDir)}: name the data folder with --data-dir or DATA_DIR.`,
    { type: 'no_log' },
  );
}

interface Writing {
  readonly log: LogStore;
  readonly config: Pick<ReturnType<typeof readStoresConfig>, 'dataDir' | 'seals'>;
  readonly secret: string;
  readonly onNotice: (notice: string) => void;
  readonly signal: AbortSignal;
}

/** Opens the log to append to it. The embedded log is compared with its newest seal before and sealed after that, as the service does. */
async function openForWriting({ log, config, secret, onNotice, signal }: Writing) {
  const { openCommands } = await import('./commands.js');
  const { startIntegrity } = await import('./integrity.js');
  const store = await log.openEventStore({ signal });
  try {
    const clocks = { clock: Date.now, monotonic: () => performance.now() };
    const commands = await openCommands({
      ...{ store, clock: Date.now, newUuid: randomUUID },
      keys: deriveStreamKeys(secret),
      onUnreadable: () => undefined,
    });
    const notice = (facts: unknown, message?: string): void => onNotice(message ?? String(facts));
    const logger = { info: () => undefined, warn: notice, error: notice };
    const seals = { ...config.seals, every: 0 };
    const context = { ...clocks, config: { ...config, seals }, secret, restored: undefined, logger };
    const start = await startIntegrity(store, context);
    return {
      store,
      commands,
      async close(): Promise<void> {
        // The last seal, if the service was stopped in order before.
        await Promise.resolve(start.watch?.close()).finally(() => store.close());
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
