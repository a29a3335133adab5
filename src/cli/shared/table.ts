/** Tables that fit the terminal: cells that are too wide go on in the next line, nothing is cut off. */
import { printable } from '../../events/printable.js';
import widthOf from 'string-width';
import wrap from 'wrap-ansi';
import { paintFor } from './colours.js';
import type { CommandLine } from './command-line.js';

interface TableOptions {
  readonly titles: readonly string[];
  /** Undefined: as wide as it gets, for files and pipes. */
  readonly width: number | undefined;
  readonly emphasise: (text: string) => string;
}

interface Columns<Item> {
  readonly titles: readonly string[];
  readonly rowOf: (item: Item) => readonly string[];
}

/** To standard output: a table, or with `--json` one object a line. */
export async function writeItems<Item>(
  { stdout, env, json }: CommandLine,
  items: readonly Item[],
  { titles, rowOf }: Columns<Item>,
): Promise<void> {
  const text = json
    ? items.map((item) => `${JSON.stringify(item)}\n`).join('')
    : table(items.map(rowOf), { titles, width: stdout.columns, emphasise: paintFor(stdout, env).bold });
  await stdout.write(text);
}

const gap = 2;
/** A column is not made narrower than this, whatever the terminal. */
const narrowest = 8;

/** A text, or one of several lines. */
type Cell = string | readonly string[];

export function table(rows: readonly (readonly Cell[])[], { titles, width, emphasise }: TableOptions): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? [cell] : cell).map(printable)));
  const widths = fitting(
    titles.map((title, column) =>
      // Not spread into Math.max: there may be more rows than a call takes arguments.
      cells.reduce(
        (most, row) => (row[column] ?? []).reduce((width, line) => Math.max(width, widthOf(line)), most),
        widthOf(title),
      ),
    ),
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

function linesOf(row: readonly (readonly string[])[], widths: readonly number[]): readonly string[] {
  const wrapped = row.map((cell, column) => {
    const width = widths[column] ?? narrowest;
    // The library composes characters: what fits stays as it was written.
    return cell.flatMap((line) => (widthOf(line) <= width ? [line] : wrap(line, width, { hard: true }).split('\n')));
  });
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
