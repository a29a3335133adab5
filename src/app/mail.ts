/** Composes the mailer: where it finds its work and where its e-mails go. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import type { EventStore } from '../eventstore/event-store.js';
import type { MailerReport } from '../mailer/job.js';
import { createMailer, type Mailer } from '../mailer/mailer.js';
import { createOutboxTransport } from '../mailer/outbox.js';
import { isFullName } from '../mailer/smtp-name.js';
import { mailerTimings } from '../mailer/timings.js';
import type { Transport } from '../mailer/transport.js';
import { createErasureCheck } from '../privacy/reach.js';
import type { Views } from './views.js';
import type { Commands } from './commands.js';

export interface MailOptions {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly logger: Logger;
  readonly store: EventStore;
  readonly commands: Commands;
  readonly views: Views;
  /** Before, the start may still fail: nothing is sent. */
  readonly isListening: () => boolean;
}

export async function openMailer(options: MailOptions): Promise<Mailer> {
  const { config, logger, store, commands, views, isListening } = options;
  return createMailer({
    reader: store,
    handler: commands.emails,
    isToBeErased: createErasureCheck(store, commands.erasures),
    // Until the views have shown something, they may not exist.
    due: (now, limit) =>
      views.hasShown() && isListening() ? views.queries.dueEmails(now, limit) : Promise.resolve([]),
    transport: await transportOf(options),
    runId: randomUUID(),
    clock: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    soleWriter: store.soleWriter,
    inDoubtPolicy: config.mailInDoubt,
    timings: mailerTimings,
    report: mailReport(logger),
    concurrency: config.mailConnections,
  });
}

async function transportOf({ config, logger, folder }: MailOptions): Promise<Transport> {
  if (config.smtp !== undefined) {
    const { createSmtpTransport } = await import('../mailer/smtp.js');
    const { smtp: server, mailConnections: connections } = config;
    const ehloName = config.smtpName ?? (isFullName(hostname()) ? hostname() : undefined);
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
