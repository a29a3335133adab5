/** The envelope sender of an email, `bounce+<email id>.<mac>@…`. A report that comes back to it tells which email it is about. */
import { macLength, proofOf, provenEmail, type ProofMac } from './email-proof.js';

/** Characters of a local part (RFC 5321 4.5.3.1.1). */
const longestLocalPart = 64;
const idLength = 'eml_'.length + 26;
/** Characters that are left for the local part of MAIL_RETURN_PATH. */
export const longestReturnPathName = longestLocalPart - '+'.length - idLength - '.'.length - macLength;

/** `base` is the address of MAIL_RETURN_PATH. */
export function returnPathOf(emailId: string, base: string, macOf: ProofMac): string {
  const at = base.lastIndexOf('@');
  return `${base.slice(0, at)}+${proofOf(emailId, macOf)}${base.slice(at)}`;
}

/** Returns whether the text contains a return path of this service, valid or not. */
export const namesReturnPath = (text: string): boolean => /\+eml_[0-9A-Z]/i.test(text);

/**
 * Returns the id of the email whose return path is in the text, such as `<bounce+eml_….…@example.com>`, or undefined if the
 * text has no return path with a valid MAC. Ignores letter case and the text around the path, because mail servers change
 * both.
 */
export function emailOfReturnPath(text: string, macOf: ProofMac): string | undefined {
  const [, ulid, mac] = /\+eml_([0-9A-HJKMNP-TV-Z]{26})\.([A-Z2-7]{16})@/i.exec(text) ?? [];
  return ulid === undefined || mac === undefined ? undefined : provenEmail(ulid, mac, macOf);
}
