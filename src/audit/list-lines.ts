/** A list as it was at a time, in text: the same for the service and the command line. */
import { csvRow } from './csv.js';
import type { ListAt, MemberAt } from './list-at.js';

/** The list, its members, and an end without which the answer is not whole. */
export async function* listAsLines({ members, ...list }: ListAt): AsyncGenerator<string> {
  let count = 0;
  let head = line({ line: 'list', ...list });
  for await (const some of members()) {
    yield head + some.map((member) => line({ line: 'member', ...member })).join('');
    head = '';
    count += some.length;
  }
  yield head + line({ line: 'end', members: count });
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

const columns = [
  'contact_id',
  'email',
  'status',
  'tags',
  'since',
  'event_id',
  'type',
  'actor',
  'request_id',
  'position',
];

/** A head, and a row a member. */
export async function* listAsCsv({ members }: ListAt): AsyncGenerator<string> {
  let head = csvRow(columns);
  for await (const some of members()) {
    yield head + some.map((member) => csvRow(cellsOf(member))).join('');
    head = '';
  }
  if (head !== '') yield head;
}

/** Tags as a JSON array of names, for a name may hold any separator. */
const cellsOf = ({ contact_id, email, status, tags, because }: MemberAt): readonly string[] => [
  contact_id,
  email,
  status,
  JSON.stringify(tags.map(({ tag_name }) => tag_name)),
  because.at,
  because.event_id,
  because.type,
  because.actor,
  because.request_id,
  because.position,
];
