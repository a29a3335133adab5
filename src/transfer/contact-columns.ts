/** Which column of a CSV file is which field of a contact, and a row as a line of a bulk request. */
import { profileFields } from '../events/contact.js';
import type { CsvRow } from './csv-file.js';
import { UsageError } from './failures.js';

const consentFields = ['source', 'statement', 'ip', 'legal_basis', 'occurred_at'].map((field) => `consent.${field}`);
/** All that a column can be. */
export const columnFields = ['email', 'status', ...profileFields, 'tag_name', ...consentFields];

/** Other names of columns, as `plain` has them. */
const synonyms: Readonly<Record<string, string>> = {
  emailaddress: 'email',
  mail: 'email',
  contactemail: 'email',
  subscriptionstatus: 'status',
  givenname: 'firstName',
  forename: 'firstName',
  surname: 'lastName',
  familyname: 'lastName',
  phonenumber: 'phone',
  telephone: 'phone',
  mobile: 'phone',
  birthday: 'dateOfBirth',
  birthdate: 'dateOfBirth',
  dob: 'dateOfBirth',
  street: 'address',
  streetaddress: 'address',
  town: 'city',
  province: 'state',
  region: 'state',
  zip: 'zipcode',
  postcode: 'zipcode',
  postalcode: 'zipcode',
  tag: 'tag_name',
  tags: 'tag_name',
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

const fieldNamed = (name: string): string | undefined =>
  columnFields.find((field) => plain(field) === plain(name)) ?? synonyms[plain(name)];

export interface ColumnOptions {
  /** `column=field`; nothing after the equals sign: the column is left out. */
  readonly map: readonly string[];
  /** Of rows that name none. */
  readonly status?: string | undefined;
}

export interface Columns {
  /** The field of each column; undefined: left out. */
  readonly fields: readonly (string | undefined)[];
  /** Numbers, from 1, of the columns with a name that are left out without being told so. */
  readonly unknown: readonly number[];
}

/** @throws UsageError. Names of columns are not shown: where there is no header, these are somebody's data. */
export function columnsOf(header: readonly string[], { map, status }: ColumnOptions): Columns {
  const names = header.map((name) => name.trim().toLowerCase());
  names.forEach((name, index) => {
    const first = names.indexOf(name);
    if (name !== '' && first !== index)
      throw new UsageError(`columns ${first + 1} and ${index + 1} have the same name: give each a name of its own`);
  });
  const told = new Map(map.map((entry) => mapping(entry, names)));
  const fields = header.map((name, index) => (told.has(index) ? told.get(index) : fieldNamed(name)));
  fields.forEach((field, index) => {
    const first = fields.indexOf(field);
    if (field !== undefined && first !== index)
      throw new UsageError(
        `columns ${first + 1} and ${index + 1} are both ${field}: say which is not, with --map '<column>='`,
      );
  });
  if (!fields.includes('email'))
    throw new UsageError(
      `no column is the address: the first line must name the columns; or say --map '<column>=email'`,
    );
  if (!fields.includes('status') && status === undefined)
    throw new UsageError('no column is the status: say --status Subscribed or --status Unsubscribed for all rows');
  const isUnknown = (index: number): boolean => names[index] !== '' && fields[index] === undefined && !told.has(index);
  return { fields, unknown: [...names.keys()].filter(isUnknown).map((index) => index + 1) };
}

function mapping(entry: string, names: readonly string[]): [column: number, field: string | undefined] {
  const at = entry.lastIndexOf('=');
  const [column, field] = [entry.slice(0, Math.max(at, 0)), entry.slice(at + 1)];
  const index = names.indexOf(column.trim().toLowerCase());
  if (at < 1 || index < 0)
    throw new UsageError(`--map ${entry}: there is no such column; write --map '<column>=<field>'`);
  const known = fieldNamed(field);
  if (known === undefined && field !== '')
    throw new UsageError(`--map ${entry}: there is no such field. There are: ${columnFields.join(', ')}`);
  return [index, known];
}

export type ContactLine = { readonly line: number } & (
  { readonly json: string; readonly isSubscribing: boolean } | { readonly fault: string }
);

/** Bytes, as of a single upsert. */
const longestLine = 256 * 1024;

/** Empty cells are left out: they change nothing. */
export function contactLine(row: CsvRow, { fields }: Columns, { status }: ColumnOptions): ContactLine {
  if ('fault' in row) return row;
  const { line, cells } = row;
  const surplus = cells.slice(fields.length);
  if (cells.length < fields.length || surplus.some((cell) => cell.trim() !== ''))
    return { line, fault: `has ${cells.length} cells, and the first line has ${fields.length}` };
  const contact: Record<string, unknown> = status === undefined ? {} : { status };
  const consent: Record<string, string> = {};
  fields.forEach((field, index) => {
    const text = cells[index]?.trim() ?? '';
    if (field === undefined || text === '') return;
    if (field === 'tag_name') contact[field] = tagsIn(text);
    else if (field.startsWith('consent.')) consent[field.slice('consent.'.length)] = text;
    else contact[field] = text;
  });
  const json = JSON.stringify(Object.keys(consent).length === 0 ? contact : { ...contact, consent });
  if (Buffer.byteLength(json) > longestLine) return { line, fault: `is longer than ${longestLine} bytes` };
  return { line, json, isSubscribing: String(contact['status']).toLowerCase() === 'subscribed' };
}

const tagsIn = (text: string): readonly string[] =>
  text
    .split(';')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
