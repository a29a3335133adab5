/**
 * Reads CSV row by row, each row with the line on which it begins. It imports nothing and uses no global of Node, so that a
 * browser can run it as well. What cannot be read for certain is reported and never guessed.
 *
 * ```ts
 * for await (const row of readCsv(createReadStream('people.csv'), { encoding: 'utf-8' }))
 *   console.log(row.line, 'cells' in row ? row.cells : row.fault);
 * ```
 */

export const encodings = ['utf-8', 'latin1'] as const;
export const delimiters = [',', ';', 'tab', '|'] as const;
type Delimiter = (typeof delimiters)[number];
const signs = { ',': ',', ';': ';', tab: '\t', '|': '|' } as const;

export interface CsvFormat {
  /** A file in UTF-16 is recognized whatever the encoding is. */
  readonly encoding: (typeof encodings)[number];
  /** Default: the sign in a first line `sep=;`, or the sign that the first row has most often. */
  readonly delimiter?: Delimiter | undefined;
}

/** A row, or why it cannot be read. `bytes` is about where the row ends in the file. */
export type CsvRow = { readonly line: number; readonly bytes: number } & (
  { readonly cells: readonly string[] } | { readonly fault: string }
);

/** The problem with the whole file. `encoding` and `delimiter` mean that another option may help. */
type CsvProblem = 'format' | 'encoding' | 'delimiter' | 'damage';

/** No row of the file can be trusted. The message has no personal data. */
export class UnreadableCsvError extends Error {
  override readonly name = 'UnreadableCsvError';
  readonly problem: CsvProblem;

  constructor(problem: CsvProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The most characters of one row. As JSON, which may take six times as much, a row still fits into a bulk request. */
export const longestRow = 1.5 * 1024 * 1024;
const longestInWords = '1.5 MiB';

/** Number of bytes that are read before the format is chosen. */
const headBytes = 64 * 1024;

/**
 * Yields the rows, without blank ones. The first row is that of the names of the columns.
 * @throws UnreadableCsvError if the file is not CSV, has another encoding, ends within a quote or has a row that is too long
 * @throws what `pieces` throws
 */
export async function* readCsv(pieces: AsyncIterable<Uint8Array>, format: CsvFormat): AsyncGenerator<CsvRow, void> {
  let bytes = 0;
  let parser: RowParser | undefined;
  for await (const text of textIn(pieces, format.encoding, (read) => (bytes = read))) {
    parser ??= createRowParser(beginningOf(text, format.delimiter));
    for (const row of parser.take(text)) yield { bytes, ...row };
  }
  for (const row of parser?.end() ?? []) yield { bytes, ...row };
}

/** Yields the text with `\n` as the only line break. The first piece has the first row, unless that is very long. */
async function* textIn(
  pieces: AsyncIterable<Uint8Array>,
  encoding: CsvFormat['encoding'],
  onRead: (bytes: number) => void,
): AsyncGenerator<string> {
  let decoder: CheckedDecoder | undefined;
  let bytes = 0;
  for await (const piece of withLongHead(pieces)) {
    bytes += piece.length;
    onRead(bytes);
    decoder ??= createDecoder(piece, encoding);
    yield decoder.decode(piece);
  }
  if (decoder !== undefined) yield decoder.end();
}

/** Yields the same bytes. The first piece has at least 64 KiB unless there are fewer. */
async function* withLongHead(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array[] | undefined = [];
  let length = 0;
  for await (const piece of pieces) {
    if (head === undefined) {
      yield piece;
      continue;
    }
    head.push(piece);
    length += piece.length;
    if (length < headBytes) continue;
    yield joined(head, length);
    head = undefined;
  }
  if (head !== undefined && length > 0) yield joined(head, length);
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

// Files that are not CSV.

/** Kinds of files that people take for CSV, by how they begin. */
const otherKinds: readonly (readonly [beginning: readonly number[], nameIn: (head: Uint8Array) => string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], kindOfZip],
  [[0x50, 0x4b, 0x05, 0x06], () => archive('a ZIP archive')],
  [[0xd0, 0xcf, 0x11, 0xe0], () => workbook('an Excel workbook (XLS, or one with a password)')],
  [[0x1f, 0x8b], () => archive('a gzip archive')],
  [[0x25, 0x50, 0x44, 0x46], () => workbook('a PDF document')],
];

const workbook = (kind: string): string =>
  `This is ${kind}, not CSV. Open it and save it as CSV UTF-8 (comma delimited).`;
const archive = (kind: string): string => `This is ${kind}, not CSV. Unpack it and use the CSV file in it.`;

/** @throws UnreadableCsvError */
function refuseOtherKinds(head: Uint8Array): void {
  for (const [beginning, nameIn] of otherKinds)
    if (beginning.every((byte, at) => head[at] === byte)) throw new UnreadableCsvError('format', nameIn(head));
}

/** Tells the documents that are ZIP archives by the names of their parts. */
function kindOfZip(head: Uint8Array): string {
  const names = namesOfParts(head);
  const has = (...beginnings: readonly string[]): boolean =>
    names.some((name) => beginnings.some((beginning) => name.startsWith(beginning)));
  if (has('mimetypeapplication/vnd.oasis.opendocument')) return workbook('an OpenDocument file (ODS)');
  if (has('Index/', 'Index.zip')) return workbook('an Apple Numbers document');
  const isOffice = has('[Content_Types].xml', '_rels/', 'docProps/');
  if (has('xl/') || (isOffice && !has('word/', 'ppt/'))) return workbook('an Excel workbook (XLSX)');
  return isOffice ? workbook('an Office document') : archive('a ZIP archive');
}

/** Returns how each part begins: its name, then its content. */
function namesOfParts(head: Uint8Array): readonly string[] {
  // Names are ASCII, so any encoding with one byte for each character shows them.
  const text = new TextDecoder('windows-1252').decode(head);
  const names: string[] = [];
  for (let at = 0; at >= 0; at = text.indexOf('PK\u0003\u0004', at + 4)) names.push(text.slice(at + 30, at + 94));
  return names;
}

// Bytes to text.

interface CheckedDecoder {
  /** @throws UnreadableCsvError */
  decode(piece: Uint8Array): string;
  /** @throws UnreadableCsvError */
  end(): string;
}

const encodingNames = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252 (Latin-1)',
} as const;

/** @throws UnreadableCsvError */
function createDecoder(head: Uint8Array, encoding: CsvFormat['encoding']): CheckedDecoder {
  refuseOtherKinds(head);
  const isMarkedUtf8 = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  // Files that are called Latin-1 usually have the characters of Windows-1252 instead of control characters.
  const name = utf16In(head) ?? (encoding === 'latin1' && !isMarkedUtf8 ? 'windows-1252' : 'utf-8');
  const decoder = new TextDecoder(name, { fatal: true });
  // The decoder turns a byte that Windows-1252 does not have into a control character.
  const unread = name === 'windows-1252' ? /[\0\u0080-\u009f]/ : /\0/;
  let line = 1;
  let isAfterReturn = false;

  /** Counts the lines, and makes each line break a line feed. */
  function counted(decoded: string): string {
    const begun = isAfterReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    if (decoded !== '') isAfterReturn = decoded.endsWith('\r');
    const text = begun.replaceAll(/\r\n?/g, '\n');
    const at = text.search(unread);
    if (at >= 0) throw text[at] === '\0' ? nulIn(line + breaksIn(text.slice(0, at))) : notDecoded(text.slice(0, at));
    line += breaksIn(text);
    return text;
  }

  /** `before` is the text before the bytes that cannot be decoded. */
  const notDecoded = (before: string): UnreadableCsvError =>
    new UnreadableCsvError(
      // UTF-16 is recognized whatever the encoding is, so another choice does not help.
      name.startsWith('utf-16') ? 'damage' : 'encoding',
      `line ${line + breaksIn(before)} has bytes that are not ${encodingNames[name]}. Save the file as CSV UTF-8.`,
    );

  return {
    decode(piece) {
      let text: string;
      try {
        text = decoder.decode(piece, { stream: true });
      } catch {
        const decoded = new TextDecoder(name).decode(withoutRest(piece)).replaceAll(/\r\n?/g, '\n');
        throw notDecoded(decoded.slice(0, Math.max(0, decoded.indexOf('\ufffd'))));
      }
      return counted(text);
    },
    end() {
      let text: string;
      try {
        text = decoder.decode();
      } catch {
        throw notDecoded('');
      }
      return counted(text);
    },
  };
}

/** Leaves out the rest of a UTF-8 character that began in the piece before. */
function withoutRest(piece: Uint8Array): Uint8Array {
  const begin = piece.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return piece.subarray(Math.max(0, begin));
}

const nulIn = (line: number): UnreadableCsvError =>
  new UnreadableCsvError(
    'damage',
    `line ${line} has a NUL byte, so the file is damaged or is not CSV. Save it as CSV UTF-8.`,
  );

function breaksIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/**
 * Recognizes UTF-16 by its byte order mark, or because every second byte of ASCII is 0 in it. At least addresses, signs
 * between cells and line breaks are ASCII. A NUL byte here and there is not enough.
 */
function utf16In(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const sample = head.subarray(0, 4096);
  const [even, odd] = [nulsIn(sample, 0), nulsIn(sample, 1)];
  const [fewer, more] = even < odd ? [even, odd] : [odd, even];
  if (more * 10 < sample.length || more <= 4 * fewer) return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/** Counts the NUL bytes at even places (0) or at odd ones (1). */
const nulsIn = (sample: Uint8Array, parity: 0 | 1): number =>
  sample.reduce((count, byte, at) => (byte === 0 && at % 2 === parity ? count + 1 : count), 0);

// The delimiter.

interface Beginning {
  readonly delimiter: string;
  /** Whether the first line is `sep=` and not a row. */
  readonly hasSeparatorLine: boolean;
}

/** @throws UnreadableCsvError */
function beginningOf(head: string, asked: Delimiter | undefined): Beginning {
  const said = /^(["']?)sep=(.)\1[,;\t|]* *(?:\n|$)/i.exec(head)?.[2];
  if (said === undefined)
    return { delimiter: asked === undefined ? mostFrequentSign(head) : signs[asked], hasSeparatorLine: false };
  const named = delimiters.find((name) => signs[name] === said);
  if (named === undefined)
    throw new UnreadableCsvError(
      'format',
      `line 1 names a delimiter that is not supported. Use ${delimiters.join(' or ')}.`,
    );
  if (asked !== undefined && asked !== named)
    throw new UnreadableCsvError('delimiter', `line 1 says that the delimiter is ${named} and not ${asked}.`);
  return { delimiter: said, hasSeparatorLine: true };
}

/** Returns the sign that the first row has most often outside quotes, or a comma. */
function mostFrequentSign(head: string): string {
  const [row = ''] = head
    .slice(0, headBytes)
    .replaceAll(/"[^"]*"?/g, '')
    .trimStart()
    .split('\n', 1);
  let [found, most] = [',', 0];
  for (const name of delimiters) {
    const count = row.split(signs[name]).length - 1;
    if (count > most) [found, most] = [signs[name], count];
  }
  return found;
}

// Text to rows.

type ParsedRow = { readonly line: number } & ({ readonly cells: readonly string[] } | { readonly fault: string });

interface RowParser {
  /** Returns the rows that end in this text. @throws UnreadableCsvError */
  take(text: string): readonly ParsedRow[];
  /** @throws UnreadableCsvError */
  end(): readonly ParsedRow[];
}

/**
 * Where the parser is in a cell: before it, in a plain one, in a quoted one, after a quote in a quoted one, or after the
 * end of a quoted one. White space before and after the quotes is not part of the cell.
 */
type Place = 'before' | 'plain' | 'quoted' | 'quote' | 'after';

const [lineFeed, quoteMark] = [0x0a, 0x22];

const isWhiteSpace = (character: string): boolean => character.trim() === '';

function createRowParser({ delimiter, hasSeparatorLine }: Beginning): RowParser {
  let place: Place = 'before';
  let cells: string[] = [];
  let cell = '';
  let [line, rowLine, quoteLine] = [1, 1, 1];
  /** Characters of the row in earlier texts. */
  let before = 0;
  let hasWrongQuote = false;
  let isSkipping = hasSeparatorLine;
  let rows: ParsedRow[] = [];

  function endCell(): void {
    cells.push(cell);
    cell = '';
    place = 'before';
  }

  function endRow(): void {
    endCell();
    if (isSkipping) isSkipping = false;
    else if (hasWrongQuote)
      rows.push({ line: rowLine, fault: `has a quote that is not closed or not doubled, up to line ${line}` });
    else if (cells.some((text) => text.includes('\ufffd')))
      rows.push({ line: rowLine, fault: 'has the character U+FFFD, which replaces one that was lost in a conversion' });
    else if (!cells.every((text) => text.trim() === '')) rows.push({ line: rowLine, cells });
    cells = [];
    hasWrongQuote = false;
  }

  /** Handles a character with a meaning in CSV. Returns false if the character belongs to the cell. */
  function takeSign(sign: string): boolean {
    if (sign === '"') return takeQuote();
    if (place === 'quoted') {
      if (sign === '\n') line += 1;
      return false;
    }
    if (sign === delimiter) {
      endCell();
      return true;
    }
    endRow();
    line += 1;
    rowLine = line;
    return true;
  }

  function takeQuote(): boolean {
    if (place === 'before') {
      [place, cell, quoteLine] = ['quoted', '', line];
      return true;
    }
    if (place === 'quoted') {
      place = 'quote';
      return true;
    }
    if (place === 'quote') {
      place = 'quoted';
      return false;
    }
    hasWrongQuote = true;
    place = 'plain';
    return true;
  }

  /** Takes text up to the next sign. */
  function takeText(text: string): void {
    const isBlank = place !== 'plain' && place !== 'quoted' && isWhiteSpace(text);
    if (place === 'before' && !isBlank) place = 'plain';
    if (place === 'quote' || place === 'after') {
      if (!isBlank) hasWrongQuote = true;
      place = isBlank ? 'after' : 'plain';
      return;
    }
    cell += text;
  }

  const separator = delimiter.charCodeAt(0);

  /** Returns where the next sign is, or the length of the text. A loop is twice as fast as a regular expression here. */
  function signAfter(text: string, begin: number): number {
    let at = begin;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quoteMark || code === lineFeed || code === separator) break;
    }
    return at;
  }

  function take(text: string): readonly ParsedRow[] {
    rows = [];
    let [rowBegin, at] = [0, 0];
    while (at < text.length) {
      const end = signAfter(text, at);
      if (end > at) takeText(text.slice(at, end));
      if (before + end - rowBegin > longestRow) throw tooLong();
      const [sign, row] = [text.charAt(end), rowLine];
      if (sign !== '' && !takeSign(sign)) cell += sign;
      at = end + 1;
      if (row !== rowLine) [rowBegin, before] = [at, 0];
    }
    before += text.length - rowBegin;
    return rows;
  }

  const tooLong = (): UnreadableCsvError =>
    new UnreadableCsvError(
      'damage',
      place === 'quoted'
        ? `line ${quoteLine} opens a quote that is not closed within ${longestInWords}.`
        : `line ${rowLine} begins a row of more than ${longestInWords}.`,
    );

  return {
    take,
    end() {
      rows = [];
      if (place === 'quoted')
        throw new UnreadableCsvError('damage', `line ${quoteLine} opens a quote that is never closed.`);
      endRow();
      return rows;
    },
  };
}

/** Returns the cells of a text that is one row, and none for blank text. Undefined if the text is not one row. */
export function cellsOf(text: string): readonly string[] | undefined {
  const parser = createRowParser({ delimiter: mostFrequentSign(text), hasSeparatorLine: false });
  try {
    const [row, ...others] = [...parser.take(text), ...parser.end()];
    if (row === undefined) return [];
    return 'cells' in row && others.length === 0 ? row.cells : undefined;
  } catch (error) {
    if (error instanceof UnreadableCsvError) return undefined;
    throw error;
  }
}
