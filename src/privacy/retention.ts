/** Retention of emails: a subscriber that erases the content of emails that were sent, failed or cancelled long ago. It erases a few at a time and leaves most of the time to other work. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { serviceContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { EmailCommand, EmailState, EmailStatus } from '../commands/email.js';
import type { EmailEvent } from '../events/email.js';
import type { EventStore } from '../eventstore/event-store.js';
import { pause } from '../flow/abort.js';
import { takeTurns, type Clocks, type Subscriber } from '../flow/subscriber.js';
import { removeFromOutbox } from '../mailer/outbox.js';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import { seldomLeaseMs, type OpenLease } from '../stores/own-lease.js';

const dayMs = 86_400_000;

/** Between two rounds. */
const pauseMs = 60_000;
const lookMs = 200;

/** Before this time, in ISO 8601. `now`: milliseconds since the epoch. */
export const retainedSince = (days: number, now: number): string =>
  new Date(Math.max(0, now - days * dayMs)).toISOString();

export interface EndedEmail {
  readonly email_id: string;
  readonly stream: string;
}

interface RetentionOptions {
  readonly store: Pick<EventStore, 'redact'>;
  readonly emails: Pick<CommandHandler<EmailState, EmailCommand, EmailEvent>, 'fresh' | 'execute'>;
  /** Those that are not erased, as the views have them, in pages. */
  endedBefore(time: string): AsyncIterable<readonly EndedEmail[]>;
  /** Removes the files of these e-mails. */
  removeFiles(emailIds: readonly string[]): Promise<void>;
  /** Milliseconds since some fixed moment. */
  monotonic(): number;
  /** Resolves also when the signal aborts. */
  pause(milliseconds: number): Promise<void>;
  readonly signal: AbortSignal;
}

const emailsABatch = 20;
/** After a batch comes a pause: `times` as long as the batch took, and at least `atLeast` milliseconds. */
const rest = { times: 9, atLeast: 100 };

/** Resolves with the number of e-mails. One that cannot be erased does not keep the others from it: the first fault is thrown at the end. */
export async function eraseEnded(options: RetentionOptions, time: string): Promise<number> {
  const { endedBefore, monotonic, pause, signal } = options;
  const faults: unknown[] = [];
  let erased = 0;
  for await (const page of endedBefore(time))
    for (let from = 0; from < page.length && !signal.aborted; from += emailsABatch) {
      const startedAt = monotonic();
      const batch = page.slice(from, from + emailsABatch);
      const done = await Promise.allSettled(batch.map((email) => eraseOne(options, email, time)));
      for (const one of done)
        if (one.status === 'rejected') faults.push(one.reason);
        else if (one.value) erased += 1;
      await pause(Math.max(rest.atLeast, rest.times * (monotonic() - startedAt)));
    }
  if (faults.length > 0) throw faults[0];
  return erased;
}

const ended: ReadonlySet<EmailStatus> = new Set(['sent', 'failed', 'cancelled']);

/** First what it said goes, then that is noted: what a crash leaves in between is found again, for the views do not know of it. */
async function eraseOne(options: RetentionOptions, { email_id, stream }: EndedEmail, time: string): Promise<boolean> {
  const { store, emails, removeFiles } = options;
  // The view is a hint. What goes is gone for good, so the log decides.
  const { state, revision, at } = await emails.fresh(stream);
  if (!ended.has(state.status) || state.erased_through !== null || at >= time) return false;
  await store.redact(stream, revision);
  await removeFiles([email_id]);
  const command = { type: 'EraseEmail', reason: 'retention' } as const;
  const context = serviceContext(randomUUID());
  const erased = await emails.execute({ stream, command, context });
  const { erased_through: through } = erased.state;
  // A late answer of a mail server may have come meanwhile.
  if (through !== null && through > revision) await store.redact(stream, BigInt(through));
  return erased.events.length > 0;
}

interface RetentionOfProcess extends Pick<Clocks, 'monotonic'> {
  readonly config: Pick<Config, 'roles' | 'retainEmails'>;
  readonly openLease: OpenLease;
  readonly folder: Pick<DataFolder, 'outbox'>;
  readonly store: RetentionOptions['store'];
  readonly commands: Pick<RetentionOptions, 'emails'>;
  readonly views: {
    readonly worklist: { readonly emailsEndedBefore: RetentionOptions['endedBefore'] };
    hasEmails(): boolean;
  };
  readonly logger: Pick<Logger, 'info'>;
  readonly trustedNow: () => number | undefined;
}

/** Undefined where it is off, or left to the processes that fold the views. @throws ReadModelsUnavailableError */
export async function openRetention(options: RetentionOfProcess): Promise<Subscriber<'turn'> | undefined> {
  const { config, store, folder, commands, views, logger, trustedNow, monotonic } = options;
  if (config.retainEmails === 0 || !config.roles.has('projector')) return undefined;

  async function turn(signal: AbortSignal): Promise<void> {
    // Wait for the view, which may not exist until it has shown something. Wait for a trusted clock, because an erasure cannot
    // be undone.
    let now = trustedNow();
    for (; now === undefined || !views.hasEmails(); now = trustedNow()) {
      if (signal.aborted) return;
      await pause(lookMs, signal);
    }
    const before = retainedSince(config.retainEmails, now);
    const erased = await eraseEnded(
      {
        store,
        emails: commands.emails,
        endedBefore: views.worklist.emailsEndedBefore,
        removeFiles: (emailIds) => removeFromOutbox(folder.outbox, emailIds),
        pause: (milliseconds) => pause(milliseconds, signal),
        ...{ monotonic, signal },
      },
      before,
    );
    if (erased > 0) logger.info({ emails: erased, before }, 'what old e-mails said was erased');
  }

  return takeTurns({
    name: 'retention',
    lease: await options.openLease('retention', seldomLeaseMs),
    ...{ pause: pauseMs, monotonic, turn },
  });
}
