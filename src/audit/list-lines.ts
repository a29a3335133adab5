/** A list as it was at a time, in text: the same for the service and the command line. */
import { csvRow } from './csv.js';
import type { UnreadableEvent } from './answers.js';
import type { MemberAt } from './list-answers.js';
import type { ListAt } from './list-at.js';

/** The list, its members, what could not be read, and an end without which the answer is not whole. */
export async function* listAsLines({ members, unreadable, seal, ...list }: ListAt): AsyncGenerator<string> {
  let count = 0;
  let head = line({ line: 'list', ...list });
  for await (const some of members()) {
    yield head + some.map((member) => line({ line: 'member', ...member })).join('');
    head = '';
    count += some.length;
  }
  const { count: missed, events } = unreadable();
  const notes = events.map((event) => line({ line: 'unreadable', ...event })).join('');
  const missing = missed === 0 ? {} : { unreadable: missed };
  yield head + notes + line({ line: 'end', members: count, seal: await seal(), ...missing });
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
  'created_at',
  'erased_at',
];

/** A head, a row per member, and a row with another status for each event that could not be read. */
export async function* listAsCsv({ members, unreadable }: ListAt): AsyncGenerator<string> {
  let head = csvRow(columns);
  for await (const some of members()) {
    yield head + some.map((member) => csvRow(cellsOf(member))).join('');
    head = '';
  }
  const rest = head + unreadable().events.map(unreadableRow).join('');
  if (rest !== '') yield rest;
}

/** Tags as a JSON array of names, for a name may hold any separator. */
const cellsOf = ({ tags, because, ...member }: MemberAt): readonly string[] => [
  member.contact_id,
  member.email ?? '',
  member.status,
  JSON.stringify(tags.map(({ tag_name }) => tag_name)),
  because.at,
  because.event_id,
  because.type,
  because.actor,
  because.request_id,
  because.position,
  member.created_at ?? '',
  member.erased_at ?? '',
];

const unreadableRow = ({ contact_id, event_id, type, at, ...event }: UnreadableEvent): string => {
  const cause = [at ?? '', event_id, type, event.actor ?? '', event.request_id ?? '', event.position];
  return csvRow([contact_id ?? '', '', 'unreadable', '[]', ...cause, '', '']);
};
