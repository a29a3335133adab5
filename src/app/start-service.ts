/** Composition root of the service: configuration → stores → commands, views, mailer and HTTP; in which order they start and stop. */
import { openSnapshots } from '../stores/catalogue-snapshots.js';
import { randomUUID, type KeyObject } from 'node:crypto';
import path from 'node:path';
import { readAppearance, type Appearance } from '../api/pages/texts.js';
import { openApiKeys } from './api-keys.js';
import { startBanner } from './banner.js';
import { unlessAborted } from '../stores/await-server.js';
import type { Config } from '../stores/config.js';
import { openDataFolder, type DataFolder } from '../stores/data-folder.js';
import { readCertificate, type Certificate } from '../stores/certificate.js';
import {
  openEventStore,
  type OpenEventStore,
  openReadModels,
  prepareViews,
  refuseForeignViews,
  isShared,
  settingsOf,
  type StoreSettings,
} from '../stores/stores.js';
import { leasesOf, type OpenLease } from '../stores/own-lease.js';
import { deriveHeadKey, deriveStreamKeys, isSuppressionStream } from '../events/streams.js';
import {
  guardLog,
  refuseAlteredLog,
  refuseAlteredLinks,
  refuseHeadless,
  type AlteredLogError,
  type EvidenceGuard,
} from '../evidence/guard.js';
import { demandLogId } from '../eventstore/log-id.js';
import { openLasting } from './lasting.js';
import { restoredIn, type RestoredMark } from '../stores/restored.js';
import { openErasures } from '../privacy/erasures.js';
import { firstSecret } from '../stores/first-start.js';
import { openHttp, type Http } from './http.js';
import { createConnections, type Connections } from '../api/http/connections.js';
import type { RequestLine } from '../api/http/request-context.js';
import { requestLog } from '../api/http/request-log.js';
import type { Clocks, Subscriber } from '../flow/subscriber.js';
import type { Observers } from './logs.js';
import { openListener, type Listener } from './listener.js';
import { openMailer } from './mail.js';
import { openRetention } from '../privacy/retention.js';
import { clockNotesIn, newestEventTime, openTrustedClock, sharedClockNotes } from '../stores/trusted-clock.js';
import { removeSealDrafts, sealsName } from '../evidence/seal-folder.js';
import { openSeals, sealKeyFor } from '../evidence/seals.js';
import { onRoundTrip } from '../flow/round-trips.js';
import { createRunner, type Runner } from '../flow/run-subscriber.js';
import { untilReady } from '../api/readiness.js';
import { openViews, type Views } from './views.js';
import { openCommands } from './commands.js';
import { createMetrics, type Metrics } from '../metrics/metrics.js';
import { version } from './version.js';

export interface Service {
  /** Resolves when the log turns out to be altered, while it is verified in the background. */
  readonly altered?: Promise<AlteredLogError> | undefined;
  close(): Promise<void>;
}

/** Milliseconds. A draft is written and renamed in less time. */
const draftMs = 60_000;

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
  readonly settings: StoreSettings;
  readonly metrics: Metrics;
  readonly connections: Connections;
  readonly listener: Listener;
  readonly log: (line: RequestLine) => void;
  readonly sealKey: () => KeyObject;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly newUuid: () => string;
  /** The log was restored from a backup, and its first start is not over. */
  readonly restored: RestoredMark | undefined;
}

interface Context extends Beginning, Clocks {
  /** Undefined where other processes write to the log. */
  readonly guard: EvidenceGuard | undefined;
  readonly secret: string;
  readonly openLease: OpenLease;
}

/** Rejects where something keeps the service from starting, or the signal ends the start; the process is then to end. */
export async function startService(config: Config, options: StartOptions, signal: AbortSignal): Promise<Service> {
  const startedAt = Date.now();
  const monotonic = (): number => performance.now();
  const { logger, lines } = options;
  // A bad certificate, key or text is refused before anything is written.
  const certificate = config.tls && readCertificate(config.tls);
  const appearance = readAppearance(config.pages.folder);
  const sealKey = sealKeyFor(config, logger);
  const folder = openDataFolder(config.dataDir);
  const settings = settingsOf(config, folder);
  const restored = restoredIn(config.dataDir, { hasLog: settings.events.kind === 'embedded' });
  const metrics = createMetrics();
  onRoundTrip(metrics.onRoundTrip);
  const connections = createConnections({ now: monotonic });
  const logLine = requestLog(logger, lines);
  const log = (line: RequestLine): void => {
    metrics.onRequest(line);
    logLine(line);
  };
  const http = { config, certificate, connections, log, monotonic, newUuid: randomUUID };
  let listener: Listener | undefined;
  try {
    listener = await openListener({ ...http, logger });
    const read = { appearance, folder, settings, sealKey, restored };
    return await startWithStores({ ...options, ...http, ...read, metrics, listener, signal, startedAt });
  } catch (error) {
    await listener?.close();
    metrics.close();
    throw error;
  }
}

async function startWithStores(beginning: Beginning): Promise<Service> {
  const { config, folder, settings, metrics, listener, logger, signal, startedAt } = beginning;
  const altered = Promise.withResolvers<string>();
  // Made, where there is none, only by a process that has the log.
  const demandSecret = (): string => config.secret ?? folder.secret() ?? firstSecret(folder);
  listener.report('event_store');
  const store = await openEventStore(settings.events, {
    headKey: () => deriveHeadKey(demandSecret()),
    onAltered: altered.resolve,
    onCommit: metrics.onCommit,
    onFault: (error) => logger.error({ err: error }, 'the event store reports a fault'),
    onWaiting(reason, status) {
      listener.report('event_store', status);
      logger.warn({ reason }, 'waiting for the event store');
    },
    signal,
  });
  // While this process holds the lock of an embedded log, every older draft is left over. On servers, other processes may be
  // writing drafts.
  const leftBefore = settings.events.kind === 'embedded' ? startedAt : startedAt - draftMs;
  folder.removeDrafts(leftBefore);
  removeSealDrafts(path.join(config.dataDir, sealsName), leftBefore);
  if (settings.events.kind === 'embedded') folder.forgetAddress();
  const guard =
    settings.events.kind === 'embedded'
      ? guardLog({ file: settings.events.file, views: settings.views, clock: Date.now })
      : undefined;
  void altered.promise.then((message) => guard?.report(`the event log was altered while the service ran: ${message}`));
  const context = {
    ...beginning,
    guard,
    secret: demandSecret(),
    openLease: leasesOf(settings),
    clock: Date.now,
  };
  try {
    return await startOn(store, context);
  } catch (error) {
    // Where the log is altered, that is the reason why something else failed.
    const reason = signal.aborted ? undefined : await guard?.tailVerified().catch((altered: unknown) => altered);
    await guard?.close();
    await store.close();
    throw reason ?? error;
  }
}

async function prepareStores(store: OpenEventStore, { settings, listener, logger, signal }: Context): Promise<void> {
  const waitingFor = (what: string) => (reason: string, status: string) => {
    listener.report('read_models', status);
    logger.warn({ reason }, `waiting for ${what}`);
  };
  listener.report('read_models');
  await prepareViews(settings.views, {
    onWaiting: waitingFor('MongoDB'),
    onDiscarded({ reason, isDamage }) {
      if (isDamage) logger.error({ reason }, 'views.db is corrupt and is being rebuilt from the log');
      else logger.info({ reason }, 'views.db is being rebuilt from the log');
    },
    signal,
  });
  await refuseForeignViews(settings, store, { onWaiting: waitingFor('a store'), signal });
  if (settings.events.kind === 'embedded') await refuseHeadless(store, settings.events.file);
  listener.report('checks');
}

/** After the secret was found to be the log's: with another one nothing that was sealed would hold. */
async function refuseAlteredEvidence(
  store: OpenEventStore,
  { settings, secret, guard, signal }: Context,
): Promise<void> {
  if (settings.events.kind !== 'embedded') {
    const views = await openReadModels(settings.views);
    return await refuseAlteredLinks(views, deriveHeadKey(secret)).finally(() => views.close());
  }
  if (guard !== undefined) await unlessAborted(guard.tailVerified(), signal);
  refuseAlteredLog(store, settings.events.file);
}

async function startOn(store: OpenEventStore, given: Context): Promise<Service> {
  const { config, secret, settings, metrics, traces, logger, guard, signal } = given;
  const streamKeys = deriveStreamKeys(secret);
  await prepareStores(store, given);
  // Open the clock before this start appends anything, because the newest event tells the time of the last run.
  const trustedClock = await openTrustedClock({
    ...given,
    notes: isShared(settings)
      ? sharedClockNotes(await openReadModels(settings.views))
      : clockNotesIn(given.folder.clockFile),
    newestEvent: () => newestEventTime(store),
  });
  const trustedNow = trustedClock.now;
  const context = { ...given, clock: trustedClock.clock };
  const commands = await openCommands({
    ...context,
    metrics: metrics.commands,
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
  await refuseAlteredEvidence(store, context);
  signal.throwIfAborted();
  const register = await openLasting({ ...context, store, commands });

  const views = await openViews({
    ...context,
    store,
    knownRefusals: commands.knownRefusals,
    withProjector: config.roles.has('projector'),
    headKey: settings.events.kind === 'embedded' ? undefined : deriveHeadKey(secret),
  });
  commands.listen({
    onAppended(append) {
      metrics.commands.onAppended(append);
      views.ownWrites.record(append);
      if (isSuppressionStream(append.stream)) views.suppressed.note();
      // A shared store does not report commits: the appending process does.
      if (store.onCommitted === undefined) views.notify(append.position);
    },
    onUnchanged: (position) => views.ownWrites.requireAtLeast(position),
  });
  store.onCommitted?.((position) => views.notify(position));
  views.onMoved(() => traces?.onShown(views.ownWrites.visiblePosition()));

  const mailer = config.roles.has('mailer')
    ? await openMailer({ ...context, metrics: metrics.mail, store, commands, views, trustedNow })
    : undefined;
  const keys = await openApiKeys(commands, { ...context, register, trustedNow });
  const logId = await demandLogId(store);
  const erasures = await openErasures({ ...context, store, register, logId, streamKeys, commands, views, mailer });
  const seals = await openSeals({ ...context, store, views });
  const subscribers: readonly (Subscriber<unknown> | undefined)[] = [
    mailer,
    erasures.eraser,
    await openRetention({ ...context, store, commands, views, trustedNow }),
    seals,
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
    ...{ mailer, erasures, seals, commands, trustedClock },
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
    trustedClock,
  });
  // Start the subscribers last, because a start that fails must not have done any work.
  for (const runner of runners) runner.start();
  const closing = new AbortController();
  void sayListening({ server, views }, context, closing.signal);
  return {
    altered: guard?.altered,
    async close() {
      closing.abort();
      await guard?.close();
      await Promise.all([server.close(), ...runners.map((runner) => runner.stop())]);
      // After the last event, while the stores are open.
      await Promise.all(runners.map((runner) => runner.close()));
      await views.close();
      await commands.close();
      await store.close();
      metrics.close();
    },
  };
}

const runnerOf = (subscriber: Subscriber<unknown>, { logger, traces, monotonic }: Context): Runner =>
  createRunner(subscriber, {
    traceWork: traces && ((run) => traces.work(subscriber.name, run)),
    onFault: (error, what) => logger.error({ err: error }, `${subscriber.name}: ${what}`),
    monotonic,
    random: Math.random,
  });

/** The port is bound before the views have caught up: a log line and the banner say so when requests are answered. */
async function sayListening(
  { server, views }: { readonly server: Http; readonly views: Views },
  { config, settings, logger, lines, monotonic }: Context,
  closing: AbortSignal,
): Promise<void> {
  const { address, metricsAddress: metrics } = server;
  const ready = await untilReady(server.readiness, { views, monotonic, signal: closing });
  if (closing.aborted) return;
  views.startChecks();
  if (ready) logger.info({ address, metrics }, 'listening');
  else logger.warn({ address, metrics, ready }, 'listening, but not ready: see /health/ready');
  lines.write(startBanner(address, settings, config.dataDir));
}
