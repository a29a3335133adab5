/** Which column of a CSV file is which field of a contact, and a row as a line of a bulk request. */
import { consentFields, profileFields } from '../events/contact.js';
import { UsageError } from '../failures.js';
import { cellsOf, type CsvRow } from './csv-reader.js';
import { createInstants, readTime, type TimeZone } from './local-time.js';
import type { ImportLine, LineToSend } from './rows.js';

/** All that a column can be. */
const columnFields = [
  'email',
  'status',
  ...profileFields,
  'tag_name',
  ...consentFields.map((field) => `consent.${field}`),
];

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s._-]/g, '');

const fieldNamed = (name: string): string | undefined => columnFields.find((field) => plain(field) === plain(name));

/** Names in exports of contacts by this service and by Mailchimp. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['tags', 'tag_name'],
  ['emailaddress', 'email'],
  ['phonenumber', 'phone'],
]);

export interface ColumnOptions {
  /** `column=field`. With nothing after the equals sign the column is left out. */
  readonly map: readonly string[];
  /** The status of rows without a status. */
  readonly status?: string | undefined;
}

type Cells = Extract<CsvRow, { readonly cells: unknown }>;

/**
 * Returns the field of each column: empty if the column is left out on request, undefined if no field has its name.
 * @throws UsageError. The message has no names of columns, because without a header these are personal data.
 */
export function columnsOf({ line, cells }: Cells, { map, status }: ColumnOptions): readonly (string | undefined)[] {
  const names = cells.map(plain);
  const mapped = new Map(map.map((entry) => mapping(entry, names)));
  const exact = names.map((name) => mapped.get(name) ?? fieldNamed(name));
  const fields = exact.map((field, index) => {
    if (field !== undefined) return field;
    const other = otherNames.get(names[index] ?? '');
    return other !== undefined && exact.includes(other) ? undefined : other;
  });
  fields.forEach((field = '', index) => {
    const first = fields.indexOf(field);
    if (field !== '' && first !== index)
      throw new UsageError(`line ${line}: columns ${first + 1} and ${index + 1} are both ${field}`);
  });
  if (!fields.includes('email'))
    throw new UsageError(
      `line ${line}: no column has the address. The first line must have the names of the columns. Name a column email, or use --map '<column>=email'. If the cells are separated by another sign, use --delimiter`,
    );
  if (!fields.includes('status') && status === undefined)
    throw new UsageError(
      `line ${line}: no column has the status. Use --status Subscribed or --status Unsubscribed for all rows`,
    );
  return fields;
}

function mapping(entry: string, names: readonly string[]): readonly [column: string, field: string] {
  const at = entry.lastIndexOf('=');
  const [column, text] = [plain(entry.slice(0, Math.max(at, 0))), entry.slice(at + 1)];
  if (at < 1 || !names.includes(column))
    throw new UsageError(
      `--map ${entry}: the file has no such column. Write --map '<column>=<field>'. If the cells are separated by another sign, use --delimiter`,
    );
  const field = text === '' ? '' : (fieldNamed(text) ?? otherNames.get(plain(text)));
  if (field === undefined)
    throw new UsageError(`--map ${entry}: there is no such field. There are: ${columnFields.join(', ')}`);
  return [column, field];
}

/** Returns the text of a cell without the apostrophe with which an export keeps spreadsheets from running the cell. */
const cellText = (cell: string | undefined): string => cell?.trim().replace(/^'(?='*[=+@-])/, '') ?? '';

type Value = string | readonly string[];

/** The reason why a cell has no value for its field. The message follows the name of the field. */
class CellError extends Error {
  override readonly name = 'CellError';
}

/**
 * Returns the tags in a cell: a JSON array of names, as this service exports them, quoted names with commas or semicolons
 * between them, as Mailchimp exports them, or names with semicolons between them.
 * @throws CellError
 */
function tagsIn(text: string): readonly string[] {
  // A regular expression for blanks around semicolons would take quadratic time for a long run of spaces.
  const names = text.startsWith('"') ? cellsOf(text) : isBracketed(text) ? namesInJson(text) : text.split(';');
  if (names === undefined)
    throw new CellError(
      text.startsWith('"')
        ? 'begins with a quote, but is not a list of quoted names such as "VIP","Customer"'
        : 'is in brackets, but is not a JSON array of names such as ["VIP","Customer"]',
    );
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

const isBracketed = (text: string): boolean => text.startsWith('[') && text.endsWith(']');

function namesInJson(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

interface LineOptions extends Pick<ColumnOptions, 'status'> {
  /** The zone of times without a zone. */
  readonly timeZone?: TimeZone | undefined;
  /** Leaves out optional fields that cannot be read, instead of refusing their rows. */
  readonly isLenient?: boolean;
}

/**
 * Returns what makes the line of a row. Empty cells are left out, because they change nothing. What the function returns
 * throws a UsageError for a time without a zone if there is no zone for it.
 */
export function contactLines(
  fields: ReturnType<typeof columnsOf>,
  { status, timeZone, isLenient = false }: LineOptions,
): (row: CsvRow) => ImportLine {
  const instantsOf = timeZone === undefined ? undefined : createInstants(timeZone);

  /** @throws CellError, UsageError */
  function momentIn(text: string, line: number): string {
    const time = readTime(text);
    if ('zoned' in time) return time.zoned;
    if (instantsOf === undefined)
      throw new UsageError(
        `line ${line}: consent.occurred_at is a time without a zone. Use --time-zone to name the zone, such as UTC, Europe/Berlin or +02:00`,
      );
    const [instant, other] = instantsOf(time.local);
    if (instant === undefined)
      throw new CellError(
        `does not exist in the time zone ${timeZone?.name}, where clocks were put forward over this time`,
      );
    if (other !== undefined)
      throw new CellError(
        `happened twice in the time zone ${timeZone?.name}, where clocks were put back. Add its offset, such as +02:00`,
      );
    return new Date(instant).toISOString();
  }

  function valueOf(field: string, text: string, line: number): Value {
    if (field === 'tag_name') return tagsIn(text);
    return field === 'consent.occurred_at' ? momentIn(text, line) : text;
  }

  /** Adds the value, or returns the reason if the value is not valid. */
  function addValue(values: Map<string, Value>, field: string, { text, line }: CellText): string | undefined {
    try {
      values.set(field, valueOf(field, text, line));
      return undefined;
    } catch (error) {
      if (error instanceof CellError) return `${field} ${error.message}`;
      throw error;
    }
  }

  return (row) => {
    if ('fault' in row) return row;
    const { line, bytes, cells } = row;
    if (cells.length !== fields.length) return otherWidth(row, fields.length);
    const values = new Map<string, Value>(status === undefined ? [] : [['status', status]]);
    const leftOut: string[] = [];
    for (const [index, field = ''] of fields.entries()) {
      const text = cellText(cells[index]);
      if (field === '' || text === '') continue;
      const fault = addValue(values, field, { text, line });
      if (fault === undefined) continue;
      if (!isLenient) return { line, bytes, fault };
      leftOut.push(omission(field, fault));
    }
    return { line, bytes, ...sent(values), leftOut };
  };
}

interface CellText {
  readonly text: string;
  readonly line: number;
}

const omission = (field: string, reason: string): string => `${field} (${reason})`;

function sent(values: ReadonlyMap<string, Value>): Pick<LineToSend, 'email' | 'json' | 'without'> {
  const contact: Record<string, Value> = {};
  const consent: Record<string, Value> = {};
  for (const [field, value] of values)
    if (field.startsWith('consent.')) consent[field.slice('consent.'.length)] = value;
    else contact[field] = value;
  return {
    email: contact['email'],
    json: JSON.stringify({ ...contact, consent }),
    without(reason) {
      // Messages about a field begin with its name.
      const [field = ''] = reason.split(' ', 1);
      if (field === 'email' || field === 'status' || !values.has(field)) return undefined;
      const others = new Map([...values].filter(([name]) => name !== field));
      return { ...sent(others), leftOut: omission(field, reason) };
    },
  };
}

const otherWidth = ({ line, bytes, cells }: Cells, width: number) => ({
  line,
  bytes,
  fault: `has ${cells.length} cells, and the first line has ${width}`,
});

/** Returns what makes the line that refuses mail to the address of a row. Other columns are left out. @throws UsageError */
export function refusalLines(
  { line, cells: header }: Cells,
  column: string,
  refusal: object,
): (row: CsvRow) => ImportLine {
  const at = header.map(plain).indexOf(plain(column));
  if (at < 0)
    throw new UsageError(
      `--column: line ${line}, the first line of the file, has no such column. If the cells are separated by another sign, use --delimiter`,
    );
  return (row) => {
    if ('fault' in row) return row;
    const { line, bytes, cells } = row;
    if (cells.length !== header.length) return otherWidth(row, header.length);
    const email = cellText(cells[at]);
    return { line, bytes, email, json: JSON.stringify({ email, ...refusal }), leftOut: [] };
  };
}
