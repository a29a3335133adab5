/** Composes the mailer, a subscriber: where it finds its work and where its e-mails go. */
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import { proofOf } from '../events/email-proof.js';
import { returnPathOf } from '../events/return-path.js';
import { deriveUnsubscribeKey } from '../events/streams.js';
import { createUnsubscribeTokens } from '../events/unsubscribe-token.js';
import type { EventStore } from '../eventstore/event-store.js';
import type { Clocks, SubscriberRunner } from '../flow/subscriber.js';
import { breakerTimings } from '../mailer/breaker.js';
import { createMailer, type MailSubscriber } from '../mailer/mailer.js';
import { createMayGoOut } from '../mailer/load.js';
import type { UnsubscribeUrl } from '../mailer/list-headers.js';
import { createOutboxTransport } from '../mailer/outbox.js';
import {
  createLeasedRuns,
  runLeaseMs,
  runLeaseName,
  soleRun,
  type LeasedRunsOptions,
  type Runs,
} from '../mailer/runs.js';
import { ownSmtpName } from '../mailer/smtp-url.js';
import { mailerTimings } from '../mailer/timings.js';
import type { Relay } from '../mailer/relay.js';
import type { Transport } from '../mailer/transport.js';
import { wakeForMail } from '../mailer/wake.js';
import { createErasureCheck } from '../privacy/erase.js';
import type { OpenLease } from '../stores/own-lease.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { MailerReport } from '../mailer/job.js';
import { mailReport } from '../mailer/report.js';
import type { Observe } from '../flow/observe.js';
import type { Views } from './views.js';
import type { Commands } from './commands.js';

interface MailOptions extends Clocks {
  readonly observe: Observe;
  readonly config: Config;
  readonly openLease: OpenLease;
  readonly folder: DataFolder;
  readonly logger: Logger;
  readonly store: EventStore;
  readonly commands: Commands;
  readonly views: Views;
  readonly secret: string;
  readonly newUuid: () => string;
  readonly trustedNow: () => number | undefined;
}

export interface Mailer extends Omit<MailSubscriber, 'status'> {
  /** `canLook`: work can be found, and done. */
  status(): ReturnType<SubscriberRunner['status']> & { readonly relay: ReturnType<Relay['status']> };
}

export async function openMailer(options: MailOptions): Promise<Mailer> {
  const { config, openLease, logger, observe, store, commands, views, clock, monotonic, trustedNow, newUuid } = options;
  const { mailReturnPath: base } = config;
  const log = mailReport(logger);
  const report = (about: MailerReport): void => {
    log(about);
    observe.email(about);
  };
  const transport = await transportOf(options);
  let runner: SubscriberRunner | undefined;
  const runs = await openMailRuns({
    ...{ openLease, store, monotonic, newUuid },
    onRun: () => runner?.wake(),
    onLapsed: (run_id) => report({ type: 'lapsed', run_id }),
    onFault: (error) => logger.error({ err: error }, 'the mailer has no lease and sends nothing: tried again'),
  });
  const mailer = createMailer({
    ...{ clock, monotonic, trustedNow, random: Math.random },
    reader: store,
    handler: commands.emails,
    onBounce: commands.recordMailboxBounce,
    mayGoOut: createMayGoOut({
      isToBeErased: createErasureCheck(store, commands.erasures),
      checkRecipient: commands.checkRecipient,
    }),
    unsubscribeUrl: unsubscribeUrlOf(options),
    // The view may not exist until it has shown something.
    due: async (now, limit) => (views.hasEmails() ? await views.worklist.dueEmails(now, limit) : []),
    sending: async (limit) => (views.hasEmails() ? await views.worklist.sendingEmails(limit) : []),
    dueAfter: (time) => (views.hasEmails() ? views.worklist.emailsDueAfter(time) : noEmails()),
    overdue: views.worklist.overdueEmails,
    transport,
    dkim: config.dkim,
    returnPath:
      base === undefined ? undefined : (emailId) => returnPathOf(emailId, base, commands.streamKeys.returnPathMac),
    proofOf: (emailId) => proofOf(emailId, commands.streamKeys.emailHeaderMac),
    runs,
    soleWriter: store.soleWriter,
    inDoubtPolicy: config.mailInDoubt,
    timings: { ...mailerTimings, ...config.mailTimings },
    breakerTimings,
    report,
    observe,
    connections: config.mailConnections,
    // While one e-mail is handed over, another one is claimed and another one's outcome recorded.
    concurrency: 3 * config.mailConnections,
  });
  return {
    ...mailer,
    attach(given) {
      runner = given;
      wakeForMail(given, {
        isShared: !store.soleWriter,
        onAppended: (onAppended) => commands.listen({ onAppended }),
        onMoved: views.onMoved,
      });
    },
    status() {
      const { running, canLook } = runner?.status() ?? { running: 0, canLook: true };
      const { hasRun, relay } = mailer.status();
      return { running, canLook: canLook && hasRun, relay };
    },
    async close() {
      await runs.close();
      transport.close();
    },
  };
}

async function* noEmails(): AsyncGenerator<never[]> {
  // Yields no page.
}

function unsubscribeUrlOf({ config: { publicUrl }, secret }: MailOptions): UnsubscribeUrl | undefined {
  if (publicUrl === undefined) return undefined;
  const tokens = createUnsubscribeTokens(deriveUnsubscribeKey(secret));
  return (link) => `${publicUrl}/u/${tokens.make(link)}`;
}

async function transportOf({ config, logger, folder }: MailOptions): Promise<Transport> {
  if (config.smtp !== undefined) {
    const { createSmtpTransport } = await import('../mailer/smtp.js');
    const { smtp: server, mailConnections: connections } = config;
    const ehloName = ownSmtpName(config.smtpName, hostname());
    if (server.mayBeClear) logger.warn('SMTP_URL has requireTLS=false: e-mails may be sent in clear text');
    return createSmtpTransport({ server, ehloName, connections });
  }
  return createOutboxTransport({
    folder: folder.outbox,
    onWritten: (file) => {
      logger.info(file, 'e-mail written to the outbox');
    },
  });
}

interface MailRunsOptions extends Pick<LeasedRunsOptions, 'onRun' | 'onLapsed' | 'onFault' | 'monotonic'> {
  readonly openLease: OpenLease;
  readonly newUuid: () => string;
  readonly store: Pick<OpenEventStore, 'soleWriter' | 'head'>;
}

/** @throws ReadModelsUnavailableError */
async function openMailRuns({ openLease, store, monotonic, newUuid, ...hooks }: MailRunsOptions): Promise<Runs> {
  const mailerId = newUuid();
  const lease = store.soleWriter ? undefined : await openLease(runLeaseName(mailerId), runLeaseMs);
  if (lease === undefined) return soleRun(mailerId);
  const { fenceOff } = lease;
  return createLeasedRuns({ ...hooks, mailerId, lease, fenceOff, head: store.head, ttl: runLeaseMs, monotonic });
}
