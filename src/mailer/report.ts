/** What the mailer reports, as lines of the log: each says what happened, why, and what to do. */
import type { MailerReport } from './job.js';
import { reasonInWords } from './reasons.js';

/** Nothing is sent until an operator corrects these. */
const forTheOperator: ReadonlySet<string> = new Set([
  'policy',
  'auth_failed',
  'tls',
  'outbox_unavailable',
  'invalid_message',
]);

type Logger = Record<'info' | 'warn' | 'error', (about: object, message: string) => void>;
type Recorded = Extract<MailerReport, { type: 'recorded' }>;

const outcomes: Readonly<Record<Recorded['outcome'], string>> = {
  sent: 'e-mail sent',
  deferred: 'e-mail not sent yet',
  failed: 'e-mail failed',
  in_doubt: 'e-mail in doubt',
  held: 'e-mail held',
  cancelled: 'e-mail cancelled',
};

function levelOf({ outcome, reason }: Recorded): 'info' | 'warn' | 'error' {
  if (outcome === 'sent' || outcome === 'cancelled') return 'info';
  return forTheOperator.has(reason) ? 'error' : 'warn';
}

export function mailReport(logger: Logger): (report: MailerReport) => void {
  return (report) => {
    switch (report.type) {
      case 'started':
        return logger.info(report, 'e-mail is being sent');
      case 'recorded':
        return logger[levelOf(report)](report, `${outcomes[report.outcome]}: ${reasonInWords(report)}`);
      case 'superseded':
        return logger.warn(report, 'the attempt was over before this mailer knew how it ended: nothing was recorded');
      case 'abandoned':
        return logger.warn(
          report,
          'how the attempt ended could not be recorded before the stop: the next start judges it',
        );
      case 'lapsed':
        return logger.warn(report, 'the lease of this mailer ran out: it goes on with a new one');
      case 'held_overdue':
        return logger.warn(report, `e-mails held after the time to give up: ${reasonInWords(report)}`);
      case 'relay_accepts':
        return logger.info(report, 'the mail server takes e-mails again');
      case 'relay_refuses':
        return logger.error(report, `the mail server takes no e-mail, so they wait: ${reasonInWords(report)}`);
      case 'record_failed':
      case 'fault': {
        const { error, ...line } = report;
        return logger.error({ ...line, err: error }, faults[report.type]);
      }
      default:
        return report satisfies never;
    }
  };
}

const faults = {
  record_failed: 'how the attempt ended cannot be recorded: tried again, and nothing is sent meanwhile',
  fault: 'the mailer cannot read or write what it needs: tried again',
};
