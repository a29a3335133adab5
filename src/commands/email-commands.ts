/** What can be asked of one transactional e-mail. */
import type { EmailEvent } from '../events/email.js';
import type { RefusalKind } from '../events/refusal-kind.js';
import type { ListReference } from './contact.js';

type Requested = Extract<EmailEvent, { type: 'EmailRequested' }>['data'];
type Message = NonNullable<Requested['message']>;
export type EmailMessage = Readonly<Omit<Message, 'salt'>>;

export interface RequestEmail extends Readonly<Pick<Requested, 'email_id' | 'recipient_key'>> {
  readonly type: 'RequestEmail';
  /** Where it is mail to a subscriber of a list. */
  readonly list?: ListReference | undefined;
  readonly message: Readonly<Message>;
}

/** Claims the next attempt. The claim succeeded if it yields an event. */
export interface StartDispatch {
  readonly type: 'StartDispatch';
  readonly run_id: string;
  readonly deadline: string;
  readonly now: string;
  /** A `next_attempt_at` that was set while the clock was ahead. An email that still has this time is due. */
  readonly misdated?: string | undefined;
}

/** What the server answered to an attempt, or that it was not reached. */
export interface AttemptOutcome {
  readonly attempt: number;
  readonly reason: string;
  readonly smtp_code?: number | undefined;
  readonly enhanced_code?: string | undefined;
  readonly response?: string | undefined;
}

export interface RecordSent extends AttemptOutcome {
  readonly type: 'RecordSent';
}
export interface RecordDeferred extends AttemptOutcome {
  readonly type: 'RecordDeferred';
  readonly next_attempt_at: string;
  /** No further attempt until an operator releases it. */
  readonly hold?: boolean;
  /** No further attempt at all, for this reason. */
  readonly cancel?: string | undefined;
}
export interface RecordFailed extends AttemptOutcome {
  readonly type: 'RecordFailed';
}

export interface RecordInDoubt {
  readonly type: 'RecordInDoubt';
  readonly attempt: number;
  readonly reason: string;
  /** The run that judges: its own attempt at any time, another's only after the deadline. */
  readonly judge: string;
  /** The run that made the attempt is known to have ended, so its deadline need not be waited for. */
  readonly run_ended: boolean;
  readonly now: string;
  /** Null = hold it. */
  readonly next_attempt_at: string | null;
}

/** Yields no event unless the e-mail waits to be sent. */
export interface HoldEmail {
  readonly type: 'HoldEmail';
  readonly reason: string;
  /** Only where it has waited since before this time. */
  readonly waiting_before?: string;
}

export interface ReleaseEmail {
  readonly type: 'ReleaseEmail';
  readonly next_attempt_at: string;
}

export interface CancelEmail {
  readonly type: 'CancelEmail';
  readonly reason: string;
}

interface Report {
  readonly verified: boolean;
  readonly report_hash: string;
}

/** Reports yield no event where they are known, or nothing was ever sent. */
export interface RecordBounce extends Report {
  readonly type: 'RecordBounce';
  readonly kind: RefusalKind;
  readonly enhanced_code?: string | undefined;
  readonly diagnostic?: string | undefined;
}

export interface RecordComplaint extends Report {
  readonly type: 'RecordComplaint';
}

/** Yields no event while the e-mail is being sent. */
export interface EraseEmail {
  readonly type: 'EraseEmail';
  readonly reason: 'erasure' | 'retention';
}
