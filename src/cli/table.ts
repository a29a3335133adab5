/** Tables that fit the terminal: cells that are too wide go on in the next line, nothing is cut off. */

interface TableOptions {
  readonly titles: readonly string[];
  /** Undefined: as wide as it gets, for files and pipes. */
  readonly width: number | undefined;
  readonly emphasise: (text: string) => string;
}

const gap = 2;
/** A column is not made narrower than this, whatever the terminal. */
const narrowest = 8;

export function table(rows: readonly (readonly string[])[], { titles, width, emphasise }: TableOptions): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = fitting(
    titles.map((title, column) => Math.max(...[title, ...cells.map((row) => row[column] ?? '')].map(widthOf))),
    width,
  );
  const head = lineOf(titles, widths);
  return [emphasise(head), ...cells.flatMap((row) => linesOf(row, widths))].map((line) => `${line}\n`).join('');
}

/** The widest column shrinks first; the first one, which says what the row is about, stays whole. */
function fitting(natural: readonly number[], width: number | undefined): readonly number[] {
  const widths = [...natural];
  const most = width === undefined ? Infinity : width - gap * (widths.length - 1);
  for (let excess = sum(widths) - most; excess > 0; excess -= 1) {
    const widest = Math.max(...widths.slice(1));
    if (widest <= narrowest) return widths;
    widths[widths.indexOf(widest, 1)] = widest - 1;
  }
  return widths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function linesOf(row: readonly string[], widths: readonly number[]): readonly string[] {
  const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? narrowest));
  const height = Math.max(...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) =>
    lineOf(
      wrapped.map((lines) => lines[index] ?? ''),
      widths,
    ),
  );
}

const lineOf = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
    .join(' '.repeat(gap))
    .trimEnd();

/** At spaces where there are some, else anywhere. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function pieces(word: string, width: number): readonly string[] {
  if (widthOf(word) <= width) return [word];
  const found: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && widthOf(piece + character) > width) {
      found.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...found, piece];
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const without = /[\p{Mn}\p{Me}\u200b-\u200d\ufe0f]/u;

export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) if (!without.test(character)) columns += wide.test(character) ? 2 : 1;
  return columns;
}

/** What would move the cursor or turn the writing round is shown as its code: names come from anybody. */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
