/** The router of the views: how far each is, and rebuilding them beside the live ones. */
import { Router, type Request } from 'express';
import type { AuditReader } from '../audit/reading.js';
import { ServiceError } from '../errors.js';
import { isOpen, type RebuildRecord } from '../projector/rebuild-record.js';
import type { View } from '../readmodels/read-models.js';
import { checkParameters, choice } from './audit-input.js';
import { createStreams, streamRoute, type Streams } from './audit-stream.js';
import type { Body } from './body.js';
import type { Calls, Endpoint } from './call.js';
import { parseNothing } from './input.js';
import type { PassageOptions } from './request-context.js';
import { pollRebuild } from './projections-feed.js';
import { mount } from './routes.js';

/** How far the views are, as far as this process knows. */
export interface ViewsState {
  /** Everything up to here is shown. */
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
  request(request: { readonly views: readonly string[]; readonly dryRun: boolean }): Promise<RebuildRecord>;
  status(): Promise<RebuildRecord | undefined>;
}

export interface ProjectionsRouter extends PassageOptions {
  readonly rebuilds: Rebuilds;
  readonly projections: readonly View[];
  readonly views: () => ViewsState;
  readonly events: Pick<AuditReader, 'readAt'>;
}

const base = '/v1/projections';

export function projectionsRouter(options: ProjectionsRouter, calls: Calls): Router {
  const { rebuilds, projections, views } = options;
  const router = Router();
  const streams = createStreams(options);

  const list: Endpoint<undefined> = {
    route: base,
    parse: parseNothing,
    isOurs: true,
    async handle({ request }) {
      checkParameters(request, []);
      const last = await rebuilds.status();
      const running = last !== undefined && isOpen(last) ? last : undefined;
      const state = views();
      return { data: projections.map((view) => shown(view, state, running)) };
    },
  };

  const rebuild: Endpoint<{ dryRun: boolean }> = {
    route: `${base}/{name}/rebuild`,
    parse: parseDryRun,
    fields: { flat: ['dry_run'], nested: [] },
    isOurs: true,
    async handle({ request, input: { dryRun }, parameter }) {
      checkParameters(request, []);
      const name = parameter('name');
      const known = projections.map((view) => view.name);
      const wanted = name === 'all' ? known : [...new Set(name.split(','))];
      if (!wanted.every((one) => known.includes(one)))
        throw new ServiceError('unknown_view', { names: known.join(', ') });
      return { data: await rebuilds.request({ views: wanted, dryRun }) };
    },
  };

  mount(router, { path: '/', methods: ['get'] }, { calls, endpoint: list });
  progressRoute(router, { options, calls, streams });
  mount(router, { path: '/:name/rebuild', methods: ['post'] }, { calls, endpoint: rebuild });
  return router;
}

function progressRoute(
  router: Router,
  { options, calls, streams }: { options: ProjectionsRouter; calls: Calls; streams: Streams },
): void {
  const { rebuilds, events, isStopping } = options;
  const route = `${base}/rebuild`;
  const known = async (): Promise<object> => {
    const record = await rebuilds.status();
    if (record === undefined) throw new ServiceError('not_found');
    return await withBody(record, events);
  };
  const once: Endpoint<undefined> = {
    route,
    parse: parseNothing,
    isOurs: true,
    async handle({ request }) {
      checkFollow(request);
      return { data: await known() };
    },
  };
  const follow = streams({
    route,
    async open(request, signal) {
      checkFollow(request);
      await known();
      const pieces = pollRebuild({ rebuilds, signal, isStopping, show: (record) => withBody(record, events) });
      return { contentType: 'text/event-stream', pieces };
    },
  });
  const handlers = { once: calls.run(once), follow };
  streamRoute(router, {
    path: '/rebuild',
    calls,
    handler: (request, response) => {
      handlers[isFollowed(request) ? 'follow' : 'once'](request, response);
    },
  });
}

function checkFollow(request: Request): void {
  checkParameters(request, ['follow']);
  choice(request, 'follow', { values: ['false', 'true'], code: 'invalid_follow' });
}

const isFollowed = ({ query, headers }: Request): boolean =>
  query['follow'] === 'true' || (query['follow'] === undefined && headers.accept === 'text/event-stream');

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

/** The event that stopped it in full: it is read from the log for who asks, and kept nowhere else. */
async function withBody(record: RebuildRecord, events: Pick<AuditReader, 'readAt'>): Promise<object> {
  const { poison } = record;
  if (poison === null) return record;
  const event = await events.readAt(poison.position);
  return { ...record, poison: { ...poison, data: event?.data ?? null, metadata: event?.metadata ?? null } };
}

/** A misspelt `dry_run` must not do the real thing. */
function parseDryRun(body: Body): { dryRun: boolean } {
  for (const name of Object.keys(body))
    if (name !== 'dry_run') throw new ServiceError('unknown_field', { field: /^\w{1,64}$/.test(name) ? name : 'this' });
  const value = body['dry_run'] ?? false;
  if (typeof value !== 'boolean') throw new ServiceError('not_a_boolean', { field: 'dry_run' });
  return { dryRun: value };
}
