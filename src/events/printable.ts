/** Text of events and of other people, made fit to be shown. */

/** What would move the cursor or turn the writing round is shown as its code: names come from anybody. */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
