/** Records how an attempt ended, however long that takes. */
import type { RecordDeferred, RecordFailed, RecordInDoubt, RecordSent } from '../commands/email-commands.js';
import type { EmailEvent } from '../events/email.js';
import { mailboxBounce, type MailboxBounce } from '../commands/bounced-mailboxes.js';
import { classifyRefusal } from '../events/refusal-kind.js';
import { pause } from '../flow/abort.js';
import { backOff, fullJitter } from '../flow/backoff.js';
import { contextOf, iso, type AttemptResult, type Job } from './job.js';
import { claimEventId } from './load.js';
import { isPutOff } from './smtp-outcome.js';
import { backoffDelay, doubtDelay } from './timings.js';
import type { EndingReason, Withdrawal } from './reasons.js';
import type { Reply, SendOutcome, Stage } from './transport.js';

/** The transport's outcome, or the mailer's own verdict on an attempt. */
export interface AttemptEnding extends Reply {
  readonly status: Exclude<SendOutcome['status'], 'withdrawn'>;
  readonly reason: EndingReason;
  readonly tls_code?: string | undefined;
  readonly stage?: Stage | undefined;
  /** Milliseconds until the next attempt, where the back-off is not to decide. */
  readonly delay?: number;
  /** There is no further attempt, for this reason. */
  readonly cancel?: Withdrawal;
}

const recordPauses = { first: 50, most: 5_000 };

/** Tries until the outcome is in the log or the process stops: a 250 must not be lost, and nothing is sent meanwhile. */
export async function record(job: Job, attempt: number, ending: AttemptEnding): Promise<AttemptResult> {
  const { handler, reader, random, report } = job.options;
  const { stream, running } = job;
  const command = commandOf(job, attempt, ending);
  const about = { email_id: job.email.request.email_id, attempt, reason: command.reason };
  for (let round = 0; ; round += 1) {
    try {
      const context = contextOf(job, job.claimId ?? (await claimEventId(reader, stream, attempt)));
      // This comes first: if the process dies in between, the email is tried again, and its refusal counts once.
      const bounce = bounceIn(command, ending);
      if (bounce !== undefined) await job.options.onBounce?.(undeliverable(job), bounce, context);
      const { events } = await handler.execute({ stream, command, context });
      if (events.length === 0) report({ type: 'superseded', ...about });
      else report({ type: 'recorded', ...about, outcome: outcomeOf(command, events), ...codesOf(ending) });
      return 'recorded';
    } catch (error) {
      report({ type: 'record_failed', email_id: about.email_id, attempt, error });
    }
    await pause(fullJitter(backOff(round, recordPauses), random), running.recording);
    if (running.recording.aborted) {
      report({ type: 'abandoned', ...about });
      return 'abandoned';
    }
  }
}

/**
 * Returns what the reply of the server says about the recipient, or undefined if it says nothing. SMTP_URL usually names a
 * relay, so only a reply that ended the email, or a temporary refusal of this recipient, is about the recipient.
 */
function bounceIn({ type }: Verdict, ending: AttemptEnding): MailboxBounce | undefined {
  const { stage, response } = ending;
  if (response === undefined || (stage !== 'recipient' && stage !== 'data')) return undefined;
  if (type !== 'RecordFailed' && !(type === 'RecordDeferred' && isAboutRecipient(ending))) return undefined;
  const bounce = mailboxBounce(classifyRefusal({ reply: response }));
  // After the message was sent, the reply may be about the message.
  return bounce === 'gone' && stage === 'data' ? 'unclear' : bounce;
}

/**
 * Returns whether the server put off this recipient. Greylisting, and trouble of the server or the network, say nothing
 * about the recipient. After the message, only a code about an address or a mailbox does.
 */
function isAboutRecipient({ reason, stage, delay, smtp_code, ...reply }: AttemptEnding): boolean {
  if (reason !== 'smtp_4xx' || smtp_code === 421 || delay !== undefined) return false;
  const { enhanced_code = '', response = '' } = reply;
  const isNamed = stage === 'recipient' ? !/^4\.[347]\./.test(enhanced_code) : /^4\.(?:1|2\.[1-9])/.test(enhanced_code);
  return isNamed && !/gr[ae]y-?list|postgrey/i.test(response);
}

const undeliverable = ({ email: { request, recipientKey, position } }: Job) => ({
  emailId: request.email_id,
  recipientKey,
  position,
  address: request.message.to_email,
});

const codesOf = ({ smtp_code, enhanced_code, tls_code }: AttemptEnding) => ({ smtp_code, enhanced_code, tls_code });

type Verdict = RecordSent | RecordDeferred | RecordFailed | RecordInDoubt;

const outcomes = {
  RecordSent: 'sent',
  RecordDeferred: 'deferred',
  RecordFailed: 'failed',
  RecordInDoubt: 'in_doubt',
} as const satisfies Record<Verdict['type'], AttemptEnding['status']>;

function outcomeOf({ type }: Verdict, events: readonly EmailEvent[]): AttemptEnding['status'] | 'held' | 'cancelled' {
  const last = events.at(-1)?.type;
  if (last === 'EmailCancelled') return 'cancelled';
  return last === 'EmailHeld' ? 'held' : outcomes[type];
}

function commandOf(job: Job, attempt: number, ending: AttemptEnding): Verdict {
  const { reason, smtp_code, enhanced_code, response } = ending;
  const outcome = { attempt, reason, smtp_code, enhanced_code, response };
  switch (ending.status) {
    case 'sent':
      return { type: 'RecordSent', ...outcome };
    case 'failed':
      return { type: 'RecordFailed', ...outcome };
    case 'deferred':
      return deferredOrGivenUp(job, outcome, ending);
    case 'in_doubt':
      return inDoubt(job, attempt, reason);
    default:
      return ending.status satisfies never;
  }
}

function deferredOrGivenUp(
  { options, email }: Job,
  outcome: Omit<RecordFailed, 'type'>,
  { delay, cancel, ...ending }: AttemptEnding,
): RecordDeferred | RecordFailed {
  const { clock, trustedNow, random, timings } = options;
  const now = clock();
  if (delay !== undefined) return { type: 'RecordDeferred', ...outcome, next_attempt_at: iso(now + delay), cancel };
  const end = Date.parse(email.state.since) + timings.giveUp;
  const trusted = trustedNow();
  if (trusted !== undefined && trusted >= end)
    return isPutOff(ending)
      ? { type: 'RecordFailed', ...outcome, reason: 'gave_up' }
      : { type: 'RecordDeferred', ...outcome, next_attempt_at: iso(now), hold: true };
  const next = now + backoffDelay(email.state.attempts, timings, random);
  return { type: 'RecordDeferred', ...outcome, next_attempt_at: iso(end > now ? Math.min(next, end) : next) };
}

function inDoubt({ options, email, runId }: Job, attempt: number, reason: EndingReason): RecordInDoubt {
  const { clock, random, timings, soleWriter, inDoubtPolicy } = options;
  const now = clock();
  // The sender is known to be dead. All else was handed over to a server that may still be at work on it.
  const delay = soleWriter && reason === 'run_ended' ? backoffDelay : doubtDelay;
  const next = now + delay(email.state.doubts.length, timings, random);
  return {
    type: 'RecordInDoubt',
    attempt,
    reason,
    judge: runId,
    run_ended: reason === 'run_ended',
    now: iso(now),
    next_attempt_at: inDoubtPolicy === 'hold' ? null : iso(next),
  };
}
