/** The route of a list as it was at a time: members line by line, as NDJSON or CSV. */
import type { Router } from 'express';
import type { Audit } from '../audit/audit.js';
import { listAsCsv, listAsLines } from '../audit/list-lines.js';
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
      const pieces = format === 'csv' ? listAsCsv(list) : listAsLines(list);
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
