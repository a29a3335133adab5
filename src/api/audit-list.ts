/** The endpoint of a list as it was at a time: members line by line, as NDJSON or CSV. */
import type { Audit } from '../audit/audit.js';
import { listAsCsv, listAsLines } from '../audit/list-lines.js';
import { createSlots } from '../audit/slots.js';
import type { Endpoints } from './endpoints/endpoints.js';
import type { Routes } from './routes.js';

const passesAtOnce = 2;

type ListAt = Endpoints['audit']['listAt'];

export function addListAt(routes: Routes, endpoint: ListAt, audit: Pick<Audit, 'listAt'>): void {
  const passes = createSlots({ running: passesAtOnce, retryAfter: 5 });
  routes.on(endpoint, async ({ query: { time, format }, parameter, signal }) => {
    const list = await audit.listAt({ list: parameter('list_id'), time, signal: signal() });
    const close = await passes.take();
    if (format === 'csv')
      return { contentType: 'text/csv; charset=utf-8; header=present', pieces: listAsCsv(list), close };
    return { contentType: 'application/x-ndjson', pieces: listAsLines(list), close };
  });
}
