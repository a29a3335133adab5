/** What the mailer reports. */
import { Counter, type Registry } from '@prometheus-io/client';
import type { MailerReport } from '../mailer/job.js';

export function countMail(registry: Registry): (report: MailerReport) => void {
  const attempts = new Counter({
    name: 'audience_email_attempts_total',
    help: 'Attempts to send an e-mail that ended, by outcome and reason.',
    labelNames: ['outcome', 'reason'],
    registers: [registry],
  });
  const faults = new Counter({
    name: 'audience_email_faults_total',
    help: 'What went wrong in the mailer itself: an outcome that could not be recorded, an attempt that was over before, a lease that ran out.',
    labelNames: ['kind'],
    registers: [registry],
  });
  return (report) => {
    switch (report.type) {
      case 'recorded':
        return attempts.inc({ outcome: report.outcome, reason: report.reason });
      case 'held_overdue':
        return attempts.inc({ outcome: 'held', reason: report.reason }, report.emails);
      case 'superseded':
      case 'record_failed':
      case 'abandoned':
      case 'lapsed':
      case 'fault':
        return faults.inc({ kind: report.type });
      case 'started':
      case 'relay_accepts':
      case 'relay_refuses':
        return;
      default:
        return report satisfies never;
    }
  };
}
