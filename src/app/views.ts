/** The views of a process: queries, how far they have come, and the projector where this process folds them. */
import type { Logger } from 'pino';
import type { EventStore } from '../eventstore/event-store.js';
import type { Frontier } from '../eventstore/tree.js';
import { logSourceOf } from '../eventstore/log-source.js';
import type { Clocks } from '../flow/subscriber.js';
import { storedTree } from '../integrity/server-blocks.js';
import { createAnalyticsQueries } from '../projections/analytics-queries.js';
import { createLiveReader } from '../projector/live-reader.js';
import { createOwnWrites } from '../projector/read-your-writes.js';
import { emails, recipientIndex } from '../projections/emails.js';
import { createSuppressionLookup, suppressions, type KnownRefusals } from '../projections/suppressions.js';
import { createEmailWorklist } from '../projections/email-worklist.js';
import { createQueries } from '../projections/queries.js';
import { createQueryViews } from '../projector/query-views.js';
import { createShowProgress } from '../projector/show-progress.js';
import { viewsStatus, type ViewsStatus } from '../projector/views-status.js';
import { createOtherStorages, streamsOfErased } from '../privacy/erased-in-views.js';
import { liveProjections } from '../projections/views.js';
import { startProjectorThread, type ProjectorThread } from './projector-thread.js';
import { createDamageControl, damageOf, type Damage } from '../rebuild/damage.js';
import type { ViewDamagedError } from '../readmodels/read-models.js';
import { createRebuildCoordinator } from '../rebuild/coordinator.js';
import type { Deployment } from './deployment.js';
import { roleOf } from '../rebuild/transition.js';

export type Views = Awaited<ReturnType<typeof openViews>>;

/** The views have moved on from this position, or have caught up for the first time. */
type MovedListener = (from: string) => void;

interface ViewsOptions extends Clocks {
  readonly deployment: Deployment;
  readonly store: EventStore;
  readonly withProjector: boolean;
  readonly knownRefusals: KnownRefusals;
  /** Called when the follower on servers finds another event than it read before. */
  readonly onLogAltered: (message: string) => void;
  readonly logger: Logger;
  readonly newUuid: () => string;
}

/** @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function openViews(options: ViewsOptions) {
  const { deployment, store, logger, clock, monotonic, newUuid } = options;
  const { stores, storagesFreshMs } = deployment;
  const listeners: MovedListener[] = [];
  const onMoved: MovedListener = (from) => {
    for (const listener of listeners) listener(from);
  };
  let projector: ProjectorThread | undefined;
  let damage: ReturnType<typeof createDamageControl> | undefined = undefined;
  const onDamage = (found: Damage): void => damage?.report(found);
  const readHooks = { onDamage: (error: ViewDamagedError): void => onDamage(damageOf(error)) };
  const views = createLiveReader(
    await stores.openReadModels({ readOnly: true, ...readHooks }),
    liveProjections,
    storagesFreshMs === undefined ? undefined : { now: monotonic, most: storagesFreshMs },
  );
  damage = createDamageControl({
    views,
    names: liveProjections.map(({ name }) => name),
    discard: (storages) => projector?.discard(storages),
    replaceFile,
    logger,
  });
  const own = createOwnWrites({ projections: liveProjections, head: await store.head(), now: monotonic });
  const readModels = await stores.openReadModels(readHooks);
  const rebuilds = createRebuildCoordinator({
    settings: stores.settings,
    readModels,
    isShared: !store.soleWriter,
    holder: newUuid(),
    log: (level, message, facts) => logger[level](facts, message),
    clock,
    monotonic,
    newUuid,
    onDamage,
  });
  const check = deployment.checkViews({ onDamage, logger, clock });
  let isClosing = false;
  projector = options.withProjector ? startProjector() : undefined;

  function startProjector(): ProjectorThread {
    const showProgress = createShowProgress({ views, ownWrites: own, onMoved });
    const started = startProjectorThread({
      settings: stores.settings,
      isShared: !store.soleWriter,
      holder: newUuid(),
      onProgress(status) {
        rebuilds.become(roleOf(status));
        showProgress(status);
        damage?.onLive(status.live);
      },
      onFault({ kind, message }) {
        logger[kind === 'new_views' ? 'info' : 'error']({ kind }, message);
        if (kind === 'log_altered') options.onLogAltered(message);
      },
      onDamage,
    });
    rebuilds.attach(started);
    return started;
  }

  async function replaceFile(): Promise<void> {
    await check?.stop();
    await rebuilds.whileStopped(async () => {
      await projector?.close();
      views.use({});
      stores.replaceViews();
    });
    if (!isClosing) projector = options.withProjector ? startProjector() : undefined;
  }

  const follower = deployment.followViews({
    readModels: views,
    views: liveProjections,
    ownWrites: own,
    onMoved,
    onFault: (message) => logger.error({ kind: 'unavailable' }, message),
    now: monotonic,
  });
  own.onWaiting(() => {
    projector?.flush();
    follower?.wake();
  });
  const contactOf = deployment.contactOf(store);
  const streamOfErased = streamsOfErased({ log: store, views, readModels });
  const standing = (): readonly unknown[] => [views.used(), own.visiblePosition()];
  const status = (): ViewsStatus => viewsStatus(projector?.status(), follower);
  // Cheaper than the whole status, because every read asks for it.
  const parked = (): ViewsStatus['parked'] => (follower === undefined ? projector?.status() : status())?.parked ?? [];
  const queryViews = createQueryViews({ reader: views, ownWrites: own, parked, now: monotonic });
  const queries = createQueries(queryViews, { contactOf, streamOfErased, standing });
  const suppressed = createSuppressionLookup(queryViews, {
    known: options.knownRefusals,
    standing,
    isBuilt: () => own.visiblePosition() !== '' && !views.missing().includes(suppressions.name),
  });
  return {
    ownWrites: own,
    rebuilds,
    queries,
    suppressed,
    analytics: createAnalyticsQueries(queryViews),
    worklist: createEmailWorklist(views),
    status,
    /** Views that are damaged and are being rebuilt. */
    damaged: damage.damaged,
    /** Number of times that damage was found since the start. */
    damageFound: damage.found,
    /**
     * Reports damage that hides an email from a search by its recipient. MongoDB checks its own indexes.
     * @throws ReadModelsUnavailableError if the check could not be completed
     */
    checkRecipients: async (): Promise<void> => check?.checkIndex(emails.name, recipientIndex),
    /** Time of the last check of the views, in milliseconds since 1970. Undefined if they were not checked or are on a server. */
    checkedAt: (): number | undefined => check?.checkedAt(),
    /** Starts the checks of documents, checksums and indexes in the background. Call this when the service is ready. */
    startChecks: (): void => check?.start(),
    /** The tree of the events that this process has followed; undefined if the log is embedded or another process follows it. */
    reached: (): Frontier | undefined => projector?.reached(),
    /** The tree of the log: its own, or the one whose blocks are stored beside the views. */
    tree: logSourceOf(store).tree ?? storedTree({ readModels: views, reader: store }),
    /** The views have shown something since the start, and `emails` is not being built for the first time: it can be asked. */
    hasEmails: (): boolean => own.visiblePosition() !== '' && !views.missing().includes(emails.name),
    onMoved: (listener: MovedListener): void => void listeners.push(listener),
    /** Something was appended, up to this position. Cheap enough for every append. */
    notify: (position: string): void => projector?.notify(position),
    hasOtherStorages: createOtherStorages({ views, dropAbandoned: rebuilds.dropAbandoned, logger }),
    /** @throws ReadModelsUnavailableError, see `scrub` of the port */
    scrub: async (): Promise<void> => projector?.scrub(),
    async close(): Promise<void> {
      isClosing = true;
      await check?.close();
      await damage?.close();
      await rebuilds.close();
      await projector?.close();
      await follower?.close();
      own.close();
      await views.close();
    },
  };
}
