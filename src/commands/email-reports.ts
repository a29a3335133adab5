/**
 * The rules for reports about an email. Each report is recorded once. After a verified report nothing more is sent. An
 * unverified report changes nothing, because anybody who knows the id of the email can send it.
 */
import type { EmailEvent } from '../events/email.js';
import type { RecordBounce, RecordComplaint } from './email-commands.js';

type ReportEvent = Extract<EmailEvent, { type: 'EmailBounced' | 'EmailComplained' }>;
type RecordReport = RecordBounce | RecordComplaint;

/** A report that was taken. */
export interface KnownReport {
  readonly type: ReportEvent['type'];
  readonly verified: boolean;
  readonly report_hash: string;
  /** Of a bounce: the mailbox does not exist, or not any more. */
  readonly isGone: boolean;
}

/** What the rules need of an e-mail. */
interface ReportedState {
  readonly email_id: string;
  readonly attempts: number;
  readonly reports: readonly KnownReport[];
  readonly erased_through: number | null;
}

export const knownReport = ({ type, data }: ReportEvent): KnownReport => ({
  type,
  verified: data.verified,
  report_hash: data.report_hash,
  isGone: 'enhanced_code' in data && isGone(data.enhanced_code),
});

/**
 * The most bounces that are recorded for one email. Verified and unverified bounces are counted separately, and so are those
 * of a mailbox that is gone. Without the bound, anyone who has seen the email could add to its stream without end.
 */
const mostBounces = 5;

/** Returns whether the report says something that the log does not know. */
export function isNews({ attempts, reports }: ReportedState, report: KnownReport): boolean {
  const same = reports.filter(({ type, verified }) => type === report.type && verified === report.verified);
  if (attempts === 0 || same.some(({ report_hash }) => report_hash === report.report_hash)) return false;
  if (report.type === 'EmailBounced') return same.filter((one) => one.isGone === report.isGone).length < mostBounces;
  return !reports.some(({ type, verified }) => type === report.type && (verified || !report.verified));
}

export const reportIn = (command: RecordReport): KnownReport => ({
  type: command.type === 'RecordBounce' ? 'EmailBounced' : 'EmailComplained',
  verified: command.verified,
  report_hash: command.report_hash,
  isGone: command.type === 'RecordBounce' && isGone(command.enhanced_code),
});

/** What the server said is personal: it is left out once the e-mail is erased. */
export function reported(command: RecordReport, { email_id, erased_through }: ReportedState): ReportEvent {
  const { verified, report_hash } = command;
  if (command.type === 'RecordComplaint') return { type: 'EmailComplained', data: { email_id, verified, report_hash } };
  const { kind, enhanced_code, diagnostic } = command;
  const code = enhanced_code === undefined ? {} : { enhanced_code };
  const message = diagnostic === undefined || erased_through !== null ? {} : { message: { diagnostic } };
  return { type: 'EmailBounced', data: { email_id, kind, ...code, verified, report_hash, ...message } };
}

/** Returns why there is no further attempt, as the reason of EmailCancelled, or undefined if there is no verified report. */
export function endedBy({ reports }: Pick<ReportedState, 'reports'>): 'bounced' | 'complained' | undefined {
  const first = reports.find(({ verified }) => verified);
  return first && (first.type === 'EmailBounced' ? 'bounced' : 'complained');
}

/** The mailbox does not exist, or not any more. Every other refusal may be about the sender, or about this message. */
const goneCodes: ReadonlySet<string> = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']);
const isGone = (enhancedCode: string | undefined): boolean => goneCodes.has(enhancedCode ?? '');
