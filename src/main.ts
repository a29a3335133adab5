/** Composition root: configuration → stores → projector, mailer, API; start and stop. The only file that knows every adapter. */
import { randomFillSync, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import { createApp } from './api/app.js';
import { configuredKey, createAuthenticator, hashKey } from './api/auth.js';
import { createRateLimiter } from './api/rate-limit.js';
import { closeServer, createServer } from './api/server.js';
import { createAudience } from './commands/audience.js';
import type { CommandContext, Sources } from './commands/batch.js';
import { contactDecider } from './commands/contact.js';
import type { Decider } from './commands/decider.js';
import { emailDecider } from './commands/email.js';
import { groupDecider } from './commands/group.js';
import { createCommandHandler, type CommandHandler } from './commands/handle.js';
import { listDecider } from './commands/list.js';
import { serviceDecider } from './commands/service.js';
import { tagDecider } from './commands/tag.js';
import { ConfigurationError, readConfig, type Config } from './config.js';
import { openDataFolder, type DataFolder } from './data-folder.js';
import type { DomainEvent } from './events/codec.js';
import type { Recorded } from './events/envelope.js';
import {
  contactStream,
  deriveStreamKeys,
  groupsStream,
  listsStream,
  serviceStream,
  tagsStream,
  type StreamKeys,
} from './events/streams.js';
import { openSqliteEventStore, type SqliteEventStore } from './eventstore/sqlite.js';
import { createMailer, type Mailer } from './mailer/mailer.js';
import { createOutboxTransport } from './mailer/outbox.js';
import { parseSmtpUrl } from './mailer/smtp-url.js';
import { createSmtpTransport, smtpTimings } from './mailer/smtp.js';
import { mailerTimings } from './mailer/timings.js';
import type { Transport } from './mailer/transport.js';
import { addressOf, explain, mailReport, printBanner, readiness, requestLog } from './operator.js';
import { createOwnWrites, type OwnWrites } from './projections/own-writes.js';
import { createQueries } from './projections/queries.js';
import { liveProjections } from './projections/views.js';
import { startProjectorThread } from './projector-thread.js';
import { openSqliteReadModels } from './readmodels/sqlite.js';
import { createUlidSource } from './ulid.js';

/** Running requests and the mailer get this long when the service stops. */
const closePatienceMs = 10_000;
/** Folded contacts and e-mails kept in memory. */
const cachedContacts = 20_000;
const cachedEmails = 1_000;
/** A log line waits at most so long for company. */
const logDelayMs = 100;
/** E-mails under way at once. */
const mailConcurrency = 10;

const sources: Sources = {
  now: Date.now,
  newEventId: () => randomUUID(),
  newSalt: createSaltSource(),
};

/** 16 random bytes in hex, drawn from the system in larger portions. */
function createSaltSource(): () => string {
  const pool = Buffer.alloc(16 * 256);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += 16;
    return pool.toString('hex', used - 16, used);
  };
}

const monotonic = (): number => performance.now();

interface Service {
  readonly address: string;
  close(): Promise<void>;
}

async function startService(config: Config, logger: Logger): Promise<Service> {
  const folder = openDataFolder(config.dataDir);
  const store = await openSqliteEventStore({
    file: folder.eventsFile,
    clock: Date.now,
    onFault: (error) => logger.error({ err: error }, 'the event store reports a fault'),
  });
  try {
    return await startOn(store, { config, logger, folder });
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Surroundings {
  readonly config: Config;
  readonly logger: Logger;
  readonly folder: DataFolder;
}

async function startOn(store: SqliteEventStore, { config, logger, folder }: Surroundings): Promise<Service> {
  const keys = deriveStreamKeys(config.secret ?? folder.secret());
  const ownWrites: { current?: OwnWrites } = {};
  const handlerOf = <State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    cacheSize: number,
    onAppended?: (last: Recorded<DomainEvent>) => void,
  ): CommandHandler<State, Command, Event> =>
    createCommandHandler({
      store,
      decider,
      sources,
      cacheSize,
      random: Math.random,
      sleep: (milliseconds) => sleep(milliseconds),
      onAppended: (events) => {
        ownWrites.current?.record(events);
        const last = events.at(-1);
        if (last !== undefined) onAppended?.(last);
      },
    });

  await initialise(handlerOf(serviceDecider, 1), keys);
  const groups = handlerOf(groupDecider, 1);
  const lists = handlerOf(listDecider, 1);
  const tags = handlerOf(tagDecider, 1);
  await Promise.all([groups.fresh(groupsStream), lists.fresh(listsStream), tags.fresh(tagsStream)]);

  const own = createOwnWrites({ projections: liveProjections, head: await store.head(), now: monotonic });
  ownWrites.current = own;
  const mailer: { current?: Mailer } = {};
  // The mailer looks at its worklist once the views have caught up with the start, and whenever the views may show a new request.
  let shown: string | undefined;
  let caughtUpOnce = false;
  let mailUntil = '';
  let stopping = false;
  const projector = startProjectorThread({
    eventsFile: folder.eventsFile,
    viewsFile: folder.viewsFile,
    onProgress: ({ position, caughtUp }) => {
      own.advance(position);
      if (shown === undefined || shown < mailUntil || (caughtUp && !caughtUpOnce)) mailer.current?.nudge();
      caughtUpOnce ||= caughtUp;
      shown = position;
    },
    onFault: ({ kind, message }) => logger.error({ kind }, message),
  });
  own.onWaiting(projector.hurry);
  store.onCommitted(projector.ring);
  const views = openSqliteReadModels({ file: folder.viewsFile, readOnly: true });
  const queries = createQueries(views);

  const emails = handlerOf(emailDecider, cachedEmails, ({ position }) => {
    mailUntil = position;
  });
  const sender = createMailer({
    reader: store,
    handler: emails,
    // Before the first progress the view may not have been made.
    due: (now, limit) => (shown === undefined ? Promise.resolve([]) : queries.dueEmails(now, limit)),
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
  });
  mailer.current = sender;

  const nextUlid = createUlidSource(Date.now);
  const audience = createAudience({
    groups,
    lists,
    tags,
    contacts: handlerOf(contactDecider, cachedContacts),
    emails,
    keys,
    newId: (prefix) => `${prefix}_${nextUlid()}`,
  });

  const stored = config.apiKeys.length === 0 || existsSync(folder.keysFile) ? folder.apiKeys(hashKey) : { keys: [] };
  const limiter = (name: string, quota: number) => createRateLimiter(name, quota, monotonic);
  const app = createApp({
    audience,
    queries,
    ownWrites: own,
    parked: () => projector.status().parked,
    readiness: () => readiness({ store, own, projector: projector.status(), mailer: sender.status() }),
    streamOf: (email) => contactStream(keys.contactKey(email)),
    today: () => new Date().toISOString().slice(0, 10),
    authenticate: createAuthenticator([...config.apiKeys.map(configuredKey), ...stored.keys]),
    limits: {
      api: limiter('default', config.rateLimit),
      email: limiter('email', config.rateLimitEmail),
      anonymous: limiter('default', config.rateLimit),
    },
    log: requestLog(logger),
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
  printBanner({ address, folder: config.dataDir, generatedKey: stored.generated });
  logger.info({ address }, 'listening');

  return {
    address,
    async close() {
      stopping = true;
      await Promise.all([closeServer(server, closePatienceMs), sender.close()]);
      await projector.close();
      own.close();
      await views.close();
      await store.close();
    },
  };
}

function transportOf({ smtpUrl }: Config, { logger, folder }: Pick<Surroundings, 'logger' | 'folder'>): Transport {
  if (smtpUrl !== undefined) return createSmtpTransport({ server: parseSmtpUrl(smtpUrl), timings: smtpTimings });
  return createOutboxTransport({
    folder: folder.outbox,
    onWritten: (file) => {
      logger.info(file, 'e-mail written to the outbox');
    },
  });
}

/** @throws ConfigurationError when the log was begun with another secret. */
async function initialise(
  handler: CommandHandler<
    { logId: string | null; secretFingerprint: string },
    { logId: string; secretFingerprint: string },
    unknown
  >,
  keys: StreamKeys,
): Promise<void> {
  const known = (await handler.fresh(serviceStream)).state;
  if (known.logId === null) {
    const logId = randomUUID();
    const id = randomUUID();
    const context: CommandContext = { correlationId: id, causationId: id, requestId: id, actor: 'service' };
    const command = { logId, secretFingerprint: keys.fingerprint(logId) };
    await handler.execute({ stream: serviceStream, command, context });
    return;
  }
  if (keys.fingerprint(known.logId) !== known.secretFingerprint)
    throw new ConfigurationError(
      'SECRET is not the one that this event log was begun with. Every contact would be split in two, so the start is refused. Put the old secret back (SECRET, or the file secret in DATA_DIR).',
    );
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(process.env);
  // Lines go out in larger pieces, at the latest after a moment: one write a line would cost a tenth of the throughput.
  const lines = pino.destination({ dest: 1, sync: false, minLength: 8192 });
  const logger = pino({ level: config.logLevel, base: null }, lines);
  setInterval(() => {
    lines.flush();
  }, logDelayMs).unref();
  const service = await startService(config, logger);
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    service.close().then(
      () => logger.flush(() => process.exit(0)),
      (error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        logger.flush(() => process.exit(1));
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`audience-ledger cannot start: ${explain(error)}\n`);
  process.exitCode = 1;
  process.exit();
});
