/** The route of the event feed: pages of JSON, lines of NDJSON, or server-sent events as they come. */
import type { Request, Router } from 'express';
import type { Audit } from '../audit/audit.js';
import { isEventType, type Feed, type FeedEvent, type FeedRequest } from '../audit/feed.js';
import { ServiceError } from '../errors.js';
import { audited } from './audit-call.js';
import { checkParameters, choice, optionalText } from './audit-input.js';
import { streamRoute, type StreamedAnswer, type Streams } from './audit-stream.js';
import type { Calls, Endpoint } from './call.js';
import { parseNothing } from './input.js';
import { pageRequest } from './reads.js';

export interface FeedRoute {
  readonly audit: Pick<Audit, 'feed'>;
  readonly calls: Calls;
  readonly streams: Streams;
  /** The service takes no new connections any more. */
  readonly isStopping: () => boolean;
}

const route = '/v1/audit/events';
/** Clients that follow at once. */
const mostFollowers = 100;
/** A follower hears something at least so often, and so finds a dead connection. */
const heartbeatMs = 15_000;
const lookForStopMs = 250;

export function feedRoute(router: Router, { audit: { feed }, calls, streams, isStopping }: FeedRoute): void {
  const page: Endpoint<undefined> = {
    route,
    parse: parseNothing,
    isOurs: true,
    handle: (call) =>
      audited(call, async (signal) => {
        const { request } = call;
        checkParameters(request, ['after', 'types', 'limit', 'format', 'follow']);
        const { limit } = pageRequest(request, []);
        const { events, next, hasMore } = await feed.page({ ...(await wanted(request, feed, signal)), limit });
        return { data: events, beside: { next_after: next, has_more: hasMore } };
      }),
  };

  const lines = streams({
    route,
    async open(request, signal) {
      checkParameters(request, ['after', 'types', 'limit', 'format', 'follow']);
      const limit = request.query['limit'] === undefined ? Infinity : pageRequest(request, []).limit;
      const contentType = 'application/x-ndjson';
      return { contentType, pieces: asLines(feed.all(await wanted(request, feed, signal)), limit) };
    },
  });

  let followers = 0;
  const follow = streams({
    route,
    async open(request, signal): Promise<StreamedAnswer> {
      checkParameters(request, ['after', 'types', 'follow']);
      const from = await wanted(request, feed, signal);
      if (followers >= mostFollowers) throw new ServiceError('unavailable', {}, { retryAfter: 60 });
      followers += 1;
      return {
        contentType: 'text/event-stream',
        pieces: serverSent(feed, from, isStopping),
        close() {
          followers -= 1;
        },
      };
    },
  });

  const paged = calls.run(page);
  const handlers = { json: paged, ndjson: lines, follow };
  streamRoute(router, {
    path: '/events',
    calls,
    handler: (request, response) => {
      handlers[wayOf(request)](request, response);
    },
  });
}

/** What is wrong with these two is answered on the way of pages. */
function wayOf({ query: { format, follow } }: Request): 'json' | 'ndjson' | 'follow' {
  if (follow === 'true') return 'follow';
  return format === 'ndjson' && (follow === undefined || follow === 'false') ? 'ndjson' : 'json';
}

async function wanted(request: Request, feed: Feed, signal: AbortSignal): Promise<FeedRequest> {
  choice(request, 'follow', { values: ['false', 'true'], code: 'invalid_follow' });
  choice(request, 'format', { values: ['json', 'ndjson'], code: 'invalid_feed_format' });
  const types = optionalText(request, 'types')?.split(',') ?? [];
  if (!types.every(isEventType)) throw new ServiceError('invalid_types');
  return { after: await afterOf(request, feed), types: new Set(types), signal };
}

/** A client that lost its connection says where it was. */
async function afterOf(request: Request, feed: Feed): Promise<string> {
  const last = request.headers['last-event-id'];
  const given = optionalText(request, 'after');
  const after = request.query['follow'] === 'true' && typeof last === 'string' && last !== '' ? last : given;
  if (after === undefined) return '';
  if (after === 'now') return await feed.head();
  if (!(await feed.isPosition(after))) throw new ServiceError('invalid_after');
  return after;
}

async function* asLines(batches: AsyncIterable<readonly FeedEvent[]>, limit: number): AsyncGenerator<string> {
  let left = limit;
  for await (const batch of batches) {
    const events = batch.slice(0, left);
    left -= events.length;
    yield events.map((event) => `${JSON.stringify(event)}\n`).join('');
    if (left === 0) return;
  }
}

/**
 * Every event with its position as id, so that a client that comes back misses none. The subscription is taken up anew
 * now and then: what it says when it has caught up is the heartbeat, with an id of its own for what was filtered out.
 */
async function* serverSent(feed: Feed, from: FeedRequest, isStopping: () => boolean): AsyncGenerator<string> {
  let after = from.after;
  // The head goes out at once, however quiet the log is.
  yield ': following\n\n';
  while (!from.signal.aborted && !isStopping()) {
    const turn = turnOf(from.signal, isStopping);
    try {
      for await (const message of feed.follow({ ...from, after, signal: turn.signal })) {
        if (message.type === 'events') {
          after = message.events.at(-1)?.position ?? after;
          yield message.events.map(serverSentEvent).join('');
        } else {
          after = message.position;
          yield `id: ${after}\n\n`;
        }
      }
    } finally {
      turn.close();
    }
  }
}

const serverSentEvent = (event: FeedEvent): string =>
  `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Ends after a while, with the client, and with the service. */
function turnOf(gone: AbortSignal, isStopping: () => boolean): { readonly signal: AbortSignal; close(): void } {
  const turn = new AbortController();
  const end = (): void => turn.abort();
  const timer = setTimeout(end, heartbeatMs);
  const look = setInterval(() => {
    if (isStopping()) end();
  }, lookForStopMs);
  gone.addEventListener('abort', end, { once: true });
  return {
    signal: turn.signal,
    close() {
      clearTimeout(timer);
      clearInterval(look);
      gone.removeEventListener('abort', end);
    },
  };
}
