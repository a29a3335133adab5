/**
 * What an e-mail address is: one mailbox, nothing that a mail program could read as two. Also the form in which addresses
 * are compared: streams are named by it, so it is for ever, and the same on every version of Node.
 */
import { toASCII, toUnicode } from 'tr46';

const maxAddressBytes = 254;
const maxLocalBytes = 64;
/** UTF-16 units as received, which bounds the work. */
const maxReceived = 1_024;
const ascii = /^[\0-\x7f]*$/;
const asciiLocal = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** Letters, digits, hyphens, 1 to 63 of them, no hyphen at either end (RFC 1123). */
const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
/** The last label of an IPv4 address, also in hexadecimal. No top-level domain is all digits (RFC 3696). */
const ipv4Label = /^(?:[0-9]+|0x[0-9a-f]*)$/i;
/** Letters and digits of all scripts too. A mark stands on one of these: at the start it would join what is before it. */
const letter = String.raw`[\p{L}\p{Nd}]\p{M}*`;
const atom = `(?:[!#$%&'*+/=?^_\`{|}~-]|${letter})+`;
const hostLabel = `${letter}(?:-*${letter})*`;
const local = new RegExp(String.raw`^${atom}(?:\.${atom})*$`, 'u');
const host = new RegExp(String.raw`^${hostLabel}(?:\.${hostLabel})+$`, 'u');
/** Some letters and marks are: fillers, variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;
/** Matches everything a person cannot see, including spaces other than U+0020. No address contains any of these. */
const unseen =
  /[\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\ufff9-\ufffb]/u;
/** Letters that have another case, of the alphabets that stand beside Greek. */
const cased = String.raw`[A-Za-z\u00c0-\u017f\u0370-\u0481\u1f00-\u1fff]`;
const skipped = String.raw`[.'^\`\u0300-\u036f]*`;
/** At the end of a word. Not left to `toLowerCase`, which goes by tables of cased letters that change with Unicode. */
const finalSigma = new RegExp(`(?<=${cased}${skipped})Σ(?!${skipped}${cased})`, 'g');

/** Hyphens are left to `label`, which takes what it takes of ASCII addresses: `ab--cd` is one. */
const idna = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  verifyDNSLength: true,
  transitionalProcessing: false,
} as const;

export function isAddress(text: string): boolean {
  return ascii.test(text) ? isMailbox(text, asciiLocal) : spellings(text) !== undefined;
}

/** Returns whether a text contains a character that people cannot see, so that the refusal of an address can say why. */
export const hasInvisibleCharacter = (text: string): boolean => unseen.test(text);

/** The form under which two spellings are one address. Of an ASCII address: trimmed, ASCII lower case throughout. @throws TypeError where it is none */
export function comparedAddress(address: string): string {
  const text = address.trim();
  return ascii.test(text) ? text.toLowerCase() : spellingsOf(text).compared;
}

/** The address as it goes out: an ASCII one as it is; of others the domain in ASCII, the local part in NFC. @throws TypeError where it is none */
export function sentAddress(address: string): string {
  return ascii.test(address) ? address : spellingsOf(address).sent;
}

interface Spellings {
  readonly compared: string;
  readonly sent: string;
}

function spellingsOf(text: string): Spellings {
  const found = spellings(text);
  if (found === undefined) throw new TypeError('not an address');
  return found;
}

/** Of an address that is not all ASCII; undefined where the text is none. */
function spellings(text: string): Spellings | undefined {
  if (text.length > maxReceived || !hasCharacters(text)) return undefined;
  const form = lowerCase(text.normalize('NFC')).normalize('NFC');
  const at = form.indexOf('@');
  const domain = toASCII(form.slice(at + 1), idna);
  const compared = `${form.slice(0, at)}@${domain ?? ''}`;
  if (domain === null || !isMailbox(compared, local)) return undefined;
  return { compared, sent: `${text.slice(0, text.indexOf('@')).normalize('NFC')}@${domain}` };
}

const lowerCase = (text: string): string => text.replace(finalSigma, 'ς').replaceAll('Σ', 'σ').toLowerCase();

function hasCharacters(text: string): boolean {
  const [name = '', domain = '', ...more] = text.split('@');
  if (more.length > 0 || !local.test(name) || !host.test(domain) || invisible.test(text)) return false;
  return [...text].every(isKnown);
}

/**
 * Whether tr46's tables, which are of Unicode 16, have the character. A later Node knows more letters. What Unicode once
 * has, it composes and lowers the same in all later versions.
 */
const isKnown = (character: string): boolean => ascii.test(character) || !toUnicode(`a${character}`).error;

function isMailbox(text: string, localPart: RegExp): boolean {
  if (Buffer.byteLength(text) > maxAddressBytes) return false;
  const at = text.indexOf('@');
  if (at < 1 || text.includes('@', at + 1)) return false;
  const name = text.slice(0, at);
  if (Buffer.byteLength(name) > maxLocalBytes || !localPart.test(name)) return false;
  const labels = text.slice(at + 1).split('.');
  return labels.length >= 2 && labels.every((part) => label.test(part)) && !ipv4Label.test(labels.at(-1) ?? '');
}
