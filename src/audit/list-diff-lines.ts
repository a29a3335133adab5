/** The difference of a list between two times, in text: the same for the service and the command line. */
import { csvRow } from './csv.js';
import type { UnreadableEvent } from './answers.js';
import type { MemberChange } from './list-answers.js';
import type { ListDiff } from './list-diff.js';

/** The list, who differs, what could not be read, and an end without which the answer is not whole. */
export async function* diffAsLines({ changes, unreadable, seal, ...list }: ListDiff): AsyncGenerator<string> {
  const counts = { joined: 0, left: 0, changed: 0 };
  let head = line({ line: 'list', ...list });
  for await (const some of changes()) {
    yield head + some.map((change) => line({ line: 'change', ...change })).join('');
    head = '';
    for (const { change } of some) counts[change] += 1;
  }
  const { count: missed, events } = unreadable();
  const notes = events.map((event) => line({ line: 'unreadable', ...event })).join('');
  const missing = missed === 0 ? {} : { unreadable: missed };
  yield head + notes + line({ line: 'end', ...counts, seal: await seal(), ...missing });
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

const columns = [
  'contact_id',
  'email',
  'change',
  'status_before',
  'status',
  'tags_before',
  'tags',
  'at',
  'event_id',
  'type',
  'actor',
  'request_id',
  'position',
  'created_at',
  'erased_at',
];

/** A head, a row per change, and a row with another word for each event that could not be read. */
export async function* diffAsCsv({ changes, unreadable }: ListDiff): AsyncGenerator<string> {
  let head = csvRow(columns);
  for await (const some of changes()) {
    yield head + some.map((change) => csvRow(cellsOf(change))).join('');
    head = '';
  }
  const rest = head + unreadable().events.map(unreadableRow).join('');
  if (rest !== '') yield rest;
}

const cellsOf = (change: MemberChange): readonly string[] => [
  change.contact_id,
  change.email ?? '',
  change.change,
  change.status_before ?? '',
  change.status ?? '',
  namesOf(change.tags_before),
  namesOf(change.tags),
  ...causeCells(change.because ?? {}),
  change.created_at ?? '',
  change.erased_at ?? '',
];

/** As a JSON array, for a name may hold any separator. */
const namesOf = (tags: MemberChange['tags']): string => JSON.stringify(tags.map(({ tag_name }) => tag_name));

type Cause = { readonly [Name in keyof NonNullable<MemberChange['because']>]?: string | undefined };

const causeCells = (cause: Cause): readonly string[] => [
  cause.at ?? '',
  cause.event_id ?? '',
  cause.type ?? '',
  cause.actor ?? '',
  cause.request_id ?? '',
  cause.position ?? '',
];

const unreadableRow = ({ contact_id, ...cause }: UnreadableEvent): string =>
  csvRow([contact_id ?? '', '', 'unreadable', '', '', '[]', '[]', ...causeCells(cause), '', '']);
