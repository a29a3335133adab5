/** What the endpoints of the views do: how far each is, and rebuilding them beside the live ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditReader } from '../../../audit/reading.js';
import { hiddenFrom, redacted, type HiddenMembers } from '../../../audit/redaction.js';
import { ServiceError } from '../../../errors.js';
import type { View } from '../../../readmodels/read-models.js';
import type { RebuildRequest } from '../../../rebuild/answers.js';
import { isOpen, type RebuildRecord } from '../../../rebuild/rebuild-record.js';
import type { Routes } from '../../http/routes.js';
import { projectionsEndpoints } from './endpoints.js';

export interface ViewsState {
  readonly position: string;
  /** Milliseconds. */
  readonly lag: number;
  /** Storage version by view; a view that cannot be read is not in it. */
  readonly live: Readonly<Record<string, number>>;
  readonly missing: readonly string[];
  readonly parked: readonly {
    readonly storage?: number;
    readonly view: string;
    readonly stream: string;
    readonly position: string;
    readonly reason: string;
  }[];
}

export interface Rebuilds {
  /** @throws ServiceError `rebuild_running` */
  request(request: RebuildRequest): Promise<RebuildRecord>;
  status(): Promise<RebuildRecord | undefined>;
}

export interface ProjectionsParts {
  readonly rebuilds: Rebuilds;
  readonly projections: readonly View[];
  readonly views: () => ViewsState;
  readonly events: Pick<AuditReader, 'readAt'>;
  readonly stopping: AbortSignal;
}

export function projectionsRoutes(routes: Routes, options: ProjectionsParts): void {
  const { rebuilds, projections, views, events, stopping } = options;

  routes.on(projectionsEndpoints.list, async () => {
    const last = await rebuilds.status();
    const running = last !== undefined && isOpen(last) ? last : undefined;
    const state = views();
    return { data: projections.map((view) => shown(view, state, running)) };
  });

  routes.on(projectionsEndpoints.rebuildStatus, async ({ request, query, scopes, signal }) => {
    const record = await rebuilds.status();
    if (record === undefined) throw new ServiceError('not_found');
    const show = (known: RebuildRecord): Promise<object> => withBody(known, { events, hidden: hiddenFrom(scopes) });
    const isFollowed = query.follow ?? request.headers.accept === 'text/event-stream';
    if (!isFollowed) return { data: await show(record) };
    const pieces = pollRebuild({ rebuilds, signal: signal(), stopping, show });
    return { contentType: 'text/event-stream', pieces };
  });

  routes.on(
    projectionsEndpoints.rebuild,
    async ({ input: { dry_run: dryRun, accept_differences: acceptDifferences }, parameter }) => {
      const name = parameter('name');
      const known = projections.map((view) => view.name);
      const names = name === 'all' ? known : [...new Set(name.split(','))];
      if (!names.every((one) => known.includes(one)))
        throw new ServiceError('unknown_view', { names: known.join(', ') });
      return { data: await rebuilds.request({ views: names, dryRun, acceptDifferences }) };
    },
  );
}

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

/** Adds the whole event that stopped the rebuild: it is read from the log for this answer, and kept nowhere else. */
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

/** Server-sent events: `progress` until it is over, then `result`, and the stream ends. */
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
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}
