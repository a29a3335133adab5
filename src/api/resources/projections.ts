/** Views: how far each is, and rebuilding views beside the live ones. */
import { z } from 'zod';
import type { AuditReader } from '../../audit/reading.js';
import { hiddenFrom, redacted, type HiddenMembers } from '../../audit/redaction.js';
import { ServiceError } from '../../errors.js';
import { pause } from '../../flow/abort.js';
import type { View } from '../../readmodels/read-models.js';
import { rebuild, viewState } from '../../rebuild/answers.js';
import { isOpen, type RebuildRecord } from '../../rebuild/rebuild-record.js';
import type { Resource } from '../http/endpoint.js';
import { optionalFlag, textInPath } from '../schemas/parameters.js';
import { read, write, type Parts, type Rebuilds, type ViewsState } from './parts.js';

const flagOf = (description: string) =>
  z
    .boolean()
    .meta({ description })
    .nullish()
    .transform((value) => value ?? false);

const endpoints = {
  list: read('listProjections', '/v1/projections', {
    scope: 'projections',
    summary: 'How far each view is',
    answer: { data: z.array(viewState) },
    handle: async (_, { projections, views, rebuilds }) => {
      const last = await rebuilds.status();
      const running = last !== undefined && isOpen(last) ? last : undefined;
      const state = views();
      return { data: projections.map((view) => shown(view, state, running)) };
    },
  }),
  rebuildStatus: read('getRebuild', '/v1/projections/rebuild', {
    scope: 'projections',
    summary: 'The last rebuild, or its progress as server-sent events',
    query: z.object({
      follow: optionalFlag('If `true`, the progress is sent as server-sent events until the rebuild ends.'),
    }),
    answer: { data: rebuild, others: { 'text/event-stream': rebuild } },
    errors: ['not_found'],
    handle: async ({ request, query, scopes, signal }, { events, rebuilds, stopping }) => {
      const record = await rebuilds.status();
      if (record === undefined) throw new ServiceError('not_found');
      const show = (known: RebuildRecord): Promise<object> => withBody(known, { events, hidden: hiddenFrom(scopes) });
      const isFollowed = query.follow ?? request.headers.accept === 'text/event-stream';
      if (!isFollowed) return { data: await show(record) };
      const pieces = pollRebuild({ rebuilds, signal: signal(), stopping, show });
      return { contentType: 'text/event-stream', pieces };
    },
  }),
  rebuild: write('startRebuild', '/v1/projections/{name}/rebuild', {
    scope: 'projections',
    summary: 'Rebuild views from the first event',
    description: '`name` is a view, several with commas, or `all`.',
    body: z.object({
      dry_run: flagOf('Build and compare, but do not switch.'),
      accept_differences: flagOf('Switch although the new views differ: the live ones were damaged.'),
    }),
    answer: { data: rebuild },
    errors: ['unknown_view', 'rebuild_running'],
    handle: async (
      { input: { dry_run: dryRun, accept_differences: acceptDifferences }, parameter },
      { projections, rebuilds },
    ) => {
      const name = parameter('name');
      const known = projections.map((view) => view.name);
      const names = name === 'all' ? known : [...new Set(name.split(','))];
      if (!names.every((one) => known.includes(one)))
        throw new ServiceError('unknown_view', { names: known.join(', ') });
      return { data: await rebuilds.request({ views: names, dryRun, acceptDifferences }) };
    },
  }),
};

export const projectionsResource: Resource<Parts> = {
  name: 'Projections',
  description: 'How far each view is, and rebuilding it.',
  parameters: { name: textInPath('Name of a view.') },
  endpoints,
};

function shown({ name, version }: View, state: ViewsState, running: RebuildRecord | undefined): object {
  const { position, lag, live, missing, parked } = state;
  const isMissing = missing.includes(name) || live[name] === undefined;
  return {
    name,
    version,
    state: isMissing ? 'missing' : 'live',
    storage_version: isMissing ? null : live[name],
    position,
    lag_ms: Math.round(lag),
    parked: parked.filter(({ view }) => view === name).map(({ view: _, storage: __, ...stream }) => stream),
    rebuild_id: running?.views.includes(name) === true ? running.rebuild_id : null,
  };
}

/** Adds the whole event that stopped the rebuild. The event is read from the log for this answer, and stored nowhere else. */
async function withBody(
  record: RebuildRecord,
  { events, hidden }: { readonly events: Pick<AuditReader, 'readAt'>; readonly hidden: HiddenMembers },
): Promise<object> {
  const { poison } = record;
  if (poison === null) return record;
  const event = await events.readAt(poison.position);
  const data = event === undefined ? null : redacted(event.data, hidden);
  return { ...record, poison: { ...poison, data, metadata: event?.metadata ?? null } };
}

interface RebuildFeed {
  readonly rebuilds: Pick<Rebuilds, 'status'>;
  readonly show: (record: RebuildRecord) => Promise<object>;
  readonly signal: AbortSignal;
  readonly stopping: AbortSignal;
}

const lookMs = 250;
/** Something is sent at least this often, so that a dead connection is noticed. */
const heartbeatMs = 15_000;

/** Yields server-sent events: `progress` until the rebuild ends, then `result`. */
async function* pollRebuild({ rebuilds, show, signal, stopping }: RebuildFeed): AsyncGenerator<string> {
  let last = '';
  let silent = 0;
  while (!signal.aborted && !stopping.aborted) {
    const record = await rebuilds.status();
    if (record === undefined) return;
    const isOver = !isOpen(record);
    const data = JSON.stringify(await show(record));
    silent += lookMs;
    if (data !== last) {
      yield `event: ${isOver ? 'result' : 'progress'}\ndata: ${data}\n\n`;
      silent = 0;
    } else if (silent >= heartbeatMs) {
      yield ': still here\n\n';
      silent = 0;
    }
    if (isOver) return;
    last = data;
    await pause(lookMs, signal);
  }
}
