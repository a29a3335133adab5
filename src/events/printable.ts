/** Makes text from events, arguments and other people safe to show. */

/** Matches control characters, including DEL and C1, and characters that change the direction of the text. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const code = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** Returns the text with codes such as `\u001b` in place of characters that move the cursor, color the text or change its direction. */
export const printable = (text: string): string => text.replace(unprintable, code);

/** Returns the text as `printable` does, but keeps line breaks and tabs. */
export const printableLines = (text: string): string =>
  text.replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : code(character)));
