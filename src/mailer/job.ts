/** What working on one e-mail needs, and what it reports. */
import type { EmailCommand, EmailState } from '../commands/email.js';
import type { CommandContext } from '../commands/batch.js';
import type { RecordMailboxBounce } from '../commands/bounced-mailboxes.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { EmailEvent } from '../events/email.js';
import type { Observe } from '../flow/observe.js';
import type { DkimSettings } from './dkim.js';
import type { UnsubscribeUrl } from './list-headers.js';
import type { LoadedEmail, MayGoOut, StreamReader } from './load.js';
import type { RelayReport, RelayTrial } from './relay.js';
import type { Runs } from './runs.js';
import type { MailerTimings } from './timings.js';
import type { SendOutcome, Transport } from './transport.js';

/** What happened, for logs and metrics. Nothing in it is personal. */
export type MailerReport =
  | RelayReport
  | { readonly type: 'started'; readonly email_id: string; readonly attempt: number }
  /** The outcome of an attempt is in the log: one of this run's, or one that an earlier run left behind. Or the e-mail was cancelled after this many attempts. */
  | {
      readonly type: 'recorded';
      readonly email_id: string;
      readonly attempt: number;
      readonly outcome: Exclude<SendOutcome['status'], 'withdrawn'> | 'held' | 'cancelled';
      readonly reason: string;
      readonly smtp_code?: number | undefined;
      readonly enhanced_code?: string | undefined;
      readonly tls_code?: string | undefined;
    }
  /** The attempt was over for the log before this run could say how it ended, and nothing was written. */
  | { readonly type: 'superseded'; readonly email_id: string; readonly attempt: number; readonly reason: string }
  /** Recording failed and is tried again; nothing is sent meanwhile. */
  | { readonly type: 'record_failed'; readonly email_id: string; readonly attempt: number; readonly error: unknown }
  /** The process stopped before the outcome could be recorded: the next run judges the attempt. */
  | { readonly type: 'abandoned'; readonly email_id: string; readonly attempt: number; readonly reason: string }
  /** The lease of this run ran out: nothing more is handed over under its id. */
  | { readonly type: 'lapsed'; readonly run_id: string }
  /** E-mails that had waited for too long while the relay took none. */
  | { readonly type: 'held_overdue'; readonly emails: number; readonly reason: string }
  | { readonly type: 'fault'; readonly email_id: string | null; readonly error: unknown };

/** A line of the worklist, the view `emails`. Only a hint: the e-mail's stream decides. */
export interface DueEmail {
  readonly email_id: string;
  readonly stream: string;
  readonly state: string;
  readonly run_id: string | null;
  readonly attempts: number;
  /** When there is something to do; while sending, the deadline of the attempt. */
  readonly next_attempt_at: string | null;
}

export interface AttemptOptions {
  readonly reader: StreamReader;
  readonly handler: CommandHandler<EmailState, EmailCommand, EmailEvent>;
  readonly transport: Transport;
  /** What e-mails are signed with; undefined: they are not. */
  readonly dkim?: DkimSettings | undefined;
  /** The envelope sender of an e-mail; undefined: the address that it is from. */
  readonly returnPath?: ((emailId: string) => string) | undefined;
  /** Returns the value of the header X-Audience-Email. */
  readonly proofOf: (emailId: string) => string;
  readonly mayGoOut: MayGoOut;
  /** Called when the recipient's server refuses the recipient. A repeat changes nothing. */
  readonly onBounce?: RecordMailboxBounce;
  /** Undefined: this mailer cannot send mail to subscribers of lists. */
  readonly unsubscribeUrl?: UnsubscribeUrl | undefined;
  readonly runs: Runs;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Returns the milliseconds since 1970, or undefined while the clock is not trusted. No email is given up during that time. */
  readonly trustedNow: () => number | undefined;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  /** No other process can write to this log, so every other run has ended. */
  readonly soleWriter: boolean;
  /** Whether an e-mail in doubt is sent again, under the same Message-ID. */
  readonly inDoubtPolicy: 'resend' | 'hold';
  readonly timings: MailerTimings;
  readonly report: (report: MailerReport) => void;
  /** Reports each email that is handed over. */
  readonly observe?: Observe | undefined;
}

/** What stops a running attempt, first its sending, then the recording of its outcome; and what it tells of the relay. */
export interface AttemptSignals {
  readonly sending: AbortSignal;
  readonly recording: AbortSignal;
  readonly trial: RelayTrial;
  /** The `next_attempt_at` of an email that was deferred while the clock was ahead and is due anyway. */
  readonly misdated?: string | undefined;
}

/** `void`: there was nothing to do, the hint was stale. `waits`: the relay, or the lease of this run, allows nothing now. `claim_unknown`: the claim may stand in the log, nothing was sent. `no_link`: mail to a subscriber, which this mailer cannot send. */
export type AttemptResult = 'recorded' | 'void' | 'waits' | 'claim_unknown' | 'abandoned' | 'no_link';

export interface Job {
  readonly options: AttemptOptions;
  readonly running: AttemptSignals;
  readonly stream: string;
  readonly email: LoadedEmail;
  /** Under which the e-mail is attempted or judged. */
  readonly runId: string;
  /** Id of the claim that this run has made. */
  readonly claimId?: string | undefined;
}

/** Who acts and why: the correlation of the request, the cause given. */
export const contextOf = ({ email }: Pick<Job, 'email'>, causationId: string): CommandContext => ({
  correlationId: email.correlationId,
  causationId,
  requestId: email.requestId,
  actor: 'mailer',
});

export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();
