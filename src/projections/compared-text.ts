/** The form in which names and addresses are searched: without what people leave out or confuse when they type them. */

const ascii = /^[\x20-\x7e]*$/;
/** Accents, joiners, and points that names are also written without. Not the marks that make another Japanese syllable: ガ is not カ. */
const marks = /(?![\u3099\u309a])\p{Script=Inherited}|(?=\p{M})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]/gu;

/** Letters that Unicode does not take apart, and quotation marks that are typed as an apostrophe. */
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
