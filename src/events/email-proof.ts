/**
 * Proves which email a report is about: `<email id>.<mac>`, in the envelope sender (return-path.ts) and in a header of the
 * email. Only someone who has seen the email knows its MAC.
 */
import { timingSafeEqual } from 'node:crypto';
import type { StreamKeys } from './streams.js';

/** The header of every email, such as `X-Audience-Email: eml_01ARZ3NDEKTSV4RRFFQ69G5FAV.khoemahi4jzsqztg`. */
export const emailHeader = 'X-Audience-Email';

/** Returns 80 bits in hex for an email id. */
export type ProofMac = StreamKeys['returnPathMac' | 'emailHeaderMac'];

export const macLength = 16;

export const proofOf = (emailId: string, macOf: ProofMac): string => `${emailId}.${base32(macOf(emailId))}`;

/** Returns the id of an email, or undefined if the MAC is not valid. Ignores letter case, because mail servers change it. */
export function provenEmail(ulid: string, mac: string, macOf: ProofMac): string | undefined {
  const emailId = `eml_${ulid.toUpperCase()}`;
  return timingSafeEqual(Buffer.from(base32(macOf(emailId))), Buffer.from(mac.toLowerCase())) ? emailId : undefined;
}

/** Returns the id of the email to which the value of the header belongs, or undefined if its MAC is not valid. */
export function emailOfHeader(value: string, macOf: ProofMac): string | undefined {
  const [, ulid, mac] = /^\s*eml_([0-9A-HJKMNP-TV-Z]{26})\.([A-Z2-7]{16})\s*$/i.exec(value) ?? [];
  return ulid === undefined || mac === undefined ? undefined : provenEmail(ulid, mac, macOf);
}

const digits = 'abcdefghijklmnopqrstuvwxyz234567';

/** Encodes 80 bits in hex as in RFC 4648, in lower case. */
const base32 = (hex: string): string =>
  [...BigInt(`0x${hex}`).toString(32).padStart(macLength, '0')].map((digit) => digits[parseInt(digit, 32)]).join('');
