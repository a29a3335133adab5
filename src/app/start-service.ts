/** Composition root of the service: configuration → stores → write, read, mail and HTTP side; in which order they start and stop. */
import type { Logger } from 'pino';
import { createSnapshots, type Snapshots } from './catalogue-snapshots.js';
import type { Config } from '../stores/config.js';
import { openDataFolder, type DataFolder } from '../stores/data-folder.js';
import { deriveStreamKeys, isEmailStream } from '../events/streams.js';
import { guardLog, refuseHeadless, type AlteredLogError, type EvidenceGuard } from './evidence-guard.js';
import { firstSecret } from './first-start.js';
import { openHttpSide } from './http.js';
import { openMailSide } from './mail.js';
import type { Mailer } from '../mailer/mailer.js';
import type { Lines } from './operator.js';
import { openReadSide, type ReadSide } from './views.js';
import {
  isShared,
  openEventStore,
  openReadModels,
  prepareViews,
  refuseForeignViews,
  settingsOf,
  type OpenEventStore,
  type StoreSettings,
} from '../stores/stores.js';
import { openWriteSide } from './commands.js';

/** What others have requested is looked for at most so often, in milliseconds. */
const othersMailMs = 200;

export interface Service {
  readonly address: string;
  /** Settles when the log turns out to be altered, while it is verified in the background. */
  readonly altered?: Promise<AlteredLogError> | undefined;
  close(): Promise<void>;
}

export interface Logs {
  readonly logger: Logger;
  readonly lines: Lines;
}

interface Surroundings extends Logs {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly settings: StoreSettings;
  /** Where the log is this process's own. */
  readonly guard: EvidenceGuard | undefined;
}

/** Rejects where something keeps the service from starting; the process is then to end. */
export async function startService(config: Config, logs: Logs): Promise<Service> {
  const folder = openDataFolder(config.dataDir);
  const settings = settingsOf(config, folder);
  const { logger } = logs;
  const store = await openEventStore(settings.events, {
    onFault: (error) => logger.error({ err: error }, 'the event store reports a fault'),
    onWaiting: (reason) => logger.warn({ reason }, 'waiting for the event store'),
  });
  if (settings.events.kind === 'embedded') folder.forgetAddress();
  const guard = settings.events.kind === 'embedded' ? guardLog(settings.events.file) : undefined;
  try {
    return await startOn(store, { ...logs, config, folder, settings, guard });
  } catch (error) {
    // What an altered log makes fail is not the reason.
    const reason = await guard?.firstLook().catch((altered: unknown) => altered);
    await guard?.close();
    await store.close();
    throw reason ?? error;
  }
}

/** What must be so before anything is written. */
async function prepareStores(store: OpenEventStore, { settings, logger, guard }: Surroundings): Promise<void> {
  await prepareViews(settings.views, {
    onWaiting: (reason) => logger.warn({ reason }, 'waiting for MongoDB'),
    onDamage: (damage) => logger.error({ damage }, 'views.db was damaged and is folded anew from the log'),
  });
  await refuseForeignViews(settings, store, (reason) => logger.warn({ reason }, 'waiting for a store'));
  if (guard !== undefined) await refuseHeadless(store);
}

async function startOn(store: OpenEventStore, surroundings: Surroundings): Promise<Service> {
  const { config, folder, settings, logger, guard } = surroundings;
  const keys = deriveStreamKeys(config.secret ?? folder.secret() ?? (await firstSecret(store, folder)));
  await prepareStores(store, surroundings);
  const parts: { reads?: ReadSide; mailer?: Mailer } = {};
  // The mailer looks at its worklist whenever the views may show a new request.
  let mailUntil = '';
  const writes = await openWriteSide({
    store,
    keys,
    onAppended: (append) => {
      parts.reads?.ownWrites.record(append);
      const { stream, position } = append;
      if (isEmailStream(stream)) mailUntil = position;
      // Where others write to the log too, nobody but the appending process itself tells of what it appended.
      if (store.onCommitted === undefined) parts.reads?.notify(position);
    },
    onUnchanged: (position) => parts.reads?.ownWrites.rest(position),
    onUnreadable: (stream, reason) =>
      logger.error({ stream, reason }, 'a catalogue cannot be folded: what rests on its names is answered with 503'),
  });
  if (config.roles.has('api')) await writes.openCatalogues(await snapshotsOf(store, surroundings));

  await guard?.firstLook();
  let isListening = false;
  const reads = await openReadSide({
    settings,
    store,
    withProjector: config.roles.has('projector'),
    logger,
    onMoved: (from) => {
      if (from === '' || from < mailUntil) parts.mailer?.nudge();
      else if (isShared(settings)) parts.mailer?.nudge(othersMailMs);
    },
  });
  parts.reads = reads;
  store.onCommitted?.((position) => reads.notify(position));

  const mailer = config.roles.has('mailer')
    ? openMailSide({ ...surroundings, store, writes, reads, isListening: () => isListening })
    : undefined;
  if (mailer !== undefined) parts.mailer = mailer;

  const server = await openHttpSide({ ...surroundings, store, keys, writes, reads, mailer });
  isListening = true;
  mailer?.nudge();
  return {
    address: server.address,
    altered: guard?.altered,
    async close() {
      await guard?.close();
      await Promise.all([server.close(), mailer?.close()]);
      await reads.close();
      await writes.close();
      await store.close();
    },
  };
}

async function snapshotsOf(store: OpenEventStore, { settings, logger }: Surroundings): Promise<Snapshots> {
  return createSnapshots({
    reader: store,
    models: await openReadModels(settings.views),
    onFault: (error) => logger.error({ err: error }, 'a snapshot of a catalogue failed; the next start takes longer'),
  });
}
