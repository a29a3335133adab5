/**
 * The differences between the two deployments of the service. Other files of this room do not ask which deployment it is.
 * They look at what the store offers, such as `soleWriter`.
 */
import { contactOfStream } from '../audit/contact-of-stream.js';
import { logStart, type EventReader } from '../eventstore/event-store.js';
import { readLogId } from '../eventstore/log-id.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import type { Observe } from '../flow/observe.js';
import { removeSealDrafts } from '../integrity/seal-store.js';
import { refuseLostLog } from '../integrity/start-check.js';
import { createFollower } from '../projector/follower.js';
import type { RestoredMark } from '../recovery/restored-mark.js';
import type { DataFolder } from '../stores/data-folder.js';
import { storesOf, type Stores, type StoreSettings } from '../stores/stores.js';
import { createViewsCheck } from './views-check.js';

export interface Deployment {
  readonly stores: Stores;
  /** Says where events and views are, unless they are in the data folder. */
  readonly places: readonly string[];
  /** Removes what earlier processes left in the data folder. Call this when the log is open. `startedAt`: milliseconds since 1970. */
  removeLeftovers(folder: DataFolder, dataDir: string, startedAt: number): void;
  /** Refuses a log that was removed. Call this before the views are opened, because views of a removed log say less about it. @throws AlteredLogError */
  refuseLostLog(log: EventReader, known: KnownOfLog): Promise<void>;
  /** Refuses a log that has lost its first event. @throws AlteredLogError */
  refuseHeadless(log: EventReader): Promise<void>;
  /** Milliseconds for which a reader may use what it knows about live storages. Undefined if only this process changes them. */
  readonly storagesFreshMs: number | undefined;
  /** Returns undefined on servers, because MongoDB checks its own files. */
  checkViews(options: CheckOptions): ReturnType<typeof createViewsCheck> | undefined;
  /** Follows views that another process may fold. Returns undefined if only this process folds them. */
  followViews(options: Parameters<typeof createFollower>[0]): ReturnType<typeof createFollower> | undefined;
  /** Finds the id of a contact in the log. Returns undefined where the views have an index of streams. */
  contactOf(log: EventReader): ((stream: string) => ReturnType<typeof contactOfStream>) | undefined;
}

interface KnownOfLog {
  readonly dataDir: string;
  readonly restored: RestoredMark | undefined;
}

type CheckOptions = Omit<Parameters<typeof createViewsCheck>[0], 'file'>;

/** Milliseconds. Below the time after which a projector drops an old storage. */
const freshMs = 8_000;

/** Milliseconds. A draft is written and renamed in less time. */
const draftMs = 60_000;

export function deploymentOf(settings: StoreSettings, observe?: Observe): Deployment {
  const stores = storesOf(settings, observe);
  if (settings.deployment === 'servers')
    return {
      stores,
      places: ['its events are in EventStoreDB', 'its views are in MongoDB'],
      // Other processes may be writing drafts.
      removeLeftovers: (folder, dataDir, startedAt) => removeDrafts(folder, dataDir, startedAt - draftMs),
      refuseLostLog: () => Promise.resolve(),
      refuseHeadless: () => Promise.resolve(),
      storagesFreshMs: freshMs,
      checkViews: () => undefined,
      followViews: createFollower,
      contactOf: () => undefined,
    };
  const { file } = settings.views;
  return {
    stores,
    places: [],
    removeLeftovers(folder, dataDir, startedAt) {
      // While this process holds the lock of the log, every older draft is left over.
      removeDrafts(folder, dataDir, startedAt);
      folder.forgetAddress();
    },
    refuseLostLog,
    refuseHeadless,
    storagesFreshMs: undefined,
    checkViews: (options) => createViewsCheck({ ...options, file }),
    followViews: () => undefined,
    contactOf: (log) => (stream) => contactOfStream(log, stream),
  };
}

function removeDrafts(folder: DataFolder, dataDir: string, leftBefore: number): void {
  folder.removeDrafts(leftBefore);
  removeSealDrafts(dataDir, leftBefore);
}

async function refuseHeadless(log: EventReader): Promise<void> {
  if ((await log.head()) === logStart || (await readLogId(log)) !== undefined) return;
  throw new AlteredLogError(
    'the event log does not begin with its own name: it was altered, or is not a log of this service. Nothing was changed',
  );
}
