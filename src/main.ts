/** Composition root: configuration → stores → projector, mailer, API; start and stop. The only file that knows every adapter. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import { createApp } from './api/app.js';
import { configuredKey, createAuthenticator, hashKey } from './api/auth.js';
import { createRateLimiter } from './api/rate-limit.js';
import { closeServer, createServer } from './api/server.js';
import { createSnapshots } from './catalogue-snapshots.js';
import { createAudience } from './commands/audience.js';
import type { Sources } from './commands/batch.js';
import { contactDecider } from './commands/contact.js';
import type { Decider } from './commands/decider.js';
import { emailDecider } from './commands/email.js';
import { groupDecider } from './commands/group.js';
import { createCommandHandler, type CommandHandler } from './commands/handle.js';
import { listDecider } from './commands/list.js';
import { serviceDecider } from './commands/service.js';
import { tagDecider } from './commands/tag.js';
import { readConfig, type Config } from './config.js';
import { openDataFolder, type DataFolder } from './data-folder.js';
import { firstSecret, initialise } from './first-start.js';
import type { DomainEvent } from './events/codec.js';
import type { Recorded } from './events/envelope.js';
import { contactStream, deriveStreamKeys, groupsStream, listsStream, tagsStream } from './events/streams.js';
import { openSqliteEventStore, type SqliteEventStore } from './eventstore/sqlite.js';
import { createMailer, type Mailer } from './mailer/mailer.js';
import { createOutboxTransport } from './mailer/outbox.js';
import { createSmtpTransport, smtpTimings } from './mailer/smtp.js';
import { mailerTimings } from './mailer/timings.js';
import type { Transport } from './mailer/transport.js';
import {
  addressOf,
  explain,
  mailReport,
  printAddress,
  printKey,
  readiness,
  requestLog,
  type Lines,
} from './operator.js';
import { createOwnWrites, type OwnWrites } from './projections/own-writes.js';
import { createQueries } from './projections/queries.js';
import { liveProjections } from './projections/views.js';
import { startProjectorThread } from './projector-thread.js';
import { discardIfDamaged, openSqliteReadModels } from './readmodels/sqlite.js';
import { createSaltSource } from './salt.js';
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

const monotonic = (): number => performance.now();

interface Service {
  readonly address: string;
  close(): Promise<void>;
}

async function startService(config: Config, { logger, lines }: Logs): Promise<Service> {
  const folder = openDataFolder(config.dataDir);
  const store = await openSqliteEventStore({
    file: folder.eventsFile,
    clock: Date.now,
    onFault: (error) => logger.error({ err: error }, 'the event store reports a fault'),
  });
  try {
    return await startOn(store, { config, logger, lines, folder });
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Logs {
  readonly logger: Logger;
  readonly lines: Lines;
}

interface Surroundings extends Logs {
  readonly config: Config;
  readonly folder: DataFolder;
}

async function startOn(store: SqliteEventStore, { config, logger, lines, folder }: Surroundings): Promise<Service> {
  const keys = deriveStreamKeys(config.secret ?? folder.secret() ?? (await firstSecret(store, folder)));
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
  const catalogues = [
    { stream: groupsStream, handler: groups },
    { stream: listsStream, handler: lists },
    { stream: tagsStream, handler: tags },
  ];
  const damage = discardIfDamaged(folder.viewsFile);
  if (damage !== undefined) logger.error({ damage }, 'views.db was damaged and is folded anew from the log');
  const snapshots = createSnapshots({
    reader: store,
    models: openSqliteReadModels({ file: folder.viewsFile }),
    onFault: (error) => logger.error({ err: error }, 'a snapshot of a catalogue failed; the next start takes longer'),
  });
  for (const { stream, handler } of catalogues) {
    const snapshot = await snapshots.load(stream);
    const folded = snapshot === undefined ? await handler.fresh(stream) : await handler.adopt(stream, snapshot);
    await snapshots.save(stream, folded);
  }

  const own = createOwnWrites({ projections: liveProjections, head: await store.head(), now: monotonic });
  ownWrites.current = own;
  const mailer: { current?: Mailer } = {};
  // The mailer looks at its worklist once the views have caught up with the start, and whenever the views may show a new request.
  let shown: string | undefined;
  let caughtUpOnce = false;
  let mailUntil = '';
  let stopping = false;
  let isListening = false;
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
    // Before the first progress the view may not have been made; before the server listens the start may still fail.
    due: (now, limit) => (shown === undefined || !isListening ? Promise.resolve([]) : queries.dueEmails(now, limit)),
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
  if (stored.generated !== undefined) printKey(stored.generated, config.dataDir);
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
    log: requestLog(logger, lines),
    now: monotonic,
    isStopping: () => stopping,
  });
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  isListening = true;
  sender.nudge();
  const address = addressOf(server.address(), config.host);
  folder.writeAddress(address);
  printAddress(address, config.dataDir);
  logger.info({ address }, 'listening');

  return {
    address,
    async close() {
      stopping = true;
      await Promise.all([closeServer(server, closePatienceMs), sender.close()]);
      await projector.close();
      for (const { stream, handler } of catalogues) await snapshots.save(stream, await handler.fresh(stream));
      await snapshots.close();
      own.close();
      await views.close();
      await store.close();
    },
  };
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
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    service.close().then(
      () => {
        logger.info('stopped');
        logger.flush(() => process.exit(0));
      },
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
