/** The envelope sender of an e-mail, `bounce+<email id>.<mac>@…`: a report that comes back to it tells which e-mail it is about, and only who has seen the e-mail can know it. */
import { timingSafeEqual } from 'node:crypto';
import type { StreamKeys } from './streams.js';

/** Characters of a local part (RFC 5321 4.5.3.1.1). */
const longestLocalPart = 64;
const idLength = 'eml_'.length + 26;
const macLength = 16;
/** Characters that are left for the local part of MAIL_RETURN_PATH. */
export const longestReturnPathName = longestLocalPart - '+'.length - idLength - '.'.length - macLength;

type Mac = StreamKeys['returnPathMac'];

/** `base` is the address of MAIL_RETURN_PATH. */
export function returnPathOf(emailId: string, base: string, macOf: Mac): string {
  const at = base.lastIndexOf('@');
  return `${base.slice(0, at)}+${emailId}.${base32(macOf(emailId))}${base.slice(at)}`;
}

/** Returns whether the text contains a return path of this service, valid or not. */
export const namesReturnPath = (text: string): boolean => /\+eml_[0-9A-Z]/i.test(text);

/**
 * Returns the id of the email whose return path is in the text, such as `<bounce+eml_….…@example.com>`, or undefined if the
 * text has no return path with a valid MAC. Ignores letter case and the text around the path, because mail servers change
 * both.
 */
export function emailOfReturnPath(text: string, macOf: Mac): string | undefined {
  const [, ulid, mac] = /\+eml_([0-9A-HJKMNP-TV-Z]{26})\.([A-Z2-7]{16})@/i.exec(text) ?? [];
  if (ulid === undefined || mac === undefined) return undefined;
  const emailId = `eml_${ulid.toUpperCase()}`;
  return timingSafeEqual(Buffer.from(base32(macOf(emailId))), Buffer.from(mac.toLowerCase())) ? emailId : undefined;
}

const digits = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648, in small letters; of 80 bits in hex. */
const base32 = (hex: string): string =>
  [...BigInt(`0x${hex}`).toString(32).padStart(macLength, '0')].map((digit) => digits[parseInt(digit, 32)]).join('');
