/** The form in which names and addresses are searched: as a person types them who does not know how they are spelled exactly. */

const ascii = /^[\x20-\x7e]*$/;
/** Accents and points of all scripts in which words stay what they are without them, and joiners. */
const marks = /\p{Script=Inherited}|(?=\p{M})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]/gu;

/** What has no parts that could be left out. */
const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ð: 'd',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  ŧ: 't',
  ς: 'σ',
  '‘': "'",
  '’': "'",
};
const others = new RegExp(`[${Object.keys(plain).join('')}]`, 'gu');

/** Longer names and addresses are found by their beginning. */
const mostCharacters = 255;

/**
 * Lower case, without accents, one blank in place of white space. The same for what is searched and what it is searched in.
 * `toLowerCase` knows no language: a Turkish I without its point is i, as with it.
 */
export function comparedText(text: string): string {
  const letters = ascii.test(text) ? text.toLowerCase() : plainLetters(text);
  return shortened(letters.trim().replace(/\s+/g, ' '));
}

const plainLetters = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(marks, '')
    .replace(others, (character) => plain[character] ?? character);

const shortened = (text: string): string =>
  text.length <= mostCharacters ? text : [...text].slice(0, mostCharacters).join('');
