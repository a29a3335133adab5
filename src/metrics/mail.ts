/** E-mails: what the mailer reports, what waits, and what comes back. */
import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { Listener } from '../flow/observe.js';
import { cached, eachOf, type StateMetric } from './states.js';

export function countMail(registry: Registry): Listener {
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
  const durations = new Histogram({
    name: 'audience_email_transport_seconds',
    help: 'Time of handing over an e-mail, from asking for a connection to the last reply of the mail server, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600],
    registers: [registry],
  });
  return {
    email(report) {
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
    },
    handOver: ({ outcome, milliseconds }) => durations.observe({ outcome: outcome.status }, milliseconds / 1_000),
  };
}

export interface MailSources {
  /** Undefined where another process sends. */
  readonly mailer:
    | { status(): { readonly relay: { readonly connections: number; readonly refuses?: object | undefined } } }
    | undefined;
  readonly commands: {
    readonly reports: Readonly<Record<'counts' | 'overLimit', () => Readonly<Record<string, number>>>>;
  };
  readonly views: {
    hasEmails(): boolean;
    readonly worklist: { countWaitingEmails(most: number): Promise<Readonly<Record<string, number>>> };
  };
}

const countedEmails = 1_000;
const countAgainMs = 15_000;

export function mailStates({ views }: MailSources): readonly StateMetric<MailSources>[] {
  const waiting = cached(countAgainMs, () => views.worklist.countWaitingEmails(countedEmails));
  return [
    {
      name: 'audience_emails',
      help: 'E-mails that are not at their end, by state: requested, sending, deferred, in_doubt, held. At most 1000 of each are counted, and no more often than every 15 seconds.',
      labels: ['state'],
      read: async () => (views.hasEmails() ? eachOf('state', await waiting()) : undefined),
    },
    {
      name: 'audience_email_reports_total',
      help: 'Reports of bounces and complaints that were taken, by outcome.',
      labels: ['outcome'],
      isCounter: true,
      read: ({ commands }) => eachOf('outcome', commands.reports.counts()),
    },
    {
      name: 'audience_email_reports_over_limit_total',
      help: 'Reports of bounces and complaints that were ignored because parsing them exceeded a limit, by limit: time or memory.',
      labels: ['limit'],
      isCounter: true,
      read: ({ commands }) => eachOf('limit', commands.reports.overLimit()),
    },
    {
      name: 'audience_relay_refuses',
      help: 'Whether the mail server takes no e-mail at all: 1 or 0. Absent where another process sends.',
      read: ({ mailer }) => (mailer === undefined ? undefined : mailer.status().relay.refuses !== undefined),
    },
    {
      name: 'audience_relay_connections',
      help: 'Connections to the mail server at most, now.',
      read: ({ mailer }) => mailer?.status().relay.connections,
    },
  ];
}
