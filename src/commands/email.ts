/** The rules of one transactional e-mail: requested once, attempted by one sender at a time, and never again once it is known to be sent. */
import { emailSchemas, type EmailEvent } from '../events/email.js';
import type { Metadata } from '../events/envelope.js';
import {
  isRefusal,
  isRepeat,
  knownBy,
  type DecisionContext,
  type Decider,
  type Decision,
  type StoredFingerprint,
} from './decider.js';
import { endedBy, isNews, reported, reportIn, knownReport, type KnownReport } from './email-reports.js';
import type {
  CancelEmail,
  EraseEmail,
  HoldEmail,
  AttemptOutcome,
  RecordBounce,
  RecordComplaint,
  RecordDeferred,
  RecordFailed,
  RecordInDoubt,
  RecordSent,
  ReleaseEmail,
  RequestEmail,
  StartDispatch,
} from './email-commands.js';

export type EmailStatus =
  'none' | 'requested' | 'sending' | 'deferred' | 'in_doubt' | 'held' | 'sent' | 'failed' | 'cancelled';

export interface EmailState {
  readonly status: EmailStatus;
  readonly email_id: string;
  /** When it was requested, or last released: the time to give up counts from then. */
  readonly since: string;
  /** The content is there: it is not erased. */
  readonly hasMessage: boolean;
  /** Absent where the request had no `Idempotency-Key`, and once the content is erased. */
  readonly request?: StoredFingerprint | undefined;
  /** Attempts started so far; the running one has this number. */
  readonly attempts: number;
  /** Attempts that were put in doubt: these may still turn out to have been sent. */
  readonly doubts: readonly number[];
  /** Who runs the attempt and when others may judge it; null when none runs. */
  readonly running: { readonly run_id: string; readonly deadline: string } | null;
  /** When the next attempt may start; null when none may. */
  readonly next_attempt_at: string | null;
  /** Reports in the order of arrival. After a verified report, no attempt follows. */
  readonly reports: readonly KnownReport[];
  /** Personal data is to go from the events up to this revision; null: no erasure was asked for. */
  readonly erased_through: number | null;
  /** Whether the content was erased with the person, and not by retention. */
  readonly isErasedWithPerson: boolean;
}

const initial: EmailState = {
  status: 'none',
  email_id: '',
  since: '',
  hasMessage: false,
  attempts: 0,
  doubts: [],
  running: null,
  next_attempt_at: null,
  reports: [],
  erased_through: null,
  isErasedWithPerson: false,
};

/** After the fifth attempt in doubt the e-mail is held until an operator releases it. */
export const maxDoubts = 5;

/** `sent` is final: nothing after it changes it. */
function evolve(state: EmailState, event: EmailEvent, { at }: Pick<Metadata, 'at'>): EmailState {
  if (event.type === 'EmailErased')
    return {
      ...state,
      request: undefined,
      hasMessage: false,
      erased_through: event.data.through,
      isErasedWithPerson: state.isErasedWithPerson || event.data.reason === 'erasure',
    };
  if (event.type === 'EmailBounced' || event.type === 'EmailComplained')
    return { ...state, reports: [...state.reports, knownReport(event)] };
  return state.status === 'sent' ? state : progressed(state, event, at);
}

type Progress = Exclude<EmailEvent, { type: 'EmailErased' | 'EmailBounced' | 'EmailComplained' }>;

function progressed(state: EmailState, event: Progress, at: string): EmailState {
  switch (event.type) {
    case 'EmailRequested': {
      const { email_id, request_hash, message } = event.data;
      const request = message && request_hash !== undefined ? { request_hash, salt: message.salt } : undefined;
      return { ...initial, status: 'requested', email_id, since: at, hasMessage: message !== null, request };
    }
    case 'EmailDispatchStarted': {
      const { attempt, run_id, deadline } = event.data;
      return { ...state, status: 'sending', attempts: attempt, running: { run_id, deadline }, next_attempt_at: null };
    }
    case 'EmailSent':
      return { ...state, status: 'sent', running: null, next_attempt_at: null };
    case 'EmailDeferred':
      return { ...state, status: 'deferred', running: null, next_attempt_at: event.data.next_attempt_at };
    case 'EmailFailed':
      return { ...state, status: 'failed', running: null, next_attempt_at: null };
    case 'EmailInDoubt': {
      const { attempt, next_attempt_at } = event.data;
      const doubts = [...state.doubts, attempt];
      return { ...state, status: doubtStatus(next_attempt_at), running: null, doubts, next_attempt_at };
    }
    case 'EmailHeld':
      return { ...state, status: 'held', next_attempt_at: null };
    case 'EmailReleased':
      return { ...state, status: 'deferred', since: at, next_attempt_at: event.data.next_attempt_at };
    case 'EmailCancelled':
      return { ...state, status: 'cancelled', next_attempt_at: null };
    default:
      return event satisfies never;
  }
}

const doubtStatus = (next: string | null): EmailStatus => (next === null ? 'held' : 'in_doubt');

export type EmailCommand =
  | RequestEmail
  | StartDispatch
  | RecordSent
  | RecordDeferred
  | RecordFailed
  | RecordInDoubt
  | HoldEmail
  | ReleaseEmail
  | CancelEmail
  | RecordBounce
  | RecordComplaint
  | EraseEmail;

/** A mailer's command that cannot apply yields no events; the state that comes back with it tells why. */
function decide(command: EmailCommand, state: EmailState, circumstances: DecisionContext): Decision<EmailEvent> {
  switch (command.type) {
    case 'RequestEmail':
      return request(command, state, circumstances);
    case 'StartDispatch':
      return startDispatch(command, state);
    case 'RecordSent':
      return recordSent(command, state);
    case 'RecordDeferred':
      return recordDeferred(command, state);
    case 'RecordFailed':
      return recordFailed(command, state);
    case 'RecordInDoubt':
      return recordInDoubt(command, state);
    case 'HoldEmail':
      return hold(command, state);
    case 'ReleaseEmail':
      return release(command, state);
    case 'CancelEmail':
      return cancel(command, state);
    case 'RecordBounce':
    case 'RecordComplaint':
      return recordReport(command, state);
    case 'EraseEmail':
      return erase(command, state, circumstances);
    default:
      return command satisfies never;
  }
}

function request(command: RequestEmail, state: EmailState, { idempotency }: DecisionContext): Decision<EmailEvent> {
  const { email_id, recipient_key, list, message } = command;
  if (state.status === 'none') {
    const hash = idempotency && { request_hash: idempotency.hash(message.salt) };
    return [{ type: 'EmailRequested', data: { email_id, recipient_key, ...hash, ...list, message } }];
  }
  const isSame = state.email_id === email_id || isRepeat(state.request, idempotency);
  return isSame ? [] : { refused: 'idempotency_conflict' };
}

function startDispatch({ run_id, deadline, ...time }: StartDispatch, state: EmailState): Decision<EmailEvent> {
  if (!isDue(state, time)) return [];
  const { email_id, attempts } = state;
  return [{ type: 'EmailDispatchStarted', data: { email_id, attempt: attempts + 1, run_id, deadline } }];
}

/** A 250 counts for the running attempt and, however late, for one that was put in doubt meanwhile. */
function recordSent(command: RecordSent, state: EmailState): Decision<EmailEvent> {
  if (state.status === 'sent') return [];
  if (!isRunning(command.attempt, state) && !state.doubts.includes(command.attempt)) return [];
  return [{ type: 'EmailSent', data: outcome(command, state) }];
}

function recordDeferred(command: RecordDeferred, state: EmailState): Decision<EmailEvent> {
  if (!isRunning(command.attempt, state)) return [];
  const { next_attempt_at, reason, cancel: why = endedBy(state) } = command;
  const deferred: EmailEvent = { type: 'EmailDeferred', data: { ...outcome(command, state), next_attempt_at } };
  if (why !== undefined) return [deferred, cancelled(state, why)];
  return command.hold === true ? [deferred, held(state, reason)] : [deferred];
}

const recordFailed = (command: RecordFailed, state: EmailState): Decision<EmailEvent> =>
  isRunning(command.attempt, state) ? [{ type: 'EmailFailed', data: outcome(command, state) }] : [];

const held = ({ email_id }: EmailState, reason: string): EmailEvent => ({
  type: 'EmailHeld',
  data: { email_id, reason },
});

const hold = ({ reason, waiting_before }: HoldEmail, state: EmailState): Decision<EmailEvent> =>
  isWaiting(state) && (waiting_before === undefined || state.since < waiting_before) ? [held(state, reason)] : [];

/** The server refused the attempt that failed. It may have taken one that is held; the operator knows that. */
function release({ next_attempt_at }: ReleaseEmail, state: EmailState): Decision<EmailEvent> {
  const { status: previous_status, email_id, hasMessage } = state;
  if ((previous_status !== 'held' && previous_status !== 'failed') || endedBy(state) !== undefined)
    return { refused: 'email_not_releasable' };
  if (!hasMessage) return { refused: 'email_erased' };
  return [{ type: 'EmailReleased', data: { email_id, next_attempt_at, previous_status } }];
}

const cancel = ({ reason }: CancelEmail, state: EmailState): Decision<EmailEvent> =>
  isWaiting(state) || state.status === 'held' ? [cancelled(state, reason)] : { refused: 'email_not_cancellable' };

const cancelled = ({ email_id }: EmailState, reason: string): EmailEvent => ({
  type: 'EmailCancelled',
  data: { email_id, reason },
});

function recordReport(command: RecordBounce | RecordComplaint, state: EmailState): Decision<EmailEvent> {
  const report = reportIn(command);
  if (!isNews(state, report)) return [];
  const event = reported(command, state);
  const reason = endedBy({ reports: [report] });
  const isOpen = isWaiting(state) || state.status === 'held';
  return isOpen && reason !== undefined ? [event, cancelled(state, reason)] : [event];
}

function erase({ reason }: EraseEmail, state: EmailState, { revision }: DecisionContext): Decision<EmailEvent> {
  const { status, email_id, erased_through } = state;
  if (status === 'none' || status === 'sending' || erased_through !== null) return [];
  const erased = (through: bigint): EmailEvent => ({
    type: 'EmailErased',
    data: { email_id, through: Number(through), reason },
  });
  const ended = cancel({ type: 'CancelEmail', reason: 'erased' }, state);
  return isRefusal(ended) ? [erased(revision)] : [...ended, erased(revision + 1n)];
}

function recordInDoubt(command: RecordInDoubt, state: EmailState): Decision<EmailEvent> {
  const { attempt, reason, judge, run_ended, now } = command;
  if (!isRunning(attempt, state) || state.running === null) return [];
  if (judge !== state.running.run_id && !run_ended && now <= state.running.deadline) return [];
  const next_attempt_at = state.doubts.length + 1 < maxDoubts ? command.next_attempt_at : null;
  const { email_id } = state;
  const inDoubt: EmailEvent = { type: 'EmailInDoubt', data: { email_id, attempt, reason, next_attempt_at } };
  const why = endedBy(state);
  return why === undefined ? [inDoubt] : [inDoubt, cancelled(state, why)];
}

/** Returns whether an attempt may start at this time. Times are UTC, ISO 8601 with milliseconds, so that they sort as text. */
export function isDue(state: EmailState, { now, misdated }: Pick<StartDispatch, 'now' | 'misdated'>): boolean {
  if (state.status === 'requested') return true;
  const { next_attempt_at: next } = state;
  return isWaiting(state) && next !== null && (next <= now || next === misdated);
}

const isWaiting = ({ status }: EmailState): boolean =>
  status === 'requested' || status === 'deferred' || status === 'in_doubt';

const isRunning = (attempt: number, state: EmailState): boolean => state.running !== null && state.attempts === attempt;

/** The server's words are personal: they are left out once the e-mail is erased. */
function outcome(
  { attempt, reason, smtp_code, enhanced_code, response }: AttemptOutcome,
  { email_id, erased_through }: EmailState,
) {
  const code = smtp_code === undefined ? {} : { smtp_code };
  const enhanced = enhanced_code === undefined ? {} : { enhanced_code };
  const message = response === undefined || erased_through !== null ? {} : { message: { response } };
  return { email_id, attempt, reason, ...code, ...enhanced, ...message };
}

export const emailDecider: Decider<EmailState, EmailCommand, EmailEvent> = {
  initial,
  evolve,
  decide,
  knows: knownBy<EmailEvent>(emailSchemas),
};
