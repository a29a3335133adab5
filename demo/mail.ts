/** The mailer of the demo: e-mails are asked for, attempted by the service's own code against the mail server of the shop, and tried again when they are due. */
import { createErasureCheck } from '../src/privacy/erase.js';
import { ServiceError } from '../src/errors.js';
import type { CommandContext } from '../src/commands/batch.js';
import type { EmailMessage } from '../src/commands/email-commands.js';
import type { EmailState, EmailStatus } from '../src/commands/email.js';
import { proofOf } from '../src/events/email-proof.js';
import { returnPathOf } from '../src/events/return-path.js';
import { deriveUnsubscribeKey, emailStream } from '../src/events/streams.js';
import { createUnsubscribeTokens, type UnsubscribeTokens } from '../src/events/unsubscribe-token.js';
import { attemptEmail } from '../src/mailer/attempt.js';
import { breakerTimings } from '../src/mailer/breaker.js';
import { contextOf, iso, type AttemptOptions } from '../src/mailer/job.js';
import { createMayGoOut, loadEmail } from '../src/mailer/load.js';
import { createRelay } from '../src/mailer/relay.js';
import { soleRun, type Runs } from '../src/mailer/runs.js';
import { mailerTimings } from '../src/mailer/timings.js';
import { createFates } from './fates.js';
import type { Members } from './members.js';
import type { Person } from './people.js';
import { createRelayOfShop, type Underway } from './relay.js';
import { mailSettings, type ListKey } from './shop.js';
import { day, minute, type World } from './world.js';

export interface Letter extends Underway {
  readonly emailId: string;
  readonly stream: string;
  readonly person: Person;
  readonly list: ListKey | undefined;
  /** Of its request. */
  readonly position: string;
}

interface Sending {
  readonly person: Person;
  /** It is mail to the subscribers of this list. */
  readonly list?: ListKey;
  readonly message: Omit<EmailMessage, 'to_email'>;
  readonly by: CommandContext;
  readonly idempotencyKey?: string;
}

/** Called after each attempt, with what has become of the e-mail. */
type MailListener = (letter: Letter, status: EmailStatus) => void;

export interface Mail {
  /** Undefined: the service refuses it, because the person does. */
  send(sending: Sending): Promise<Letter | undefined>;
  listen(listener: MailListener): void;
  release(letter: Letter, by: CommandContext): Promise<void>;
  cancel(letter: Letter, by: CommandContext): Promise<void>;
  status(letter: Letter): Promise<EmailStatus>;
  returnPath(letter: Letter): string;
  readonly tokens: UnsubscribeTokens;
}

/** The service is started anew now and then. */
const runFor = 17 * day;

/** With pauses so long that some e-mails are still waiting when somebody looks at the demo. */
const timings = { ...mailerTimings, inDoubt: day, giveUp: 5 * day, backoffCap: 2 * day };

export function createMail(world: World, members: Members, publicUrl: string): Mail {
  const { commands, keys, log, now, plan } = world;
  const random = world.random('mail');
  const letters = new Map<string, Letter>();
  const listeners: MailListener[] = [];
  const tokens = createUnsubscribeTokens(deriveUnsubscribeKey(world.secret));
  const nextFate = createFates(world, world.random('fates'));
  const transport = createRelayOfShop({ world, random, letterOf: (id) => letters.get(id) });
  const relay = createRelay({
    ...{ transport, breakerTimings, clock: now, monotonic: now, random: random.next },
    ...{ connections: 10, concurrency: 30, report: () => undefined },
  });
  let run: { readonly runs: Runs; readonly until: number } | undefined;
  const never = new AbortController().signal;

  function runs(): Runs {
    if (run === undefined || run.until <= now()) run = { runs: soleRun(random.uuid()), until: now() + runFor };
    return run.runs;
  }

  const options: Omit<AttemptOptions, 'runs' | 'random'> = {
    ...{ reader: log, handler: commands.emails, transport, onBounce: commands.recordMailboxBounce },
    mayGoOut: createMayGoOut({
      isToBeErased: createErasureCheck(log, commands.erasures),
      checkRecipient: commands.checkRecipient,
    }),
    unsubscribeUrl: (link) => `${publicUrl}/u/${tokens.make(link)}`,
    returnPath: (emailId) => returnPathOf(emailId, mailSettings.MAIL_RETURN_PATH, keys.returnPathMac),
    proofOf: (emailId) => proofOf(emailId, keys.emailHeaderMac),
    ...{ clock: now, trustedNow: now, monotonic: now, soleWriter: true, inDoubtPolicy: 'resend', timings },
    report(told) {
      if (told.type === 'fault' || told.type === 'record_failed') throw told.error;
    },
  };

  async function attempt(letter: Letter): Promise<void> {
    if (letter.fate === 'interrupted' && letter.attempts === 0) return await interrupt(letter);
    if (relay.isProbeDue()) await relay.probe(never);
    const trial = relay.begin();
    // As long as can be: those of the last days are to wait still when somebody looks.
    const jitter = letter.fate === 'full' ? () => 0.9 : random.next;
    const result = await attemptEmail({ ...options, runs: runs(), random: jitter }, letter.stream, {
      ...{ sending: never, recording: never, trial },
    });
    trial.close();
    if (result === 'waits') plan(now() + Math.min(relay.rest(), 5 * minute), () => attempt(letter));
    else await follow(letter);
  }

  /** Its attempt has begun when the service ends. The next run of it does not know what became of it. */
  async function interrupt(letter: Letter): Promise<void> {
    const email = await loadEmail(log, letter.stream);
    const run_id = runs().current() ?? '';
    const command = { type: 'StartDispatch', run_id, now: iso(now()), deadline: iso(now() + timings.attempt) } as const;
    if (email !== undefined)
      await commands.emails.execute({
        ...{ stream: letter.stream, command },
        context: contextOf({ email }, email.lastEventId),
      });
    letter.attempts += 1;
    run = undefined;
    plan(now() + random.between(5_000, 40_000), () => attempt(letter));
  }

  async function follow(letter: Letter): Promise<void> {
    const { status, next_attempt_at }: EmailState = (await commands.emails.fresh(letter.stream)).state;
    if (next_attempt_at !== null) plan(Date.parse(next_attempt_at), () => attempt(letter));
    for (const listener of listeners) listener(letter, status);
  }

  const placed = ({ stream, person, position }: Letter) => ({
    ...{ stream, position },
    recipientKey: keys.contactKey(person.email),
  });

  return {
    tokens,
    async send({ person, list, message, by, idempotencyKey }) {
      const listId = list === undefined ? undefined : members.listId(list);
      const request = { message: { ...message, to_email: person.email }, listId, idempotencyKey };
      const sent = await commands.audience.email.send(request, by).catch(unlessUnwanted);
      if (sent === undefined) return undefined;
      const { emailId, position } = sent;
      const stream = emailStream(keys.emailKey(idempotencyKey === undefined ? { emailId } : { idempotencyKey }));
      const about = { emailId, stream, position, person, list, requestedAt: now(), attempts: 0 };
      const letter: Letter = { ...about, fate: nextFate(person.domain) };
      letters.set(emailId, letter);
      plan(now() + random.between(20, 900), () => attempt(letter));
      return letter;
    },
    listen: (listener) => void listeners.push(listener),
    async release(letter, by) {
      await commands.audience.email.release(placed(letter), iso(now()), by);
      letter.fate = 'fine';
      plan(now() + 500, () => attempt(letter));
    },
    async cancel(letter, by) {
      await commands.audience.email.cancel(placed(letter), by);
    },
    status: async ({ stream }) => (await commands.emails.fresh(stream)).state.status,
    returnPath: ({ emailId }) => returnPathOf(emailId, mailSettings.MAIL_RETURN_PATH, keys.returnPathMac),
  };
}

/** The codes with which the service refuses an email that its recipient does not want or cannot get. */
const unwanted: readonly string[] = ['suppressed', 'no_mailbox', 'keeps_refusing', 'not_in_list', 'unknown_list'];

function unlessUnwanted(error: unknown): undefined {
  if (error instanceof ServiceError && unwanted.includes(error.code)) return undefined;
  throw error;
}
