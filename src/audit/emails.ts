/** The e-mails to one person: a view is the hint where their streams are, and what is shown is read from these. */
import type { EmailEvent } from '../events/email.js';
import { recipientOf } from '../events/streams.js';
import type { Position, StoredEvent } from '../eventstore/event-store.js';
import { jsonOrText } from './redaction.js';
import { readableEmail } from './decoding.js';
import { streamPages, type AuditReader } from './reading.js';
import { unpaced, type ReplayPace } from './replay-pace.js';

type StoredEmailMessage = NonNullable<Extract<EmailEvent, { type: 'EmailRequested' }>['data']['message']>;

export interface EmailHint {
  readonly stream: string;
  /** Of the request. */
  readonly first: Position;
  /** Of the last event that the view has seen; there may be more. */
  readonly last: Position;
}

/** Where e-mails are looked for. */
export interface EmailHints {
  /** How far the log has been looked through. To be asked before the hints. */
  until(): Promise<Position>;
  /** The e-mails to a recipient, in the order of their requests. */
  to(recipientKey: string): AsyncIterable<readonly EmailHint[]>;
  /** The subject as it went out. */
  subjectOf(message: StoredEmailMessage): string;
}

export interface EmailSources {
  readonly reader: AuditReader;
  readonly emails: EmailHints;
  /** Shared by all that clients can ask for. */
  readonly pace?: Pick<ReplayPace, 'turn'>;
}

/** Streams that are read in one turn of the event loop. */
const emailsATurn = 64;

export interface EmailsOf {
  /** The stream of the person as a contact; it need not exist. */
  readonly stream: string;
  readonly horizon: Position;
  /** E-mails to which nothing happened after this position may be left out. */
  readonly after?: Position | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One e-mail with all that happened to it up to the horizon, the request first. */
export interface PersonsEmail {
  readonly emailId: string;
  /** Null: it was erased. Undefined: it cannot be read. */
  readonly message: StoredEmailMessage | null | undefined;
  readonly events: readonly StoredEvent[];
}

/** In the order of their requests, read as they are asked for. @throws StoreUnavailableError */
export async function* emailsOf(
  { reader, emails, pace = unpaced }: EmailSources,
  { stream: contact, horizon, after = '', signal }: EmailsOf,
): AsyncGenerator<PersonsEmail> {
  const recipient = recipientOf(contact);
  let read = 0;
  for await (const hints of emails.to(recipient))
    for (const { stream, first, last } of hints) {
      if (first > horizon) return;
      if (last <= after) continue;
      if ((read += 1) % emailsATurn === 0) await pace.turn();
      const email = await readEmail(reader, { stream, recipient, horizon, signal });
      if (email !== undefined) yield email;
    }
}

interface EmailReading extends Pick<EmailsOf, 'stream' | 'horizon' | 'signal'> {
  readonly recipient: string;
}

/** Undefined: the stream holds no e-mail to this recipient. @throws StoreUnavailableError */
export async function readEmail(
  reader: AuditReader,
  { recipient, ...reading }: EmailReading,
): Promise<PersonsEmail | undefined> {
  const events: StoredEvent[] = [];
  for await (const page of streamPages(reader, { ...reading, from: 0n })) events.push(...page);
  return emailIn(events, recipient);
}

/** Undefined: the hint was wrong. */
function emailIn(events: readonly StoredEvent[], recipient: string): PersonsEmail | undefined {
  const [request] = events;
  if (request?.type !== 'EmailRequested') return undefined;
  const data = jsonOrText(request.data);
  if (textIn(data, 'recipient_key') !== recipient) return undefined;
  const event = readableEmail(request)?.event;
  const message = event?.type === 'EmailRequested' ? event.data.message : undefined;
  return { emailId: textIn(data, 'email_id') ?? '', message, events };
}

function textIn(data: unknown, name: string): string | undefined {
  const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** An event of an e-mail in the history of its person. */
export interface EmailStep {
  readonly email: PersonsEmail;
  readonly stored: StoredEvent;
}

interface EmailScan {
  readonly after: Position;
  readonly most: number;
  readonly isWanted: (stored: StoredEvent) => boolean;
}

/** The first events after a position, in log order. Starts of attempts are left out: the outcome tells of them. */
export async function firstEmailSteps(
  emails: AsyncIterable<PersonsEmail>,
  { after, most, isWanted }: EmailScan,
): Promise<readonly EmailStep[]> {
  const steps: EmailStep[] = [];
  for await (const email of emails) {
    const [request] = email.events;
    const last = steps[most - 1];
    // All that happens to this e-mail and to later ones comes after its request.
    if (last !== undefined && request !== undefined && request.position > last.stored.position) break;
    for (const stored of email.events)
      if (stored.position > after && stored.type !== 'EmailDispatchStarted' && isWanted(stored))
        steps.push({ email, stored });
    steps.sort((a, b) => (a.stored.position < b.stored.position ? -1 : 1));
    steps.splice(most);
  }
  return steps;
}
