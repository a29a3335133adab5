/** Composes the mailer: where it finds its work and where its e-mails go. */
import type { Logger } from 'pino';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import type { EventStore } from '../eventstore/event-store.js';
import type { MailerReport } from '../mailer/job.js';
import { createMailer, type Mailer } from '../mailer/mailer.js';
import { createOutboxTransport } from '../mailer/outbox.js';
import { mailerTimings } from '../mailer/timings.js';
import type { Transport } from '../mailer/transport.js';
import { createErasureCheck } from '../privacy/reach.js';
import type { StoreSettings } from '../stores/stores.js';
import type { Views } from './views.js';
import type { Commands } from './commands.js';
import { openMailRuns } from './mail-runs.js';

const mailConcurrency = 10;

export interface MailOptions {
  readonly config: Config;
  readonly settings: StoreSettings;
  readonly folder: DataFolder;
  readonly logger: Logger;
  readonly store: EventStore;
  readonly commands: Commands;
  readonly views: Views;
  /** Before, the start may still fail: nothing is sent. */
  readonly isListening: () => boolean;
}

export async function openMailer(options: MailOptions): Promise<Mailer> {
  const { config, settings, logger, store, commands, views, isListening } = options;
  const report = mailReport(logger);
  const isReady = (): boolean => views.hasShown() && isListening();
  const runs = await openMailRuns({
    settings,
    store,
    onRun: () => mailer.wake(),
    onLapsed: (run_id) => report({ type: 'lapsed', run_id }),
    onFault: (error) => report({ type: 'fault', email_id: null, error }),
  });
  const mailer: Mailer = createMailer({
    reader: store,
    handler: commands.emails,
    isToBeErased: createErasureCheck(store, commands.erasures),
    // Until the views have shown something, they may not exist.
    due: async (now, limit) => (isReady() ? await views.queries.dueEmails(now, limit) : []),
    sending: async (limit) => (isReady() ? await views.queries.sendingEmails(limit) : []),
    transport: await transportOf(options),
    runs,
    clock: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    soleWriter: store.soleWriter,
    inDoubtPolicy: config.mailInDoubt,
    timings: mailerTimings,
    report,
    concurrency: mailConcurrency,
  });
  return { ...mailer, close: () => mailer.close().then(runs.close) };
}

async function transportOf({ config, logger, folder }: MailOptions): Promise<Transport> {
  if (config.smtp !== undefined) {
    const { createSmtpTransport, smtpTimings } = await import('../mailer/smtp.js');
    return createSmtpTransport({ server: config.smtp, timings: smtpTimings });
  }
  return createOutboxTransport({
    folder: folder.outbox,
    onWritten: (file) => {
      logger.info(file, 'e-mail written to the outbox');
    },
  });
}

const untrustedCertificate =
  'the certificate of the mail server (SMTP_URL) is not trusted, so nothing is sent: name the CA that signed it in NODE_EXTRA_CA_CERTS, or have SMTP_URL name a host that a valid certificate names';

function mailReport(logger: Logger): (report: MailerReport) => void {
  return (report) => {
    if ('error' in report) {
      const { error, ...line } = report;
      logger.error({ ...line, err: error }, 'mailer');
    } else if (report.type === 'started' || (report.type === 'recorded' && report.outcome === 'sent'))
      logger.info(report, 'mailer');
    else if (report.type === 'recorded' && report.certificate !== undefined) logger.error(report, untrustedCertificate);
    else logger.warn(report, 'mailer');
  };
}
