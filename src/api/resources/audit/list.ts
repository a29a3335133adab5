/** The endpoint of a list as it was at a time: members line by line, as NDJSON or CSV. */
import type { Audit } from '../../../audit/audit.js';
import { listAsCsv, listAsLines } from '../../../audit/list-lines.js';
import { createSlots, shortLine } from '../../../flow/slots.js';
import type { AccessLog } from '../../http/access-log.js';
import type { Endpoints } from '../table.js';
import type { Routes } from '../../http/routes.js';

const passesAtOnce = 2;

type ListAt = Endpoints['audit']['listAt'];

interface ListRoute {
  readonly audit: Pick<Audit, 'listAt'>;
  readonly access: AccessLog;
}

export function addListAt(routes: Routes, endpoint: ListAt, { audit, access }: ListRoute): void {
  const passes = createSlots({ running: passesAtOnce, ...shortLine });
  routes.on(endpoint, async (call) => {
    const { time, format } = call.query;
    const signal = call.signal();
    const list = await audit.listAt({ list: call.parameter('list_id'), time, signal });
    const close = await passes.take(signal);
    const isCsv = format === 'csv';
    const read = { subject: list.list_id, what: 'list', to: time } as const;
    const pieces = access.streaming(call, read, isCsv ? listAsCsv(list) : listAsLines(list));
    return { contentType: isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/x-ndjson', pieces, close };
  });
}
