/** Composition root of the service: configuration → stores → commands, views, mailer and HTTP; in which order they start and stop. */
import { openSnapshots } from '../stores/catalogue-snapshots.js';
import { randomUUID } from 'node:crypto';
import { readAppearance, type Appearance } from '../api/pages/texts.js';
import { openApiKeys } from './api-keys.js';
import { startBanner } from './banner.js';
import type { Config } from '../stores/config.js';
import { openDataFolder, type DataFolder } from '../stores/data-folder.js';
import { readCertificate, type Certificate } from '../stores/certificate.js';
import { settingsOf, type OpenEventStore, type Stores } from '../stores/stores.js';
import type { OpenLease } from '../stores/own-lease.js';
import { deploymentOf, type Deployment } from './deployment.js';
import { deriveRegisterKey, deriveRestoredKey, deriveStreamKeys, isSuppressionStream } from '../events/streams.js';
import { openIntegrity, startIntegrity, type Integrity } from './integrity.js';
import { refuseUnreadableRestore } from '../integrity/start-check.js';
import { frontierAt, rootOf } from '../eventstore/tree.js';
import { toHex } from '../eventstore/leaf.js';
import type { AlteredLogError } from '../eventstore/log-source.js';
import { demandLogId, readLogId } from '../eventstore/log-id.js';
import { recoverLog } from '../recovery/after-restore.js';
import { openRegister } from '../recovery/register.js';
import { demandOwnMark, restoredIn, type RestoredMark } from '../recovery/restored-mark.js';
import { openErasures } from '../privacy/erasures.js';
import { firstSecret } from '../stores/first-start.js';
import { openHttp, type Http } from './http.js';
import { createConnections, type Connections } from '../api/http/connections.js';
import { requestLog } from '../api/http/request-log.js';
import type { Clocks, Subscriber } from '../flow/subscriber.js';
import type { Observers } from './logs.js';
import { openListener, type Listener } from './listener.js';
import { openMailer } from './mail.js';
import { openRetention } from '../privacy/retention.js';
import { newestEventTime, openTrustedClock } from '../stores/trusted-clock.js';
import { createObserve, type Observe } from '../flow/observe.js';
import { createRunner, type Runner } from '../flow/run-subscriber.js';
import { untilReady } from '../api/readiness.js';
import { openViews, type Views } from './views.js';
import { openCommands } from './commands.js';
import { createMetrics, type Metrics } from '../metrics/metrics.js';
import { version } from './version.js';

export interface Service {
  /** Resolves when the log turns out to be altered while the service runs. */
  readonly altered?: Promise<AlteredLogError> | undefined;
  close(): Promise<void>;
}

interface StartOptions extends Observers {
  /** The maximum number of events that are read for one page of the feed. Only tests set it. */
  readonly mostSearched?: number;
}

/** The parts of a start that exist before the stores are opened. */
interface Beginning extends StartOptions, Pick<Clocks, 'monotonic'> {
  readonly config: Config;
  readonly certificate: Certificate | undefined;
  readonly appearance: Appearance;
  readonly folder: DataFolder;
  readonly deployment: Deployment;
  readonly stores: Stores;
  readonly metrics: Metrics;
  readonly connections: Connections;
  readonly listener: Listener;
  readonly observe: Observe;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly newUuid: () => string;
  /** The log was restored from a backup, and its first start is not over. */
  readonly restored: RestoredMark | undefined;
}

interface Context extends Beginning, Clocks {
  readonly secret: string;
  /** Settles when the store or the follower finds that the log was altered. */
  readonly alteredStore: Promise<string>;
  readonly onLogAltered: (message: string) => void;
  readonly openLease: OpenLease;
}

/** Rejects where something keeps the service from starting, or the signal ends the start; the process is then to end. */
export async function startService(config: Config, options: StartOptions, signal: AbortSignal): Promise<Service> {
  const startedAt = Date.now();
  const monotonic = (): number => performance.now();
  const { logger, lines, traces } = options;
  // A bad certificate, key or text is refused before anything is written.
  const certificate = config.tls && readCertificate(config.tls);
  const appearance = readAppearance(config.pages.folder);
  const folder = openDataFolder(config.dataDir);
  const metrics = createMetrics();
  const observe = createObserve(
    [metrics.listener, { request: requestLog(logger, lines) }, ...(traces ? [traces.listener] : [])],
    traces?.begin,
  );
  const deployment = deploymentOf(settingsOf(config.servers, folder), observe);
  const { stores } = deployment;
  const restored = restoredIn(config.dataDir, stores);
  const connections = createConnections({ now: monotonic });
  const http = { config, certificate, connections, observe, monotonic, newUuid: randomUUID };
  let listener: Listener | undefined;
  try {
    listener = await openListener({ ...http, logger });
    const read = { appearance, folder, deployment, stores, restored };
    return await startWithStores({ ...options, ...http, ...read, metrics, listener, signal, startedAt });
  } catch (error) {
    await listener?.close();
    metrics.close();
    throw error;
  }
}

async function startWithStores(beginning: Beginning): Promise<Service> {
  const { config, folder, deployment, stores, listener, logger, signal, startedAt } = beginning;
  const altered = Promise.withResolvers<string>();
  // Made, where there is none, only by a process that has the log.
  const demandSecret = (): string => config.secret ?? folder.secret() ?? firstSecret(folder);
  listener.report('event_store');
  const store = await stores.openEventStore({
    onLocked: () => void demandSecret(),
    onAltered: altered.resolve,
    onFault: (error) => logger.error({ err: error }, 'the event store reports a fault'),
    onWaiting(reason, status) {
      listener.report('event_store', status);
      logger.warn({ reason }, 'waiting for the event store');
    },
    signal,
  });
  deployment.removeLeftovers(folder, config.dataDir, startedAt);
  const context = {
    ...beginning,
    alteredStore: altered.promise,
    onLogAltered: altered.resolve,
    secret: demandSecret(),
    openLease: stores.openLease,
    clock: Date.now,
  };
  try {
    return await startOn(store, context);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function prepareStores(store: OpenEventStore, context: Context): Promise<void> {
  const { deployment, stores, config, restored, listener, logger, signal } = context;
  const waitingFor = (what: string) => (reason: string, status: string) => {
    listener.report('read_models', status);
    logger.warn({ reason }, `waiting for ${what}`);
  };
  await deployment.refuseLostLog(store, { dataDir: config.dataDir, restored });
  listener.report('read_models');
  await stores.prepareViews({
    onWaiting: waitingFor('MongoDB'),
    onDiscarded({ reason, isDamage }) {
      if (isDamage) logger.error({ reason }, 'views.db is corrupt and is being rebuilt from the log');
      else logger.info({ reason }, 'views.db is being rebuilt from the log');
    },
    signal,
  });
  await stores.refuseForeignViews(store, { onWaiting: waitingFor('a store'), signal });
  await deployment.refuseHeadless(store);
  await refuseUnreadableRestore(store);
  listener.report('checks');
}

/** Returns the root over the first events in hex, or undefined if the store keeps no tree. */
const rootsOf =
  ({ tree }: OpenEventStore) =>
  async (count: number): Promise<string | undefined> =>
    tree && toHex(rootOf(await frontierAt(tree, count)) ?? '');

/** Checks the mark of a restored log. @throws ConfigurationError if it does not belong to this log */
async function checkMark(
  store: OpenEventStore,
  { restored, secret }: Pick<Context, 'restored' | 'secret'>,
): Promise<void> {
  if (restored === undefined) return;
  const log = { logId: await readLogId(store), key: deriveRestoredKey(secret), rootAt: rootsOf(store) };
  await demandOwnMark(restored, log);
}

async function startOn(store: OpenEventStore, given: Context): Promise<Service> {
  const { config, secret, stores, metrics, observe, logger, signal } = given;
  const streamKeys = deriveStreamKeys(secret);
  await prepareStores(store, given);
  // Open the clock before this start appends anything, because the newest event tells the time of the last run.
  const trustedClock = await openTrustedClock({
    ...given,
    notes: await stores.openClockNotes(),
    newestEvent: () => newestEventTime(store),
  });
  const trustedNow = trustedClock.now;
  const context = { ...given, clock: trustedClock.clock };
  const commands = await openCommands({
    ...context,
    store,
    keys: streamKeys,
    datedNow: trustedClock.datedNow,
    publicUrl: config.publicUrl,
    bounceThreshold: config.bounceThreshold,
    onUnreadable: (stream, reason) =>
      logger.error(
        { stream, reason },
        'a catalogue cannot be folded: requests that need its names are answered with 503',
      ),
    onReaderDied: (error) =>
      logger.error({ error }, 'the thread that reads reports about emails died: the next report starts it again'),
  });
  if (config.roles.has('api')) await commands.openCatalogues(await openSnapshots({ ...context, reader: store }));
  // After the secret was found to be that of the log, and before anything is appended to a log that exists.
  await checkMark(store, given);
  const integrityStart = await startIntegrity(store, context);
  signal.throwIfAborted();
  const logId = await demandLogId(store);
  const owner = { logId, key: deriveRegisterKey(secret) };
  const register = await openRegister({ ...context, owner, log: store });
  commands.keepIn(register);
  const lines = register.lines();
  await recoverLog({ ...context, store, commands, lines, newestSeal: integrityStart.superseded });

  const views = await openViews({
    ...context,
    store,
    knownRefusals: commands.knownRefusals,
    withProjector: config.roles.has('projector'),
  });
  commands.listen({
    onAppended(append) {
      views.ownWrites.record(append);
      if (isSuppressionStream(append.stream)) views.suppressed.note();
      // A shared store does not report commits: the appending process does.
      if (store.onCommitted === undefined) views.notify(append.position);
    },
    onUnchanged: (position) => views.ownWrites.requireAtLeast(position),
  });
  store.onCommitted?.((position) => views.notify(position));
  views.onMoved(() => observe.shown(views.ownWrites.visiblePosition()));

  const mailer = config.roles.has('mailer')
    ? await openMailer({ ...context, store, commands, views, trustedNow })
    : undefined;
  const keys = await openApiKeys(commands, { ...context, trustedNow });
  const erasures = await openErasures({ ...context, store, register, streamKeys, commands, views, mailer });
  const integrity = await openIntegrity(integrityStart, {
    ...context,
    roles: config.roles,
    store,
    logId,
    tree: views.tree,
    reached: views.reached,
    readModels: () => stores.openReadModels(),
  });
  const subscribers: readonly (Subscriber<unknown> | undefined)[] = [
    mailer,
    register.subscriber,
    erasures.eraser,
    await openRetention({ ...context, store, commands, views, trustedNow }),
    integrity.subscriber,
    keys?.subscriber,
    keys?.expiry,
    trustedClock.subscriber,
  ];
  const runnersByName = new Map(
    subscribers.flatMap((subscriber) =>
      subscriber === undefined ? [] : [[subscriber.name, runnerOf(subscriber, context)]],
    ),
  );
  const runners = [...runnersByName.values()];
  metrics.watch({
    ...{ ...context, version, views, store, subscribers: runnersByName },
    ...{ mailer, erasures, integrity, commands, trustedClock },
  });
  const server = await openHttp({
    ...context,
    store,
    streamKeys,
    keys,
    commands,
    views,
    mailer,
    erasures,
    integrity,
    sealKey: () => integrityStart.key,
    trustedClock,
  });
  // Start the subscribers last, because a start that fails must not have done any work.
  for (const runner of runners) runner.start();
  const closing = new AbortController();
  void sayListening({ server, views, integrity }, context, closing.signal);
  return {
    altered: integrity.altered,
    async close() {
      closing.abort();
      await Promise.all([server.close(), ...runners.map((runner) => runner.stop())]);
      // After the last event, while the stores are open.
      await Promise.all(runners.map((runner) => runner.close()));
      await views.close();
      await commands.close();
      // The last seal, when nothing is appended any more.
      await integrity.close();
      await store.close();
      metrics.close();
    },
  };
}

const runnerOf = (subscriber: Subscriber<unknown>, { logger, observe, monotonic }: Context): Runner =>
  createRunner(subscriber, {
    observe,
    onFault: (error, what) => logger.error({ err: error }, `${subscriber.name}: ${what}`),
    monotonic,
    random: Math.random,
  });

/** The port is bound before the views have caught up: a log line and the banner say so when requests are answered. */
async function sayListening(
  { server, views, integrity }: { readonly server: Http; readonly views: Views; readonly integrity: Integrity },
  { config, deployment, logger, lines, monotonic }: Context,
  closing: AbortSignal,
): Promise<void> {
  const { address, metricsAddress: metrics } = server;
  const ready = await untilReady(server.readiness, { views, monotonic, signal: closing });
  if (closing.aborted) return;
  views.startChecks();
  integrity.start();
  if (ready) logger.info({ address, metrics }, 'listening');
  else logger.warn({ address, metrics, ready }, 'listening, but not ready: see /health/ready');
  lines.write(startBanner(address, deployment.places, config.dataDir));
}
