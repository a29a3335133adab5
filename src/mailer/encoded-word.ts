/** Encoded words (RFC 2047): text of any script in a header. */
import { encodeWord } from 'nodemailer/lib/mime-funcs';

/** Text that looks like an encoded word would be decoded by its reader: encoded once more, it arrives as typed. */
export const looksEncoded = (text: string): boolean => text.includes('=?');

/** With its frame a word may have 75 characters. Words are separated by a space. */
export const encoded = (text: string): string => encodeWord(text, isReadable(text) ? 'Q' : 'B', 52);

/** Quoted-printable can be read as it stands, but triples what is not ASCII; and it would leave a lone CR as it is. */
export const isReadable = (content: string): boolean =>
  Buffer.byteLength(content) <= 1.2 * content.length && !/\r(?!\n)/.test(content);
