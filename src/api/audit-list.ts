/** The route of a list as it was at a time: members line by line, as NDJSON or CSV. */
import type { Router } from 'express';
import type { Audit } from '../audit/audit.js';
import { csvRow } from '../audit/csv.js';
import type { ListAt, MemberAt } from '../audit/list-at.js';
import { ServiceError } from '../errors.js';
import { checkParameters, choice, requiredTime } from './audit-input.js';
import { streamRoute, type StreamedAnswer, type Streams } from './audit-stream.js';
import type { Calls } from './call.js';

export interface ListRoute {
  readonly audit: Audit;
  readonly calls: Calls;
  readonly streams: Streams;
}

/** Each of them reads the whole log. */
const passesAtOnce = 2;

export function listRoute(router: Router, { audit, calls, streams }: ListRoute): void {
  let running = 0;
  const handler = streams({
    route: '/v1/audit/lists/{list_id}/at',
    async open(request, signal): Promise<StreamedAnswer> {
      checkParameters(request, ['time', 'format']);
      const time = requiredTime(request, 'time', 'end');
      const format = choice(request, 'format', { values: ['ndjson', 'csv'], code: 'invalid_list_format' });
      const { list_id: listId } = request.params;
      const list = await audit.listAt({ listId: typeof listId === 'string' ? listId : '', time, signal });
      if (list === undefined) throw new ServiceError('not_found');
      if (running >= passesAtOnce) throw new ServiceError('unavailable', {}, { retryAfter: 5 });
      running += 1;
      const pieces = format === 'csv' ? asCsv(list) : asLines(list);
      const contentType = format === 'csv' ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson';
      return {
        contentType,
        pieces,
        close() {
          running -= 1;
        },
      };
    },
  });
  streamRoute(router, { path: '/lists/:list_id/at', calls, handler });
}

/** The list, its members, and an end without which the answer is not whole. */
async function* asLines({ members, ...list }: ListAt): AsyncGenerator<string> {
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

async function* asCsv({ members }: ListAt): AsyncGenerator<string> {
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
