/** Opens the two ends of a copy: a source that is read, a target that is appended to. */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { WriterLockedError, type EventReader, type EventStore } from '../eventstore/event-store.js';
import { refusedError, UsageError } from '../failures.js';
import { makeFolder } from '../flow/durable-file.js';
import { ServerRefusedError } from '../stores/await-server.js';
import { dataFolderAt } from '../stores/data-folder.js';
import { embeddedIn, storesOf, type LogSettings } from '../stores/stores.js';

/** `still`: no other process can append to it until it is closed. `in_use`: a service is running on it. */
export type SourceState = 'still' | 'in_use' | 'unknown';

interface SourceLog {
  readonly reader: Pick<EventReader, 'readAll' | 'head'>;
  readonly state: SourceState;
  close(): Promise<void>;
}

interface Opening {
  readonly signal: AbortSignal;
}

interface Target {
  /** Reads the log of the target until `toAppend` is called. Undefined if the target has no log. */
  readonly reader: EventReader | undefined;
  /** Creates the folder and the log if they do not exist. @throws CommandFailedError if a service runs on the log */
  toAppend(): Promise<EventStore>;
  close(): Promise<void>;
}

/** One end of a copy. */
export interface Endpoint {
  /** The data folder, or the address of the server without user name and password, for people to read. */
  readonly name: string;
  /** Two endpoints of one log have the same identity. */
  readonly identity: string;
  /** Says why the state of this source can be unknown. */
  readonly whyStateUnknown: string;
  readonly appendsAtOnce: number;
  /** @throws CommandFailedError @throws StoreUnavailableError @throws UsageError a URL that cannot be used */
  openSource(opening: Opening): Promise<SourceLog>;
  /** Opens the target before the source is read for minutes, and creates nothing. Throws as `openSource` does. */
  openTarget(opening: Opening): Promise<Target>;
}

/** `option` is named in the message. @throws UsageError */
export function parseAddress(option: string, text: string, prefix: string): LogSettings {
  if (/^esdb(?:\+discover)?:\/\//.test(text)) return { deployment: 'servers', events: { url: text, prefix } };
  // Not shown: it may hold a password.
  if (text === '' || text.includes('://'))
    throw new UsageError(`${option} must be a data folder or an address that begins with esdb:// or esdb+discover://`);
  return embeddedIn(dataFolderAt(text));
}

export const endpointOf = (settings: LogSettings): Endpoint =>
  settings.deployment === 'embedded' ? folderEndpoint(settings) : serverEndpoint(settings);

function folderEndpoint(settings: Extract<LogSettings, { deployment: 'embedded' }>): Endpoint {
  const log = storesOf(settings);
  const { file } = settings.events;
  const name = path.dirname(file);
  return {
    name,
    identity: existsSync(name) ? realpathSync(name) : path.resolve(name),
    whyStateUnknown: 'The source could not be locked',
    // The embedded log takes appends in the order of the calls, and many in one commit.
    appendsAtOnce: 256,
    async openSource() {
      if (!log.exists()) throw refusedError(`there is no event log in ${name} (no file ${file})`);
      // Refuse a file that is not a log, because the store would create a log. Close it before the log is locked.
      await (await log.openEventReader()).close();
      const lock = await log.openEventStore().catch((error: unknown) => ({ error }));
      const reader = await log.openEventReader();
      return {
        reader,
        // A copy of a log on a read-only disk cannot be locked, and can be read.
        state: !('error' in lock) ? 'still' : lock.error instanceof WriterLockedError ? 'in_use' : 'unknown',
        async close() {
          await reader.close();
          if (!('error' in lock)) await lock.close();
        },
      };
    },
    async openTarget() {
      const reader = log.exists() ? await log.openEventReader() : undefined;
      let store: EventStore | undefined;
      return {
        reader,
        async toAppend() {
          makeFolder(name);
          // Close the reader before the log is locked.
          await reader?.close();
          try {
            return (store = await log.openEventStore());
          } catch (error) {
            if (error instanceof WriterLockedError) throw running(name, error);
            throw error;
          }
        },
        async close() {
          await reader?.close();
          await store?.close();
        },
      };
    },
  };
}

function serverEndpoint(settings: Extract<LogSettings, { deployment: 'servers' }>): Endpoint {
  const log = storesOf(settings);
  const { url, prefix } = settings.events;

  /** Waits for a server that is starting, but not for one that cannot be reached, because its address is probably wrong. */
  async function open({ signal }: Opening): Promise<EventStore> {
    try {
      return await log.openEventStore({ waitsFor: ['not_ready'], signal });
    } catch (error) {
      if (!(error instanceof ServerRefusedError) || error.kind === 'absent') throw error;
      throw error.kind === 'address' ? new UsageError(error.reason) : refusedError(error.reason, error);
    }
  }

  return {
    name: `${url.replace(/:\/\/.*@/g, '://')} (prefix ${prefix})`,
    identity: `${prefix} ${url}`,
    whyStateUnknown: 'EventStoreDB cannot tell who writes to it',
    appendsAtOnce: 1,
    async openSource(opening) {
      const reader = await open(opening);
      // A server has no lock that would tell.
      return { reader, state: 'unknown', close: () => reader.close() };
    },
    async openTarget(opening) {
      const store = await open(opening);
      return { reader: store, toAppend: () => Promise.resolve(store), close: () => store.close() };
    },
  };
}

export const running = (name: string, cause?: unknown): Error =>
  refusedError(`a service (or another migration) is running on ${name}. Stop it, then run the command again.`, cause);

/** @throws CommandFailedError both are one log. */
export function refuseSameLog(from: Endpoint, to: Endpoint): void {
  if (from.identity === to.identity) throw refusedError(`--from and --to are the same log, ${from.name}`);
}
