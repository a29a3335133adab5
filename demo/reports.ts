/** What mail servers and mailbox providers write when an e-mail could not be delivered, or somebody complained of it: in the form of RFC 3464 and RFC 5965. */
import type { Letter } from './mail.js';
import { mailDomain } from './shop.js';

interface ReportedLetter extends Pick<Letter, 'emailId' | 'person'> {
  readonly returnPath: string;
  readonly at: number;
}

export interface Failure {
  readonly status: string;
  readonly diagnostic: string;
}

export const goneMailbox: Failure = { status: '5.1.1', diagnostic: '550 5.1.1 User unknown' };
export const closedMailbox: Failure = { status: '5.2.1', diagnostic: '550 5.2.1 The account is closed' };
export const fullMailbox: Failure = { status: '4.2.2', diagnostic: '452 4.2.2 Mailbox is over its quota' };
export const tooLate: Failure = { status: '4.4.7', diagnostic: '451 4.4.7 Delivery time expired' };

const server = `mail.${mailDomain}`;

export function undelivered({ emailId, person, returnPath, at }: ReportedLetter, failure: Failure): Buffer {
  const date = new Date(at).toUTCString();
  return messageOf(
    [`From: Mail Delivery System <MAILER-DAEMON@${server}>`, `To: ${returnPath}`, `Date: ${date}`],
    { kind: 'delivery-status', boundary: `report-${emailId}` },
    [
      [
        'message/delivery-status',
        `Reporting-MTA: dns; ${server}`,
        `Original-Envelope-Id: ${emailId}`,
        `Arrival-Date: ${date}`,
        '',
        `Final-Recipient: rfc822; ${person.email}`,
        'Action: failed',
        `Status: ${failure.status}`,
        `Remote-MTA: dns; mx.${person.domain}`,
        `Diagnostic-Code: smtp; ${failure.diagnostic}`,
      ],
    ],
  );
}

export function complaintAbout({ emailId, person, returnPath, at }: ReportedLetter): Buffer {
  const date = new Date(at).toUTCString();
  return messageOf(
    [`From: <feedback@${person.domain}>`, `To: <abuse@${server}>`, `Date: ${date}`],
    { kind: 'feedback-report', boundary: `complaint-${emailId}` },
    [
      [
        'message/feedback-report',
        'Feedback-Type: abuse',
        `User-Agent: Feedback of ${person.domain}`,
        'Version: 1',
        `Original-Mail-From: <${returnPath}>`,
        `Arrival-Date: ${date}`,
        `Reported-Domain: ${mailDomain}`,
      ],
    ],
  );
}

function messageOf(
  headers: readonly string[],
  { kind, boundary }: { readonly kind: string; readonly boundary: string },
  parts: readonly (readonly [type: string, ...lines: string[]])[],
): Buffer {
  const type = `Content-Type: multipart/report; report-type=${kind}; boundary="${boundary}"`;
  const inside = parts.flatMap(([of, ...lines]) => [`--${boundary}`, `Content-Type: ${of}`, '', ...lines, '']);
  return Buffer.from([...headers, 'MIME-Version: 1.0', type, '', ...inside, `--${boundary}--`, ''].join('\r\n'));
}
