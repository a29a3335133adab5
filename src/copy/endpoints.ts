/** Opens the two ends of a copy: a source that is read, a target that is appended to. */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { WriterLockedError, type EventReader, type EventStore } from '../eventstore/event-store.js';
import { refusedError, UsageError } from '../failures.js';
import { makeFolder } from '../flow/durable-file.js';
import { ServerRefusedError } from '../stores/await-server.js';
import { dataFolderAt } from '../stores/data-folder.js';
import { openEventReader, openEventStore, type LogAddress } from '../stores/stores.js';

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

/** `option` is named in the message. @throws UsageError */
export function parseAddress(option: string, text: string, prefix: string): LogAddress {
  if (/^esdb(?:\+discover)?:\/\//.test(text)) return { kind: 'eventstoredb', url: text, prefix };
  // Not shown: it may hold a password.
  if (text === '' || text.includes('://'))
    throw new UsageError(`${option} must be a data folder or an address that begins with esdb:// or esdb+discover://`);
  return { kind: 'embedded', file: dataFolderAt(text).eventsFile };
}

/** The address without user name and password, for people to read. */
export const shown = (address: LogAddress): string =>
  address.kind === 'embedded'
    ? path.dirname(address.file)
    : `${address.url.replace(/:\/\/.*@/g, '://')} (prefix ${address.prefix})`;

/** @throws CommandFailedError @throws StoreUnavailableError @throws UsageError a URL that cannot be used */
export async function openSource(address: LogAddress, opening: Opening): Promise<SourceLog> {
  if (address.kind === 'eventstoredb') {
    const reader = await openServer(address, opening);
    // A server has no lock that would tell.
    return { reader, state: 'unknown', close: () => reader.close() };
  }
  if (!existsSync(address.file))
    throw refusedError(`there is no event log in ${shown(address)} (no file ${address.file})`);
  // Refuse a file that is not a log, because the store would create a log. Close it before the log is locked.
  await (await openEventReader(address)).close();
  const lock = await openEventStore(address).catch((error: unknown) => ({ error }));
  const reader = await openEventReader(address);
  return {
    reader,
    // A copy of a log on a read-only disk cannot be locked, and can be read.
    state: !('error' in lock) ? 'still' : lock.error instanceof WriterLockedError ? 'in_use' : 'unknown',
    async close() {
      await reader.close();
      if (!('error' in lock)) await lock.close();
    },
  };
}

interface Target {
  /** Reads the log of the target until `toAppend` is called. Undefined if the target has no log. */
  readonly reader: EventReader | undefined;
  /** Creates the folder and the log if they do not exist. @throws CommandFailedError if a service runs on the log */
  toAppend(): Promise<EventStore>;
  close(): Promise<void>;
}

/** Before the source is read for minutes. Makes nothing. Throws as `openSource` does. */
export async function openTarget(address: LogAddress, opening: Opening): Promise<Target> {
  if (address.kind === 'eventstoredb') {
    const store = await openServer(address, opening);
    return { reader: store, toAppend: async () => store, close: () => store.close() };
  }
  const reader = existsSync(address.file) ? await openEventReader(address) : undefined;
  let store: EventStore | undefined;
  return {
    reader,
    async toAppend() {
      makeFolder(path.dirname(address.file));
      // Close the reader before the log is locked.
      await reader?.close();
      try {
        return (store = await openEventStore(address));
      } catch (error) {
        if (error instanceof WriterLockedError) throw running(address, error);
        throw error;
      }
    },
    async close() {
      await reader?.close();
      await store?.close();
    },
  };
}

export const running = (address: LogAddress, cause?: unknown): Error =>
  refusedError(
    `a service (or another migration) is running on ${shown(address)}. Stop it, then run the command again.`,
    cause,
  );

/** A server that is starting is waited for; one that cannot be reached is rather a mistake in its address. */
async function openServer(address: LogAddress, { signal }: Opening): Promise<EventStore> {
  try {
    return await openEventStore(address, { waitsFor: ['not_ready'], signal });
  } catch (error) {
    if (!(error instanceof ServerRefusedError) || error.kind === 'absent') throw error;
    throw error.kind === 'address' ? new UsageError(error.reason) : refusedError(error.reason, error);
  }
}

/** @throws CommandFailedError both are one log. */
export function refuseSameLog(from: LogAddress, to: LogAddress): void {
  if (identityOf(from) === identityOf(to)) throw refusedError(`--from and --to are the same log, ${shown(from)}`);
}

function identityOf(address: LogAddress): string {
  if (address.kind === 'eventstoredb') return `${address.prefix} ${address.url}`;
  const folder = path.dirname(address.file);
  return existsSync(folder) ? realpathSync(folder) : path.resolve(folder);
}
