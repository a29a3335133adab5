/**
 * Takes reports. Finds the email that a report is about, and records the report. A verified report also stops mail to an
 * address that is gone or complained. An unverified report is recorded but changes nothing. A repeated report does nothing.
 */
import type { CommandContext } from '../commands/batch.js';
import type { CommandHandler } from '../commands/command-handler.js';
import type { RecordBounce, RecordComplaint } from '../commands/email-commands.js';
import type { EmailCommand, EmailState } from '../commands/email.js';
import type { Refusals } from '../commands/refusals.js';
import { mailboxBounce, type RecordMailboxBounce } from '../commands/bounced-mailboxes.js';
import { isNews, reportIn } from '../commands/email-reports.js';
import { codec } from '../events/codec.js';
import type { EmailEvent } from '../events/email.js';
import { emailOfHeader } from '../events/email-proof.js';
import { emailOfReturnPath, namesReturnPath } from '../events/return-path.js';
import { everyMail } from '../events/suppressions.js';
import type { StreamKeys } from '../events/streams.js';
import type { EventReader } from '../eventstore/event-store.js';
import { JobLimitError } from '../flow/limited-thread.js';
import type { MailReport } from './read-report.js';
import type { ReportReader } from './report-reader.js';

interface ReportsOptions {
  readonly reader: Pick<EventReader, 'readStream' | 'head'>;
  readonly reportReader: Pick<ReportReader, 'run'>;
  readonly emails: CommandHandler<EmailState, EmailCommand, EmailEvent>;
  readonly keys: Pick<StreamKeys, 'returnPathMac' | 'emailHeaderMac' | 'requestHash'>;
  /** Called for a verified bounce that is about the recipient. A repeat changes nothing. */
  readonly onBounce: RecordMailboxBounce;
  readonly refusals: Pick<Refusals, 'refuse'>;
  /** Returns whether the recipient has asked to be erased since the email was requested, according to the log. */
  readonly isToBeErased: (email: Pick<ReportedEmail, 'recipientKey' | 'position'>) => Promise<boolean>;
}

/** An email as its request describes it. */
interface ReportedEmail {
  readonly emailId: string;
  readonly recipientKey: string;
  /** Position of the request. */
  readonly position: string;
  readonly listId: string | undefined;
  /** Undefined after the erasure. */
  readonly address: string | undefined;
}

interface ReceivedReport {
  /** The address to which the report was sent. */
  readonly recipient: string;
  readonly bytes: Buffer;
  /** Returns the stream of an email, or undefined if there is no such email. */
  readonly streamOf: (emailId: string) => Promise<string | undefined>;
}

export const reportOutcomes = ['bounced', 'complained', 'unverified', 'known', 'ignored', 'unmatched'] as const;
type ReportOutcome = (typeof reportOutcomes)[number];

/**
 * The result of taking a report. `unverified`: recorded, but nothing proves that the sender of the report has the email, so
 * it changes nothing. `known`: the report says nothing new. `ignored`: the report tells neither of a failure nor of a
 * complaint, or was not parsed. `unmatched`: the report is not about an email that was sent.
 */
interface TakenReport {
  readonly outcome: ReportOutcome;
  readonly emailId: string | null;
  readonly verified: boolean;
  /** A position that reflects the report: where it was recorded, or where the log already made that unnecessary. */
  readonly position: string;
}

export type Reports = ReturnType<typeof createReports>;

export function createReports(options: ReportsOptions) {
  const { reader, reportReader, emails, keys, refusals } = options;
  const counts: Record<ReportOutcome, number> = {
    bounced: 0,
    complained: 0,
    unverified: 0,
    known: 0,
    ignored: 0,
    unmatched: 0,
  };
  const overLimit = { time: 0, memory: 0 };

  /** Returns the report, or undefined if its return path is not valid, it is not a report, or reading it exceeds a limit. */
  async function read({ recipient, bytes }: ReceivedReport): Promise<MailReport | undefined> {
    // A return path without a valid MAC is forged, so the report need not be parsed.
    if (namesReturnPath(recipient) && emailOfReturnPath(recipient, keys.returnPathMac) === undefined) return undefined;
    try {
      return await reportReader.run(bytes);
    } catch (error) {
      if (!(error instanceof JobLimitError)) throw error;
      // The mail server must not send the report again, because it would exceed the limit again.
      overLimit[error.limit] += 1;
      return undefined;
    }
  }

  /** Returns the email that a report is about, or undefined if no such email was sent. */
  async function emailOf(emailId: string, received: ReceivedReport) {
    const stream = await received.streamOf(emailId);
    const email = stream === undefined ? undefined : await requestIn(reader, stream);
    if (stream === undefined || email?.emailId !== emailId) return undefined;
    const { state, position } = await emails.fresh(stream);
    if (state.attempts === 0) return undefined;
    const { isErasedWithPerson, erased_through } = state;
    const address = erased_through === null ? email.address : undefined;
    return { stream, state, position, email: { ...email, address, isErasedWithPerson } };
  }

  /** Returns a report with the email that it is about, or the outcome if no email was found. */
  async function identify(received: ReceivedReport) {
    const report = await read(received);
    if (report === undefined) return 'ignored';
    const match = matchOf(report, received.recipient, keys);
    const found = match && (await emailOf(match.emailId, received));
    return match === undefined || found === undefined ? 'unmatched' : { report, match, found };
  }

  async function take(received: ReceivedReport, context: CommandContext): Promise<TakenReport> {
    // 1. Read the report and find its email
    const identified = await identify(received);
    if (typeof identified === 'string')
      return { outcome: identified, emailId: null, verified: false, position: await reader.head() };
    const { report, match, found } = identified;
    // 2. Skip a known report
    const { stream, state, email } = found;
    const report_hash = keys.requestHash(['report', match.emailId, report.digest]);
    const command = commandOf(report, { verified: match.verified, report_hash });
    const known = { outcome: 'known', ...match } as const;
    if (!isNews(state, reportIn(command))) return { ...known, position: found.position };
    // 3. Stop mail. This comes before step 4, because nothing more is done for a report that is on record.
    if (match.verified) await refuseFor(report, email, context);
    // 4. Record
    const { events, position } = await emails.execute({ stream, command, context });
    if (events.length === 0) return { ...known, position };
    return { outcome: match.verified ? outcomeOf[command.type] : 'unverified', ...match, position };
  }

  async function refuseFor(report: MailReport, email: ReportedEmail, context: CommandContext): Promise<void> {
    if (report.type === 'complaint') await refuseAfterComplaint(email, { ...context, actor: 'recipient' });
    else {
      const bounce = mailboxBounce(report);
      if (bounce !== undefined) await options.onBounce(email, bounce, context);
    }
  }

  async function refuseAfterComplaint(email: ReportedEmail, context: CommandContext): Promise<void> {
    const { emailId: email_id, recipientKey: contactKey, listId: scope = everyMail } = email;
    const by = { kind: 'complaint', email_id } as const;
    // The erasure may have taken already what is said of refused mail, and wait for this e-mail.
    const address = (await options.isToBeErased(email)) ? undefined : email.address;
    await refusals.refuse({ contactKey, scope, reason: 'complaint', by, email: address }, context);
  }

  return {
    /** @throws ServiceError `unavailable`, and what `streamOf` throws. The report may be sent again. */
    async take(received: ReceivedReport, context: CommandContext): Promise<TakenReport> {
      const taken = await take(received, context);
      counts[taken.outcome] += 1;
      return taken;
    },
    /** Returns how many reports were taken since the process began, by outcome. */
    counts: (): Readonly<typeof counts> => ({ ...counts }),
    /** Returns how many reports were ignored because reading them exceeded a limit, by limit. */
    overLimit: (): Readonly<typeof overLimit> => ({ ...overLimit }),
  };
}

/**
 * Returns the email that a report names. A MAC proves that the sender of the report has the email: the MAC of the return
 * path to which the report came, or, in a complaint, which the provider names; or the MAC in the header of the returned
 * email. The ids prove nothing.
 */
function matchOf(
  report: MailReport,
  recipient: string,
  { returnPathMac, emailHeaderMac }: ReportsOptions['keys'],
): { readonly emailId: string; readonly verified: boolean } | undefined {
  const { envelopeId = '', messageId = '', emailHeader = '', to = '' } = report;
  const senders = report.type === 'complaint' ? report.senders : [];
  const proven = [
    ...[recipient, ...senders].map((path) => emailOfReturnPath(path, returnPathMac)),
    emailOfHeader(emailHeader, emailHeaderMac),
  ].find((emailId) => emailId !== undefined);
  if (proven !== undefined) return { emailId: proven, verified: true };
  const [ulid] = [envelopeId, messageId, emailHeader, ...senders, to].flatMap(
    (text) => /(?:^|[<+\s])eml_(\w{26})(?=[.@]|\s*$)/i.exec(text)?.[1] ?? [],
  );
  return ulid === undefined ? undefined : { emailId: `eml_${ulid.toUpperCase()}`, verified: false };
}

/** Returns the request of an email, or undefined if the stream does not begin with one. @throws StoreUnavailableError */
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
