/** The view `emails`: the state of each e-mail, for its sender's GET and as the mailer's worklist. No addresses, no body. */
import type { DomainEvent } from '../events/codec.js';
import type { RefusalKind } from '../events/refusal-kind.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

export const deliveryStates = [
  'requested',
  'sending',
  'sent',
  'deferred',
  'failed',
  'in_doubt',
  'held',
  'cancelled',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Not at their end; held ones wait for the operator. */
export const waitingStates = [
  'requested',
  'sending',
  'deferred',
  'in_doubt',
  'held',
] as const satisfies DeliveryState[];

/** Times are UTC, ISO 8601 with milliseconds, so that they sort as text. */
export type EmailDocument = {
  readonly email_id: string;
  readonly stream: string;
  /** The person, as streams of contacts name it: finds the e-mails to one person. */
  readonly recipient_key: string;
  readonly requested_position: string;
  readonly state: DeliveryState;
  /** There is something left to do, at `next_attempt_at`. */
  readonly open: boolean;
  readonly attempts: number;
  readonly requested_at: string;
  readonly sent_at: string | null;
  /** When the mailer must look at it: to send or, while sending, to judge an attempt that is past its deadline. Null when not open. */
  readonly next_attempt_at: string | null;
  /** When it was requested, or last released. Null when not open. */
  readonly open_since: string | null;
  /** Reason of the last deferral, failure, doubt or hold, and the codes that the server replied. */
  readonly last_error: string | null;
  readonly deadline: string | null;
  readonly run_id: string | null;
  /** When it was sent, failed or cancelled; null while it is open or held, and once what it said is erased. */
  readonly kept_since: string | null;
  /** When what it said was erased. */
  readonly erased_at: string | null;
  /** The most significant report: verified reports come first, then hard bounces. */
  readonly bounced: Bounce | null;
  readonly complained: Complaint | null;
};

type Complaint = { readonly at: string; readonly verified: boolean };
type Bounce = Complaint & { readonly kind: RefusalKind; readonly enhanced_code: string | null };

/** Finds the emails to a recipient, in the order of their requests. */
export const recipientIndex = ['recipient_key', 'requested_position'] as const;

export const emails: Projection<EmailDocument> = {
  name: 'emails',
  version: 8,
  personal: false,
  indexes: [
    { fields: ['open', 'next_attempt_at'] },
    { fields: ['open', 'open_since'] },
    { fields: ['state'] },
    { fields: recipientIndex },
    { fields: ['kept_since'] },
  ],
  handles: [
    'EmailRequested',
    'EmailDispatchStarted',
    'EmailSent',
    'EmailDeferred',
    'EmailFailed',
    'EmailInDoubt',
    'EmailHeld',
    'EmailReleased',
    'EmailCancelled',
    'EmailErased',
    'EmailBounced',
    'EmailComplained',
  ],

  keys: ({ event }) => ('email_id' in event.data && event.data.email_id !== undefined ? [event.data.email_id] : []),

  evolve(document, { event, stream, position, metadata }) {
    if (event.type === 'EmailRequested') {
      absent(document, event.type);
      const { email_id, recipient_key } = event.data;
      return { ...requested(metadata.at), email_id, stream, recipient_key, requested_position: position };
    }
    const before = existing(document, event.type);
    if (event.type === 'EmailErased') return { ...before, kept_since: null, erased_at: metadata.at };
    if (event.type === 'EmailBounced' || event.type === 'EmailComplained') return reported(before, event, metadata.at);
    // `sent` is final: nothing after it changes it.
    return before.state === 'sent' ? before : progressed(before, event, metadata.at);
  },
};

const requested = (at: string) => ({
  state: 'requested' as const,
  open: true,
  attempts: 0,
  requested_at: at,
  sent_at: null,
  next_attempt_at: at,
  open_since: at,
  last_error: null,
  deadline: null,
  run_id: null,
  kept_since: null,
  erased_at: null,
  bounced: null,
  complained: null,
});

type Report = Extract<DomainEvent, { type: 'EmailBounced' | 'EmailComplained' }>;

function reported(before: EmailDocument, { type, data }: Report, at: string): EmailDocument {
  const { bounced, complained, kept_since } = before;
  const { verified } = data;
  // An unverified report does not change how long the content is kept.
  const document = { ...before, kept_since: kept_since === null || !verified ? kept_since : at };
  if (type === 'EmailComplained')
    return complained === null || (verified && !complained.verified)
      ? { ...document, complained: { at, verified } }
      : document;
  const bounce = { at, verified, kind: data.kind, enhanced_code: data.enhanced_code ?? null };
  return weightOf(bounce) > weightOf(bounced) ? { ...document, bounced: bounce } : document;
}

const weightOf = (bounce: Bounce | null): number =>
  bounce === null ? -1 : (bounce.verified ? 2 : 0) + (bounce.kind === 'hard' ? 1 : 0);

const idle = { deadline: null, run_id: null };
const closed = { ...idle, open: false, next_attempt_at: null, open_since: null };
const done = ({ erased_at }: EmailDocument, at: string) => ({ ...closed, kept_since: erased_at === null ? at : null });

function progressed(before: EmailDocument, event: DomainEvent, at: string): EmailDocument {
  switch (event.type) {
    case 'EmailDispatchStarted': {
      const { attempt, run_id, deadline } = event.data;
      return {
        ...before,
        state: 'sending',
        open: true,
        attempts: attempt,
        next_attempt_at: deadline,
        deadline,
        run_id,
      };
    }
    case 'EmailSent':
      return { ...before, ...done(before, at), state: 'sent', sent_at: at };
    case 'EmailDeferred':
      return { ...reopened(before, event.data.next_attempt_at), state: 'deferred', last_error: lastError(event.data) };
    case 'EmailFailed':
      return { ...before, ...done(before, at), state: 'failed', last_error: lastError(event.data) };
    case 'EmailInDoubt': {
      const { next_attempt_at: next, reason } = event.data;
      if (next === null) return { ...before, ...closed, state: 'held', last_error: reason };
      return { ...reopened(before, next), state: 'in_doubt', last_error: reason };
    }
    case 'EmailHeld':
      return { ...before, ...closed, state: 'held', last_error: withReason(before, event.data.reason) };
    case 'EmailReleased':
      return { ...reopened(before, event.data.next_attempt_at), state: 'deferred', open_since: at, kept_since: null };
    case 'EmailCancelled':
      return { ...before, ...done(before, at), state: 'cancelled' };
    default:
      throw new CannotFoldError(`emails do not fold ${event.type}`);
  }
}

/** Such as `smtp_5xx 550 5.1.1`; never the server's text. */
const lastError = (outcome: { reason: string; smtp_code?: number | undefined; enhanced_code?: string | undefined }) =>
  [outcome.reason, outcome.smtp_code, outcome.enhanced_code].filter((part) => part !== undefined).join(' ');

/** Without the codes. Undefined: nothing has failed. */
export const reasonOf = ({ last_error }: Pick<EmailDocument, 'last_error'>): string | undefined =>
  last_error?.split(' ')[0];

/** The codes of the last attempt stay where it was for the same reason. */
const withReason = (before: EmailDocument, reason: string): string =>
  reasonOf(before) === reason ? (before.last_error ?? reason) : reason;

const reopened = (before: EmailDocument, next: string): EmailDocument => ({
  ...before,
  ...idle,
  open: true,
  next_attempt_at: next,
});
