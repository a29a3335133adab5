/** Mailers at work on a real log in a test: requests, the worklist as the view shows it, and the events that follow. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Decider } from '../../src/commands/decider.js';
import { emailDecider, type EmailCommand, type EmailState } from '../../src/commands/email.js';
import type { ListReference } from '../../src/commands/contact.js';
import type { CommandHandler } from '../../src/commands/command-handler.js';
import { createCommandHandler } from '../../src/commands/handle.js';
import { codec, type DomainEvent } from '../../src/events/codec.js';
import type { EmailEvent } from '../../src/events/email.js';
import type { Metadata } from '../../src/events/envelope.js';
import type { EventStore } from '../../src/eventstore/event-store.js';
import type { BreakerTimings } from '../../src/mailer/breaker.js';
import type { DueEmail, MailerReport } from '../../src/mailer/job.js';
import { createRunner, runnerTimings } from '../../src/flow/run-subscriber.js';
import { soleRun } from '../../src/mailer/runs.js';
import { createMailer, type MailerOptions } from '../../src/mailer/mailer.js';
import { createSmtpTransport } from '../../src/mailer/smtp.js';
import { smtpTimings, type SmtpTimings } from '../../src/mailer/smtp-session.js';
import { parseSmtpUrl } from '../../src/mailer/smtp-url.js';
import type { MailerTimings } from '../../src/mailer/timings.js';
import type { Transport } from '../../src/mailer/transport.js';
import { emails, type EmailDocument } from '../../src/projections/emails.js';
import { openLog } from '../support/event-log.js';

/** Small, in the proportions of the real ones. */
export const quickTimings: MailerTimings = {
  attempt: 3_000,
  reply: 600,
  margin: 100,
  askAgain: 3_000,
  permission: 5_000,
  poll: 30,
  sweep: 60_000,
  backoff: 20,
  backoffCap: 80,
  inDoubt: 20,
  giveUp: 60_000,
  stale: 5,
  closeGrace: 1_000,
  recordGrace: 300,
};
/** As the mailer's: a failing store is asked again soon. */
const quickRunner = { ...runnerTimings, firstPause: 20, longestPause: 80 };
export const quickBreaker: BreakerTimings = { firstProbe: 20, longestProbe: 80 };
export const quickSmtp: SmtpTimings = { ...smtpTimings, connection: 400, greeting: 400, idle: 600, reply: 600 };

export const smtpTransport = (url: string, timings = quickSmtp): Transport =>
  createSmtpTransport({ server: parseSmtpUrl(url), timings, connections: 10 });

export const someMessage = {
  from_email: 'Ledger <news@example.org>',
  to_email: 'ada@example.com',
  subject: 'Hello',
  mail_template: '<h1>Hello</h1>\n<p>Grüße, <a href="https://example.org/x?a=1&amp;b=2">Ada</a>.</p>\n',
};

export const someProof = (emailId: string): string => `${emailId}.aaaaaaaaaaaaaaaa`;

export type EmailHandler = CommandHandler<EmailState, EmailCommand, EmailEvent>;
interface RecordedEmailEvent {
  readonly id: string;
  readonly type: EmailEvent['type'];
  readonly data: EmailEvent['data'];
  readonly metadata: Metadata;
}

export const handlerOn = (store: EventStore): EmailHandler => handlerOf(store, emailDecider);

export const handlerOf = <State, Command, Event extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, Event>,
): CommandHandler<State, Command, Event> =>
  createCommandHandler({
    store,
    decider,
    sources: { now: Date.now, newEventId: () => randomUUID(), newSalt: () => randomBytes(16).toString('hex') },
    random: Math.random,
    sleep: () => nextTurn(),
    cacheSize: 100,
  });

export async function openPostOffice() {
  const { store } = await openLog();
  const handler = handlerOn(store);

  async function events(stream: string): Promise<RecordedEmailEvent[]> {
    const found: RecordedEmailEvent[] = [];
    for await (const batch of store.readStream(stream))
      for (const stored of batch) {
        const { event, id, metadata } = codec.decode(stored);
        if (emailDecider.knows(event)) found.push({ id, type: event.type, data: event.data, metadata });
      }
    return found;
  }

  /** What the view `emails` would show once it has caught up. */
  async function openEmails(): Promise<readonly EmailDocument[]> {
    const documents = new Map<string, EmailDocument>();
    for await (const batch of store.readAll())
      for (const stored of batch) {
        const recorded = codec.decode(stored);
        for (const key of emails.keys(recorded)) {
          const document = emails.evolve(documents.get(key), recorded, key);
          if (document !== null) documents.set(key, document);
        }
      }
    return [...documents.values()].filter(({ open }) => open);
  }

  const sending = async (): Promise<readonly DueEmail[]> =>
    (await openEmails()).filter(({ state }) => state === 'sending');

  const due = async (now: string, limit: number): Promise<readonly DueEmail[]> =>
    (await openEmails())
      .filter(({ next_attempt_at: next }) => next !== null && next <= now)
      .sort((a, b) => ((a.next_attempt_at ?? '') < (b.next_attempt_at ?? '') ? -1 : 1))
      .slice(0, limit);

  async function* dueAfter(time: string): AsyncGenerator<readonly DueEmail[]> {
    yield (await openEmails()).filter(({ next_attempt_at: next }) => next !== null && next > time);
  }

  const overdue = async (before: string, limit: number): Promise<readonly EmailDocument[]> =>
    (await openEmails())
      .filter(({ open_since: since }) => since !== null && since < before)
      .sort((a, b) => ((a.open_since ?? '') < (b.open_since ?? '') ? -1 : 1))
      .slice(0, limit);

  async function request(
    message: Partial<typeof someMessage> = {},
    recipient_key = 'key',
    list?: ListReference,
  ): Promise<{ email_id: string; stream: string }> {
    const email_id = `eml_${randomBytes(13).toString('hex').toUpperCase()}`;
    const stream = `email-${randomBytes(16).toString('hex')}`;
    const command = { recipient_key, list, message: { ...someMessage, ...message } };
    await execute(stream, { type: 'RequestEmail', email_id, ...command });
    return { email_id, stream };
  }

  const execute = (stream: string, command: EmailCommand) =>
    handler.execute({
      stream,
      command,
      context: { correlationId: 'corr', causationId: 'corr', requestId: 'req-1', actor: 'test' },
    });

  /** Starts a mailer that hears of every commit, and stops it with the test. */
  function startMailer(options: { readonly transport: Transport } & Partial<MailerOptions>) {
    const { soleWriter = true } = options;
    const run = soleRun(randomUUID());
    const reports: MailerReport[] = [];
    const subscriber = createMailer({
      reader: store,
      handler,
      mayGoOut: () => Promise.resolve(true),
      due,
      // Of runs without a lease nobody knows the end.
      runs: soleWriter ? run : { ...run, endOf: () => Promise.resolve(undefined) },
      sending,
      dueAfter,
      overdue,
      clock: Date.now,
      trustedNow: options.clock ?? Date.now,
      monotonic: () => performance.now(),
      random: Math.random,
      soleWriter,
      inDoubtPolicy: 'resend',
      proofOf: someProof,
      connections: options.concurrency ?? 4,
      concurrency: 4,
      timings: quickTimings,
      breakerTimings: quickBreaker,
      report: (report) => reports.push(report),
      ...options,
    });
    const onFault = (error: unknown): void => void reports.push({ type: 'fault', email_id: null, error });
    const { monotonic = () => performance.now() } = options;
    const runner = createRunner(subscriber, { onFault, monotonic, random: Math.random, timings: quickRunner });
    runner.start();
    const mailer = {
      ...runner,
      cutOff: subscriber.cutOff,
      status: () => ({ ...runner.status(), ...subscriber.status() }),
    };
    const stop = store.onCommitted(() => mailer.wake());
    onTestFinished(async () => {
      stop();
      await mailer.close();
    });
    return { mailer, reports };
  }

  /** Resolves with the events of the stream once they are as wanted; looks again after each commit. */
  async function untilEvents(
    stream: string,
    wanted: (events: readonly RecordedEmailEvent[]) => boolean,
  ): Promise<RecordedEmailEvent[]> {
    for (;;) {
      const committed = new Promise<void>((resolve) => {
        const stop = store.onCommitted(() => {
          stop();
          resolve();
        });
      });
      const found = await events(stream);
      if (wanted(found)) return found;
      await committed;
    }
  }

  /** As `untilEvents`, for the type of the last event. Only for ends that stay. */
  const until = (stream: string, last: EmailEvent['type']): Promise<RecordedEmailEvent[]> =>
    untilEvents(stream, (found) => found.at(-1)?.type === last);

  return { store, handler, events, due, overdue, request, execute, startMailer, until, untilEvents };
}

export const typesOf = (events: readonly RecordedEmailEvent[]): string[] => events.map(({ type }) => type);
