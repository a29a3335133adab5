/** The endpoint of the event feed: pages of JSON, lines of NDJSON, or server-sent events as they come. */
import type { Request } from 'express';
import type { z } from 'zod';
import type { FeedEvent } from '../../../audit/answers.js';
import type { Audit } from '../../../audit/audit.js';
import { cursorOf, type Feed, type FeedRequest } from '../../../audit/feed.js';
import { hiddenFrom } from '../../../audit/redaction.js';
import { ServiceError } from '../../../errors.js';
import { wholeLog } from '../../../events/access.js';
import { personOf } from '../../../events/streams.js';
import { createSlots } from '../../../flow/slots.js';
import { createAccessLog, type AccessLog } from '../../http/access-log.js';
import type { Call } from '../../http/endpoint-runner.js';
import type { Routes } from '../../http/routes.js';
import { defaultLimit } from '../../schemas/parameters.js';
import { auditEndpoints } from './endpoints.js';
import type { FindContact } from './find-contact.js';

const mostFollowers = 100;
const followersOfKey = 25;
/** Something is sent at least this often, so that a dead connection is noticed. */
const heartbeatMs = 15_000;
/** Reading the record of reads is not recorded. */
const unrecorded = createAccessLog(undefined);

type EventsQuery = z.output<typeof auditEndpoints.events.query>;

interface FeedRoute {
  readonly audit: Pick<Audit, 'begin' | 'feed' | 'size'>;
  readonly find: FindContact;
  readonly access: AccessLog;
  readonly stopping: AbortSignal;
}

export function addFeed(routes: Routes, options: FeedRoute): void {
  const { audit, find, access: accessLog, stopping } = options;
  const { feed } = audit;
  const followers = createSlots('feeds', { running: mostFollowers, runningOfKey: followersOfKey, retryAfter: 60 });
  routes.on(auditEndpoints.events, async (call) => {
    const { request, query, scopes, signal } = call;
    const isFollowed = query.follow;
    const access = query.types.join() === 'RecordRead' ? unrecorded : accessLog;
    if (isFollowed) checkFollowed(query);
    const { filter, read } = await filterOf(call, { audit, find });
    const feedRequest = {
      filter,
      after: await afterOf(request, query, feed),
      types: new Set(query.types),
      hidden: hiddenFrom(scopes),
      signal: signal(),
    };
    if (isFollowed) {
      const close = await followers.take(feedRequest.signal);
      const pieces = access.streaming(call, read, serverSent(feed, feedRequest, stopping));
      return { contentType: 'text/event-stream', pieces, close };
    }
    if (query.format === 'ndjson') {
      const lines = asLines(feed.all(feedRequest), query.limit ?? Infinity);
      return { contentType: 'application/x-ndjson', pieces: access.streaming(call, read, lines) };
    }
    const { events, next, hasMore, searched } = await feed.page({ ...feedRequest, limit: query.limit ?? defaultLimit });
    const [next_after, total] = await Promise.all([feed.cursor(next), audit.size()]);
    // A poll without new events is not recorded.
    if (events.length > 0) await access.note(call, read);
    return { data: events, beside: { next_after, has_more: hasMore, searched, total } };
  });
}

/** Only these parameters may stand beside `follow`. @throws ServiceError `not_with_follow` */
function checkFollowed(query: EventsQuery): void {
  const field = Object.keys(query).find((name) => !['after', 'types', 'follow'].includes(name));
  if (field !== undefined) throw new ServiceError('not_with_follow', { field });
}

type FeedCall = Pick<Call, 'minPosition'> & { readonly query: EventsQuery };

/** The filter of the feed, and the read that is recorded. */
async function filterOf(call: FeedCall, { audit, find }: Pick<FeedRoute, 'audit' | 'find'>) {
  const { actor, request_id: requestId, contact, stream, list_id: list, from, to } = call.query;
  const found = contact === undefined ? undefined : (await find(call, contact)).stream;
  const streams = [found, stream].filter((name) => name !== undefined);
  const listId = list === undefined ? undefined : (await audit.begin({ times: [], list })).listId;
  const subject = streams.map(personOf).find((person) => person !== undefined) ?? listId ?? wholeLog;
  return {
    filter: { actor, requestId, from, to, streams, listId },
    read: { subject, what: 'feed', from, to } as const,
  };
}

/** A client that reconnects sends `Last-Event-ID`, which comes before `after`. */
async function afterOf({ headers }: Request, query: EventsQuery, feed: Feed): Promise<string> {
  const last = headers['last-event-id'];
  const after = query.follow && typeof last === 'string' && last !== '' ? last : query.after;
  if (after === undefined) return '';
  if (after === 'now') return await feed.head();
  const position = await feed.position(after);
  if (position === undefined) throw new ServiceError('invalid_after');
  if (position === 'gone') {
    throw new ServiceError('event_gone', {}, { data: { head: await feed.cursor(await feed.head()) } });
  }
  return position;
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
 * Every event with its position as id, so that a client that comes back misses none. The subscription starts again
 * now and then: what it says when it has caught up is the heartbeat, with an id of its own for what was filtered out.
 */
async function* serverSent(feed: Feed, from: FeedRequest, stopping: AbortSignal): AsyncGenerator<string> {
  let after = from.after;
  // Sends the head of the answer at once, also where there is no event yet.
  yield ': following\n\n';
  while (!from.signal.aborted && !stopping.aborted) {
    const turn = turnOf(from.signal, stopping);
    try {
      for await (const message of feed.follow({ ...from, after, signal: turn.signal })) {
        if (message.type === 'events') {
          after = message.events.at(-1)?.position ?? after;
          yield message.events.map(serverSentEvent).join('');
        } else {
          after = message.position;
          yield `id: ${await feed.cursor(after)}\n\n`;
        }
      }
    } finally {
      turn.close();
    }
  }
}

const serverSentEvent = (event: FeedEvent): string =>
  `id: ${cursorOf(event.position, event.event_id)}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function turnOf(gone: AbortSignal, stopping: AbortSignal): { readonly signal: AbortSignal; close(): void } {
  const turn = new AbortController();
  const end = (): void => turn.abort();
  const timer = setTimeout(end, heartbeatMs);
  gone.addEventListener('abort', end, { once: true });
  stopping.addEventListener('abort', end, { once: true });
  return {
    signal: turn.signal,
    close() {
      clearTimeout(timer);
      gone.removeEventListener('abort', end);
      stopping.removeEventListener('abort', end);
    },
  };
}
