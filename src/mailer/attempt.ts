/** Handles one e-mail: judges an attempt that an earlier run left behind, or claims the next one, sends, and records the outcome. */
import { ServiceError } from '../errors.js';
import type { CommandResult } from '../commands/command-handler.js';
import { isDue, type EmailState } from '../commands/email.js';
import type { EmailEvent } from '../events/email.js';
import { contextOf, iso, type AttemptOptions, type AttemptResult, type Job, type AttemptSignals } from './job.js';
import { loadEmail, type LoadedEmail, type MayGoOut } from './load.js';
import type { Withdrawal } from './reasons.js';
import { record, type AttemptEnding } from './record.js';
import { isAscii, type Mail, type SendLimits, type SendOutcome } from './transport.js';

/** @throws what reading the stream throws; then nothing was sent. */
export async function attemptEmail(
  options: AttemptOptions,
  stream: string,
  running: AttemptSignals,
): Promise<AttemptResult> {
  const email = await loadEmail(options.reader, stream);
  if (email === undefined) return 'void';
  const runId = options.runs.current();
  if (runId === undefined) return 'waits';
  const job = { options, running, stream, email, runId };
  if (email.state.running !== null) return await judge(job, email.state.running);
  if (!isDue(email.state, { now: iso(options.clock()), misdated: running.misdated })) return 'void';
  if (email.request.list !== undefined && options.unsubscribeUrl === undefined) return 'no_link';
  const permission = createPermission(options, email);
  const answer = await permission.ask();
  if (answer !== true) return await withdraw(job, answer);
  return running.trial.mayClaim() ? await claimAndSend(job, permission) : 'waits';
}

/** There is no attempt. An erasure cancels its e-mails by itself. */
async function withdraw(job: Job, reason: Withdrawal): Promise<AttemptResult> {
  if (reason === 'erased') return 'void';
  const { options, stream, email } = job;
  const context = contextOf(job, email.lastEventId);
  try {
    await options.handler.execute({ stream, command: { type: 'CancelEmail', reason }, context });
  } catch (error) {
    // Another process has begun an attempt, or has ended the e-mail.
    if (error instanceof ServiceError && error.code === 'email_not_cancellable') return 'void';
    throw error;
  }
  const { email_id } = email.request;
  options.report({ type: 'recorded', email_id, attempt: email.state.attempts, outcome: 'cancelled', reason });
  return 'recorded';
}

/** Whether the e-mail may go out, and how old the answer is. */
function createPermission({ clock, monotonic, mayGoOut }: AttemptOptions, email: LoadedEmail) {
  const now = () => ({ wall: clock(), monotonic: monotonic() });
  let asked = now();
  return {
    ask(): ReturnType<MayGoOut> {
      asked = now();
      return mayGoOut(email);
    },
    /** Milliseconds since it was asked. By both clocks: one stands still while a machine is suspended. */
    age: (): number => Math.max(clock() - asked.wall, monotonic() - asked.monotonic),
  };
}

/** The attempt of a run that has ended, or is past its deadline. Never one that runs: the mailer looks at a stream once at a time. */
async function judge(job: Job, running: NonNullable<EmailState['running']>): Promise<AttemptResult> {
  const { runs, trustedNow } = job.options;
  const { claimPosition, state } = job.email;
  const { attempts: attempt } = state;
  const end = runs.isOwn(running.run_id) ? undefined : await runs.endOf(running.run_id);
  // Our own claim, whose acknowledgement was lost, or one that came when its run was over: nothing was sent on it.
  if (runs.isOwn(running.run_id) || (end?.silentSince !== undefined && claimPosition > end.silentSince))
    return await record(job, attempt, { status: 'deferred', reason: 'not_started', delay: 0 });
  if (end !== undefined) return await record(job, attempt, { status: 'in_doubt', reason: 'run_ended' });
  const now = trustedNow();
  if (now === undefined || iso(now) <= running.deadline) return 'void';
  return await record(job, attempt, { status: 'in_doubt', reason: 'deadline_passed' });
}

async function claimAndSend(job: Job, permission: Attempt['permission']): Promise<AttemptResult> {
  const { runId } = job;
  const link = linkIn(job);
  const { handler, clock, monotonic, timings, report, runs } = job.options;
  // Large, and needed by the first e-mail only; before the claim, for a failure here is none of the e-mail's.
  const { composeMail } = await import('./message.js');
  // Both before the claim: the time of the append is part of the attempt.
  const started = { wall: clock(), monotonic: monotonic() };
  const command = {
    type: 'StartDispatch',
    run_id: runId,
    now: iso(started.wall),
    deadline: iso(started.wall + timings.attempt),
    misdated: job.running.misdated,
  } as const;
  let claimed: CommandResult<EmailState, EmailEvent>;
  try {
    claimed = await handler.execute({
      stream: job.stream,
      command,
      context: contextOf(job, job.email.lastEventId),
    });
    const { state, events } = claimed;
    // Our own earlier claim, in doubt until now, was first: nothing has been sent on it.
    if (events.length === 0) return state.running && runs.isOwn(state.running.run_id) ? 'claim_unknown' : 'void';
  } catch (error) {
    report({ type: 'fault', email_id: job.email.request.email_id, error });
    return 'claim_unknown';
  }
  const attempt = claimed.state.attempts;
  report({ type: 'started', email_id: job.email.request.email_id, attempt });
  // What the message holds is personal, so is what the error may say.
  const { dkim, proofOf } = job.options;
  const proof = proofOf(job.email.request.email_id);
  const composed = await composeMail(job.email.request, { dkim, link, proof }).catch(() => undefined);
  const mail = composed && returning(composed, job.options);
  const ending = await send({ ...job, permission, started }, mail);
  return await record({ ...job, claimId: claimed.eventIds[0] }, attempt, ending);
}

/** With an address in its headers that is not ASCII it keeps that sender, by which servers are told so. */
function returning(mail: Mail, { returnPath }: Pick<AttemptOptions, 'returnPath'>): Mail {
  const { from, to } = mail.envelope;
  if (returnPath === undefined || !isAscii(from)) return mail;
  return { ...mail, envelope: { from: returnPath(mail.email_id), to }, isReported: true };
}

/** Made here and stored nowhere. */
function linkIn({ options, email }: Job): string | undefined {
  const { email_id: emailId, list } = email.request;
  return list && options.unsubscribeUrl?.({ emailId, contactKey: email.recipientKey, listId: list.id });
}

interface Attempt extends Job {
  readonly started: { readonly wall: number; readonly monotonic: number };
  readonly permission: ReturnType<typeof createPermission>;
}

async function send(job: Attempt, mail: Mail | undefined): Promise<AttemptEnding> {
  if (mail === undefined) return { status: 'failed', reason: 'invalid_message' };
  const { options, running, email, permission } = job;
  let withdrawal: Withdrawal | undefined;
  const beforeHandOver = async (): Promise<boolean> => {
    running.trial.works();
    const answer = permission.age() < options.timings.askAgain ? true : await permission.ask();
    if (answer !== true) withdrawal = answer;
    return answer === true;
  };
  const begun = options.observe?.begin?.handOver();
  const start = options.monotonic();
  const outcome = await options.transport.send(mail, { ...limitsOf(job), beforeHandOver });
  options.observe?.handOver({ outcome, milliseconds: options.monotonic() - start }, begun);
  const isRelays = running.trial.ended(outcome, email.recipientKey);
  if (outcome.status === 'withdrawn')
    return { status: 'deferred', reason: 'withdrawn', delay: 0, ...(withdrawal && { cancel: withdrawal }) };
  return isRelays ? atNoCost(outcome) : stoppedOrEnded(job, outcome);
}

type Outcome = Exclude<SendOutcome, { status: 'withdrawn' }>;

/** It is due again once the relay takes e-mails. */
const atNoCost = (outcome: Outcome): AttemptEnding => ({
  ...outcome,
  status: 'deferred',
  reason: outcome.status === 'failed' ? 'policy' : outcome.reason,
  delay: 0,
});

/** Stopped by us, not by the server: the next attempt need not wait. */
function stoppedOrEnded({ options, runId }: Job, outcome: Outcome): AttemptEnding {
  if (outcome.status !== 'deferred') return outcome;
  if (outcome.reason === 'timeout' && !options.runs.isCertain(runId))
    return { ...outcome, reason: 'run_lapsed', delay: 0 };
  return outcome.reason === 'stopped' ? { ...outcome, delay: 0 } : outcome;
}

function limitsOf({ options, running, runId, started, permission }: Attempt): Omit<SendLimits, 'beforeHandOver'> {
  const { clock, monotonic, timings, runs } = options;
  const close = timings.attempt - timings.margin;
  const handOver = close - timings.reply;
  const elapsed = (): number => monotonic() - started.monotonic;
  return {
    // The clock that others judge by is asked too: the monotonic one stands still while a machine is suspended.
    mayHandOver: () =>
      runs.isCertain(runId) &&
      elapsed() <= handOver &&
      clock() - started.wall <= handOver &&
      permission.age() <= timings.permission,
    handOverWithin: Math.max(0, handOver - elapsed()),
    closeWithin: Math.max(0, close - elapsed()),
    signal: running.sending,
  };
}
