/** Signs a message with DKIM (RFC 6376). */
import { buffer } from 'node:stream/consumers';
import DKIM from 'nodemailer/lib/dkim';
import type { DkimSettings } from './dkim-key.js';

/** Those that there are. What a relay may add or change on the way is not among them. */
const signedHeaders = [
  'From',
  'Sender',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
];

/** With its signature in front. The same bytes and key give the same signature: it has no time, and RSA no chance. */
export async function signed(bytes: Buffer, { domain, selector, privateKey }: DkimSettings): Promise<Buffer> {
  const signer = new DKIM({
    domainName: domain,
    keySelector: selector,
    privateKey,
    headerFieldNames: signedHeaders.join(':'),
  });
  return await buffer(signer.sign(bytes));
}
