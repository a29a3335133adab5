/** Composition root: configuration → stores → projector, mailer, API; start and stop. The only file that knows every adapter. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { pino, type Logger } from 'pino';
import { createApp } from './api/app.js';
import { configuredKey, createAuthenticator, hashKey } from './api/auth.js';
import { createRateLimiter } from './api/rate-limit.js';
import { closeServer, createServer } from './api/server.js';
import { createSnapshots, type Snapshots } from './catalogue-snapshots.js';
import { readConfig, type Config } from './config.js';
import { openDataFolder, type DataFolder } from './data-folder.js';
import { guardLog, refuseHeadless, type AlteredLogError, type EvidenceGuard } from './evidence-guard.js';
import { firstSecret } from './first-start.js';
import { contactStream, deriveStreamKeys, isEmailStream, type StreamKeys } from './events/streams.js';
import { createMailer, type Mailer } from './mailer/mailer.js';
import { createOutboxTransport } from './mailer/outbox.js';
import { createSmtpTransport, smtpTimings } from './mailer/smtp.js';
import { mailerTimings } from './mailer/timings.js';
import type { Transport } from './mailer/transport.js';
import {
  addressOf,
  createHeadLag,
  explain,
  mailReport,
  printAddress,
  printKey,
  readiness,
  requestLog,
  type Lines,
} from './operator.js';
import { openReadSide, type ReadSide } from './read-side.js';
import {
  isShared,
  openEventStore,
  openReadModels,
  prepareViews,
  refuseForeignViews,
  settingsOf,
  type OpenEventStore,
  type StoreSettings,
} from './stores.js';
import { openWriteSide, type WriteSide } from './write-side.js';

/** Running requests and the mailer get this long when the service stops. */
const closePatienceMs = 10_000;
/** And the whole stop, whatever a store does, this long. */
const stopPatienceMs = 25_000;
/** A log line waits at most so long for company. */
const logDelayMs = 100;
/** E-mails under way at once. */
const mailConcurrency = 10;

/** What others have requested is looked for at most so often, in milliseconds. */
const othersMailMs = 200;

const monotonic = (): number => performance.now();

interface Service {
  readonly address: string;
  /** Settles when the log turns out to be altered, while it is verified in the background. */
  readonly altered?: Promise<AlteredLogError> | undefined;
  close(): Promise<void>;
}

interface Logs {
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

async function startService(config: Config, logs: Logs): Promise<Service> {
  const folder = openDataFolder(config.dataDir);
  const settings = settingsOf(config, folder);
  const { logger } = logs;
  const store = await openEventStore(settings.events, {
    onFault: (error) => logger.error({ err: error }, 'the event store reports a fault'),
    onWaiting: (reason) => logger.warn({ reason }, 'waiting for the event store'),
    onUpgrade: () => logger.warn('the event log is given its evidence chain; large ones take minutes, once'),
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
    onAppended: (events) => {
      parts.reads?.ownWrites.record(events);
      const last = events.at(-1);
      if (last === undefined) return;
      if (isEmailStream(last.stream)) mailUntil = last.position;
      // Where others write to the log too, nobody but the appending process itself tells of what it appended.
      if (store.onCommitted === undefined) parts.reads?.ring(last.position);
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
  store.onCommitted?.((position) => reads.ring(position));

  const mailer = config.roles.has('mailer')
    ? createMailer({
        reader: store,
        handler: writes.emails,
        // Before the views show anything they may not have been made; before the server listens the start may still fail.
        due: (now, limit) =>
          reads.hasShown() && isListening ? reads.queries.dueEmails(now, limit) : Promise.resolve([]),
        transport: transportOf(config, { logger, folder }),
        runId: randomUUID(),
        clock: Date.now,
        monotonic,
        random: Math.random,
        soleWriter: store.soleWriter,
        inDoubtPolicy: config.mailInDoubt,
        timings: mailerTimings,
        report: mailReport(logger),
        concurrency: mailConcurrency,
      })
    : undefined;
  if (mailer !== undefined) parts.mailer = mailer;

  const server = await serve({ ...surroundings, store, keys, writes, reads, mailer });
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

interface Served extends Surroundings {
  readonly store: OpenEventStore;
  readonly keys: StreamKeys;
  readonly writes: WriteSide;
  readonly reads: ReadSide;
  readonly mailer: Mailer | undefined;
}

/** Listens. Without the role `api` health is all that it answers. */
async function serve(served: Served): Promise<Service> {
  const { config, folder, settings, logger, lines, guard, store, keys, writes, reads, mailer } = served;
  let stopping = false;
  const stored = config.apiKeys.length === 0 || existsSync(folder.keysFile) ? folder.apiKeys(hashKey) : { keys: [] };
  if (stored.generated !== undefined) printKey(stored.generated, config.dataDir);
  const limiter = (name: string, quota: number) => createRateLimiter(name, quota, monotonic);
  const headLag = createHeadLag(monotonic);
  const app = createApp({
    audience: writes.audience,
    queries: reads.queries,
    analytics: reads.analytics,
    ownWrites: reads.ownWrites,
    events: store,
    withEndpoints: config.roles.has('api'),
    parked: () => reads.status().parked,
    rebuilds: reads.rebuilds,
    views: () => ({ ...reads.status(), position: reads.ownWrites.shown(), lag: reads.ownWrites.lag() }),
    readiness: () => readiness({ store, reads, guard, mailer: mailer?.status(), headLag, roles: config.roles }),
    streamOf: (email) => contactStream(keys.contactKey(email)),
    clock: Date.now,
    authenticate: createAuthenticator([...config.apiKeys.map(configuredKey), ...stored.keys]),
    limits: {
      api: limiter('default', config.rateLimit),
      email: limiter('email', config.rateLimitEmail),
      anonymous: limiter('default', config.rateLimit),
    },
    log: requestLog(logger, lines),
    now: monotonic,
    isStopping: () => stopping,
  });
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const address = addressOf(server.address(), config.host);
  folder.writeAddress(address);
  printAddress(address, settings, config.dataDir);
  logger.info({ address }, 'listening');
  return {
    address,
    close() {
      stopping = true;
      return closeServer(server, closePatienceMs);
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

function transportOf({ smtp }: Config, { logger, folder }: Pick<Surroundings, 'logger' | 'folder'>): Transport {
  if (smtp !== undefined) return createSmtpTransport({ server: smtp, timings: smtpTimings });
  return createOutboxTransport({
    folder: folder.outbox,
    onWritten: (file) => {
      logger.info(file, 'e-mail written to the outbox');
    },
  });
}

async function main(): Promise<void> {
  // Whatever is made here is for the owner only: logs, views and outbox hold personal data.
  process.umask(0o077);
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(process.env);
  // Lines go out in larger pieces, at the latest after a moment: one write a line would cost a tenth of the throughput.
  const lines = pino.destination({ dest: 1, sync: false, minLength: 8192 });
  const logger = pino(
    {
      level: config.logLevel,
      base: null,
      hooks: {
        logMethod(line, method, level) {
          method.apply(this, line);
          // What went wrong is not kept waiting, and not lost if the process ends of it.
          if (level >= 50) lines.flush();
        },
      },
    },
    lines,
  );
  setInterval(() => {
    lines.flush();
  }, logDelayMs).unref();
  const service = await startService(config, { logger, lines });
  let stopping = false;
  const stop = (signal: string, code = 0): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    // A store that hangs must not keep the process: all that was acknowledged is safe.
    setTimeout(() => {
      logger.error('the stop took too long, a store does not answer');
      logger.flush(() => process.exit(1));
    }, stopPatienceMs).unref();
    service.close().then(
      () => {
        logger.info('stopped');
        logger.flush(() => process.exit(code));
      },
      (error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        logger.flush(() => process.exit(1));
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  void service.altered?.then((error) => {
    logger.fatal({ err: error }, 'the event log was altered');
    stop('altered log', 1);
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`audience-ledger cannot start: ${explain(error)}\n`);
  process.exitCode = 1;
  process.exit();
});
