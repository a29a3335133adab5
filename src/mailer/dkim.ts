/** DKIM (RFC 6376): its settings, what the DNS has to hold for them, and the signature of a message. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import DKIM from 'nodemailer/lib/dkim';
import { emailHeader } from '../events/email-proof.js';

export interface DkimSettings {
  /** Who vouches for the message: `d=`. */
  readonly domain: string;
  /** Which of the domain's keys: `s=`. */
  readonly selector: string;
  /** RSA, PEM. */
  readonly privateKey: string;
}

/** In ASCII, as it stands in the DNS. */
export const isDnsName = (text: string): boolean =>
  text.length <= 253 && /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.(?=.)|$))+$/i.test(text);

/** RFC 8301: shorter ones count as no signature. */
const fewestBits = 1_024;

/** PEM; `\n` may stand for a line end, as in a variable. @throws TypeError that never repeats the text */
export function parseDkimKey(text: string): string {
  const pem = text.replaceAll('\\n', '\n').trim();
  const key = privateKey(pem);
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key?.asymmetricKeyType !== 'rsa' || bits < fewestBits)
    throw new TypeError(
      `must be an RSA private key of at least ${fewestBits} bits (better 2048) in PEM, without passphrase`,
    );
  return pem;
}

function privateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** A TXT record, which receivers ask for. */
export function dkimRecord({ domain, selector, privateKey }: DkimSettings): { name: string; value: string } {
  const key = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  return { name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${key}` };
}

/** Signed where the message has them. Headers that a relay may add or change on the way are left out. */
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
  emailHeader,
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
