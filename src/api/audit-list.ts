/** The endpoint of a list as it was at a time: members line by line, as NDJSON or CSV. */
import type { Audit } from '../audit/audit.js';
import { listAsCsv, listAsLines } from '../audit/list-lines.js';
import { createSlots } from '../audit/slots.js';
import { ServiceError } from '../errors.js';
import { choice, requiredTime } from './query.js';
import type { Routes } from './routes.js';

const passesAtOnce = 2;

export function addListAt(routes: Routes, audit: Pick<Audit, 'listAt'>): void {
  const passes = createSlots({ running: passesAtOnce, retryAfter: 5 });
  routes.get('/v1/audit/lists/:list_id/at', {
    isBeyondContract: true,
    query: ['time', 'format'],
    async handle({ request, parameter, signal: newSignal }) {
      const time = requiredTime(request, 'time', 'end');
      const format = choice(request, 'format', { values: ['ndjson', 'csv'], code: 'invalid_list_format' });
      const signal = newSignal();
      const list = await audit.listAt({ listId: parameter('list_id'), time, signal });
      if (list === undefined) throw new ServiceError('not_found');
      const close = await passes.take();
      if (format === 'csv')
        return { contentType: 'text/csv; charset=utf-8; header=present', pieces: listAsCsv(list), close };
      return { contentType: 'application/x-ndjson', pieces: listAsLines(list), close };
    },
  });
}
