/** Takes a report: finds the e-mail that it is about, stops mail to who is gone or complained, and records it. A repeat does nothing. */
import type { CommandContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { RecordBounce, RecordComplaint } from '../commands/email-commands.js';
import type { EmailCommand, EmailState } from '../commands/email.js';
import type { Refusals } from '../commands/refusals.js';
import { isGone, isNews, reportIn } from '../commands/email-reports.js';
import { codec } from '../events/codec.js';
import type { EmailEvent } from '../events/email.js';
import { emailOfReturnPath } from '../events/return-path.js';
import { everyMail } from '../events/suppressions.js';
import type { StreamKeys } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { readReport, type MailReport } from './read-report.js';

interface ReportsOptions {
  readonly reader: Pick<EventReader, 'readStream' | 'head'>;
  readonly emails: CommandHandler<EmailState, EmailCommand, EmailEvent>;
  readonly keys: Pick<StreamKeys, 'returnPathMac' | 'requestHash'>;
  /** Nobody is there: no more mail to this address. A repeat changes nothing. */
  readonly onGone: (email: ReportedEmail, context: CommandContext) => Promise<void>;
  readonly refusals: Pick<Refusals, 'refuse'>;
  /** Whether the recipient has asked to be erased since the e-mail was requested. By the log. */
  readonly isToBeErased: (email: Pick<ReportedEmail, 'recipientKey' | 'position'>) => Promise<boolean>;
}

/** As its request says. */
interface ReportedEmail {
  readonly emailId: string;
  readonly recipientKey: string;
  /** Of the request. */
  readonly position: string;
  readonly listId: string | undefined;
  /** Undefined: it is erased. */
  readonly address: string | undefined;
}

interface ReceivedReport {
  /** Whom the report was sent to, as the mail server says. */
  readonly recipient: string;
  readonly bytes: Buffer;
  /** The stream of an e-mail; undefined: there is no such e-mail. */
  readonly streamOf: (emailId: string) => Promise<string | undefined>;
}

export const reportOutcomes = ['bounced', 'complained', 'known', 'ignored', 'unmatched'] as const;

/** `known`: it says nothing new. `ignored`: it reports neither a failure nor a complaint. `unmatched`: of no e-mail that was sent. */
interface TakenReport {
  readonly outcome: (typeof reportOutcomes)[number];
  readonly emailId: string | null;
  readonly verified: boolean;
  /** Of what was written, or of what made that unnecessary. */
  readonly position: string;
}

export type Reports = ReturnType<typeof createReports>;

export function createReports(options: ReportsOptions) {
  const { reader, emails, keys, refusals } = options;
  const counts = { bounced: 0, complained: 0, known: 0, ignored: 0, unmatched: 0 };

  /** The e-mail that a report is about; undefined: none that was sent. */
  async function emailOf(emailId: string, received: ReceivedReport) {
    const stream = await received.streamOf(emailId);
    const email = stream === undefined ? undefined : await requestIn(reader, stream);
    if (stream === undefined || email?.emailId !== emailId) return undefined;
    const { state, position } = await emails.fresh(stream);
    if (state.attempts === 0) return undefined;
    const isErased = state.erased_through !== null;
    return { stream, state, position, email: isErased ? { ...email, address: undefined } : email };
  }

  async function take(received: ReceivedReport, context: CommandContext): Promise<TakenReport> {
    const report = await readReport(received.bytes);
    const match = report && matchOf(report, received.recipient, keys);
    const found = match && (await emailOf(match.emailId, received));
    if (report === undefined || match === undefined || found === undefined)
      return {
        outcome: report ? 'unmatched' : 'ignored',
        emailId: null,
        verified: false,
        position: await reader.head(),
      };
    const { stream, state, email } = found;
    const report_hash = keys.requestHash(['report', match.emailId, report.text]);
    const command = commandOf(report, { verified: match.verified, report_hash });
    const known = { outcome: 'known', ...match } as const;
    if (!isNews(state, reportIn(command))) return { ...known, position: found.position };
    // First: what is recorded is known, and then nothing more is done for it.
    if (match.verified) await refuseFor(command, email, context);
    const { events, position } = await emails.execute({ stream, command, context });
    if (events.length === 0) return { ...known, position };
    return { outcome: outcomeOf[command.type], ...match, position };
  }

  async function refuseFor(command: RecordReport, email: ReportedEmail, context: CommandContext): Promise<void> {
    if (command.type === 'RecordComplaint') await refuseAfterComplaint(email, { ...context, actor: 'recipient' });
    else if (isGone(command.enhanced_code)) await options.onGone(email, context);
  }

  async function refuseAfterComplaint(email: ReportedEmail, context: CommandContext): Promise<void> {
    const { emailId: email_id, recipientKey: contactKey, listId: scope = everyMail } = email;
    const by = { kind: 'complaint', email_id } as const;
    // The erasure may have taken already what is said of refused mail, and wait for this e-mail.
    const address = (await options.isToBeErased(email)) ? undefined : email.address;
    await refusals.refuse({ contactKey, scope, reason: 'complaint', by, email: address }, context);
  }

  return {
    /** @throws ServiceError `unavailable`, and what `streamOf` throws: send it again */
    async take(received: ReceivedReport, context: CommandContext): Promise<TakenReport> {
      const taken = await take(received, context);
      counts[taken.outcome] += 1;
      return taken;
    },
    /** Since the process began. */
    counts: (): Readonly<typeof counts> => ({ ...counts }),
  };
}

/** Whoever knows the return path has seen the e-mail; its ids are no proof. Complaints come to another address, and name it. */
function matchOf(
  { envelopeId, messageId, ...report }: MailReport,
  recipient: string,
  { returnPathMac }: ReportsOptions['keys'],
): { readonly emailId: string; readonly verified: boolean } | undefined {
  const originalSender = report.type === 'complaint' ? (report.originalSender ?? '') : '';
  for (const path of [recipient, originalSender]) {
    const emailId = emailOfReturnPath(path, returnPathMac);
    if (emailId !== undefined) return { emailId, verified: true };
  }
  const ids = [/^eml_(\w{26})$/i.exec(envelopeId ?? ''), /^<eml_(\w{26})@[^<>\s]+>$/i.exec(messageId ?? '')];
  const [ulid] = ids.flatMap((found) => found?.[1] ?? []);
  return ulid === undefined ? undefined : { emailId: `eml_${ulid.toUpperCase()}`, verified: false };
}

/** Undefined where the stream does not begin with a request. @throws StoreUnavailableError */
async function requestIn(reader: ReportsOptions['reader'], stream: string): Promise<ReportedEmail | undefined> {
  for await (const [first] of reader.readStream(stream, { limit: 1 })) {
    const recorded = first && codec.decode(first);
    if (recorded?.event.type !== 'EmailRequested') return undefined;
    const { email_id: emailId, recipient_key: recipientKey, list_id: listId, message } = recorded.event.data;
    return { emailId, recipientKey, position: recorded.position, listId, address: message?.to_email };
  }
  return undefined;
}

const outcomeOf = { RecordBounce: 'bounced', RecordComplaint: 'complained' } as const;

type RecordReport = RecordBounce | RecordComplaint;

function commandOf(report: MailReport, about: Pick<RecordReport, 'verified' | 'report_hash'>): RecordReport {
  if (report.type === 'complaint') return { type: 'RecordComplaint', ...about };
  const { kind, enhanced_code, diagnostic } = report;
  return { type: 'RecordBounce', kind, enhanced_code, diagnostic, ...about };
}
