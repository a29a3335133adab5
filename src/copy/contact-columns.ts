/** Which column of a CSV file is which field of a contact, and a row as a line of a bulk request. */
import { consentFields, profileFields } from '../events/contact.js';
import type { CsvRow } from './csv-file.js';
import { UsageError } from '../failures.js';
import type { ImportLine } from './rows.js';

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

export interface ColumnOptions {
  /** `column=field`; nothing after the equals sign: the column is left out. */
  readonly map: readonly string[];
  /** Of rows that name none. */
  readonly status?: string | undefined;
}

/**
 * The field of each column; empty: left out on request; undefined: left out because no field has this name.
 * @throws UsageError. Names of columns are not shown: where there is no header, these are somebody's data.
 */
export function columnsOf(header: readonly string[], { map, status }: ColumnOptions): readonly (string | undefined)[] {
  const names = header.map(plain);
  const mapped = new Map(map.map((entry) => mapping(entry, names)));
  const fields = names.map((name) => mapped.get(name) ?? fieldNamed(name));
  fields.forEach((field = '', index) => {
    const first = fields.indexOf(field);
    if (field !== '' && first !== index)
      throw new UsageError(`columns ${first + 1} and ${index + 1} are both ${field}`);
  });
  if (!fields.includes('email'))
    throw new UsageError(
      `no column is the address: the first line must name the columns; or say --map '<column>=email', or --delimiter`,
    );
  if (!fields.includes('status') && status === undefined)
    throw new UsageError('no column is the status: say --status Subscribed or --status Unsubscribed for all rows');
  return fields;
}

function mapping(entry: string, names: readonly string[]): readonly [column: string, field: string] {
  const at = entry.lastIndexOf('=');
  const [column, text] = [plain(entry.slice(0, Math.max(at, 0))), entry.slice(at + 1)];
  if (at < 1 || !names.includes(column))
    throw new UsageError(`--map ${entry}: there is no such column; write --map '<column>=<field>'`);
  const field = text === '' ? '' : fieldNamed(text);
  if (field === undefined)
    throw new UsageError(`--map ${entry}: there is no such field. There are: ${columnFields.join(', ')}`);
  return [column, field];
}

/** Returns the text of a cell without the apostrophe with which an export keeps spreadsheets from running the cell. */
const cellText = (cell: string | undefined): string => cell?.trim().replace(/^'(?='*[=+@-])/, '') ?? '';

/** Returns the tags in a cell. A regular expression for blanks around semicolons would take quadratic time for a long run of spaces. */
const tagsIn = (text: string): string[] =>
  text
    .split(';')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

const otherWidth = ({ line, bytes, cells }: CsvRow & { readonly cells: readonly string[] }, width: number) => ({
  line,
  bytes,
  fault: `has ${cells.length} cells, and the first line has ${width}`,
});

/** Empty cells are left out: they change nothing. */
export function contactLine(row: CsvRow, fields: ReturnType<typeof columnsOf>, status: string | undefined): ImportLine {
  if ('fault' in row) return row;
  const { line, bytes, cells } = row;
  if (cells.length !== fields.length) return otherWidth(row, fields.length);
  const contact: Record<string, unknown> = { status };
  const consent: Record<string, string> = {};
  fields.forEach((field = '', index) => {
    const text = cellText(cells[index]);
    if (field === '' || text === '') return;
    if (field === 'tag_name') contact[field] = tagsIn(text);
    else if (field.startsWith('consent.')) consent[field.slice('consent.'.length)] = text;
    else contact[field] = text;
  });
  return { line, bytes, email: contact['email'], json: JSON.stringify({ ...contact, consent }) };
}

/** The line that refuses mail to the address of a row; everything beside the column is left out. @throws UsageError */
export function refusalLines(header: readonly string[], column: string, refusal: object): (row: CsvRow) => ImportLine {
  const at = header.map(plain).indexOf(plain(column));
  if (at < 0) throw new UsageError('--column: the first line of the file names no such column; see also --delimiter');
  return (row) => {
    if ('fault' in row) return row;
    const { line, bytes, cells } = row;
    if (cells.length !== header.length) return otherWidth(row, header.length);
    const email = cellText(cells[at]);
    return { line, bytes, email, json: JSON.stringify({ email, ...refusal }) };
  };
}
