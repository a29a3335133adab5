/** Whether the relay takes e-mails: a pure state machine: its input is the relay's answers, its output how many e-mails may be claimed. */
import { backOff } from '../flow/backoff.js';
import type { AttemptReason } from './reasons.js';
import type { SendOutcome } from './transport.js';

/** What the relay last said. Never its text, which may quote an address. */
export interface RelayFault {
  readonly reason: AttemptReason;
  readonly smtp_code?: number | undefined;
  readonly enhanced_code?: string | undefined;
  readonly tls_code?: string | undefined;
}

/** What one answer of the relay says about the relay. */
export type RelayAnswer =
  /** It took an e-mail up to the final dot, or refused this one for what it is: others may go. */
  | { readonly type: 'works' }
  /** A connection can be made, and a login holds. */
  | { readonly type: 'ready' }
  /** Nothing was asked of it yet that concerns an e-mail. */
  | { readonly type: 'unreachable'; readonly fault: RelayFault }
  /** Refused at MAIL or RCPT, or hung up there, for a reason that is not known to be the recipient's; `text` without addresses. */
  | { readonly type: 'refused'; readonly fault: RelayFault; readonly recipient: string; readonly text: string };

export interface Breaker {
  /** `trying`: one e-mail at a time, until the relay takes one. `open`: no e-mail is claimed; after refusals one is, as a probe. */
  readonly status: 'closed' | 'trying' | 'open';
  /** What opened it: with a connection that cannot be made the probe is a connection, with refusals it is an e-mail. */
  readonly cause: 'unreachable' | 'refused';
  /** Pauses in a row; 0 once an e-mail was taken. */
  readonly pauses: number;
  /** Monotonic time of the next probe. */
  readonly probeAt: number;
  readonly fault: RelayFault | null;
  /** Recipients that were refused in a row in the same words. */
  readonly refusals: ReadonlySet<string>;
  readonly text: string;
}

export interface BreakerTimings {
  readonly firstProbe: number;
  readonly longestProbe: number;
}

/** Milliseconds. */
export const breakerTimings: BreakerTimings = { firstProbe: 5_000, longestProbe: 300_000 };

/** When this many different recipients in a row are refused in the same way, the relay refuses us and not them. */
const refusalsThatOpen = 5;

const none: ReadonlySet<string> = new Set();

/** The first e-mail of a process goes alone: a wrong setting costs one attempt. */
export const initialBreaker: Breaker = {
  status: 'trying',
  cause: 'unreachable',
  pauses: 0,
  probeAt: 0,
  fault: null,
  refusals: none,
  text: '',
};

/** The time, monotonic, and a number from 0 to 1 for jitter. */
interface BreakerInput {
  readonly now: number;
  readonly random: number;
  readonly timings: BreakerTimings;
}

export function answered(breaker: Breaker, answer: RelayAnswer, moment: BreakerInput): Breaker {
  switch (answer.type) {
    case 'works':
      // While no connection can be made, an e-mail on an older connection proves nothing.
      return isUnreachable(breaker) ? breaker : { ...initialBreaker, status: 'closed' };
    case 'ready':
      return isUnreachable(breaker) ? { ...breaker, status: 'trying' } : breaker;
    case 'unreachable':
      return isUnreachable(breaker) && moment.now < breaker.probeAt
        ? breaker
        : open(breaker, { cause: 'unreachable', fault: answer.fault }, moment);
    case 'refused':
      return refused(breaker, answer, moment);
    default:
      return answer satisfies never;
  }
}

export const isUnreachable = ({ status, cause }: Breaker): boolean => status === 'open' && cause === 'unreachable';

function refused(breaker: Breaker, answer: Extract<RelayAnswer, { type: 'refused' }>, moment: BreakerInput): Breaker {
  const { fault, recipient, text } = answer;
  if (breaker.status === 'open') {
    if (breaker.cause === 'unreachable' || moment.now < breaker.probeAt) return breaker;
    return open(breaker, { cause: 'refused', fault }, moment);
  }
  const refusals = new Set(text === breaker.text ? breaker.refusals : none).add(recipient);
  return refusals.size < refusalsThatOpen
    ? { ...breaker, refusals, text }
    : open(breaker, { cause: 'refused', fault }, moment);
}

function open(
  breaker: Breaker,
  why: Pick<Breaker, 'cause' | 'fault'>,
  { now, random, timings }: BreakerInput,
): Breaker {
  const pause = backOff(breaker.pauses, { first: timings.firstProbe, most: timings.longestProbe });
  const probeAt = now + pause * (0.75 + random / 2);
  return { ...initialBreaker, ...why, status: 'open', pauses: breaker.pauses + 1, probeAt };
}

/** The e-mail is not to pay for it: what was refused is the relay's state. */
export const isRelays = ({ status }: Breaker, { type }: RelayAnswer): boolean =>
  type === 'unreachable' || (type === 'refused' && status === 'open');

/** How many e-mails may be under way before the relay has said anything to one of them; Infinity: as many as there are connections. */
export function mostUntried({ status, cause, probeAt }: Breaker, now: number): number {
  if (status === 'closed') return Infinity;
  if (status === 'trying') return 1;
  return cause === 'refused' && now >= probeAt ? 1 : 0;
}

/** Undefined where the outcome says nothing about the relay. */
export function relayAnswerOf(outcome: SendOutcome, recipient: string): RelayAnswer | undefined {
  if (outcome.status === 'sent' || outcome.status === 'in_doubt') return { type: 'works' };
  if (outcome.status === 'withdrawn' || outcome.reason === 'stopped') return undefined;
  if (outcome.stage === 'connection')
    return outcome.status === 'deferred' ? { type: 'unreachable', fault: relayFaultOf(outcome) } : { type: 'ready' };
  return outcome.stage === 'data' || isOfEmail(outcome) ? { type: 'works' } : refusedBy(outcome, recipient);
}

function refusedBy(outcome: Refusal & Pick<SendOutcome, 'status'>, recipient: string): RelayAnswer {
  // Should it turn out to be the relay's state, then it is us whom it refuses.
  const reason = outcome.status === 'failed' ? 'policy' : outcome.reason;
  const text = withoutAddresses(outcome.response ?? reason);
  return { type: 'refused', fault: { ...relayFaultOf(outcome), reason }, recipient, text };
}

type Refusal = RelayFault & { readonly response?: string | undefined };

export const relayFaultOf = ({ reason, smtp_code, enhanced_code, tls_code }: Refusal): RelayFault => ({
  reason,
  smtp_code,
  enhanced_code,
  tls_code,
});

/** Its size, an address or a mailbox (RFC 3463), or a server that asks everybody whom it does not know to come again later. */
const isOfEmail = ({ reason, enhanced_code = '', response = '' }: Refusal): boolean =>
  reason === 'too_large' || /^[45]\.[12]\./.test(enhanced_code) || /gr[ae]y-?list/i.test(response);

const withoutAddresses = (text: string): string => text.replace(/<[^>]*>|\S*@\S*/g, '<>');
