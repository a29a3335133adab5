/** The event feed: pages of JSON, lines of NDJSON, or server-sent events as they come. */
import type { Request } from 'express';
import { z } from 'zod';
import * as answers from '../../audit/answers.js';
import { isEventType, cursorOf, type Feed, type FeedRequest } from '../../audit/feed.js';
import { hiddenFrom } from '../../audit/redaction.js';
import { ServiceError } from '../../errors.js';
import { wholeLog } from '../../events/access.js';
import { personOf } from '../../events/streams.js';
import { createAccessLog } from '../http/access-log.js';
import {
  between,
  choice,
  flag,
  isInOrder,
  optionalLimit,
  optionalText,
  outOfOrder,
  defaultLimit,
} from '../schemas/parameters.js';
import { findContact, listErrors, ofAddress } from './audit-contact.js';
import { readOfLog, type Parts } from './parts.js';

/** Something is sent at least this often, so that a dead connection is noticed. */
const heartbeatMs = 15_000;
/** Reading the record of reads is not recorded. */
const unrecorded = createAccessLog(undefined);

const eventTypes = optionalText('')
  .transform((names) => names?.split(',') ?? [])
  .superRefine((names, { addIssue }) => {
    const wrong = names.find((name) => !isEventType(name))?.slice(0, 64);
    if (wrong !== undefined) addIssue({ code: 'custom', params: { code: 'invalid_types', names: wrong } });
  })
  .meta({
    description: 'Names of events, separated by commas: only these.',
    type: 'string',
    examples: ['ContactSubscribed,ContactUnsubscribed'],
  });

const eventsQuery = z
  .object({
    actor: optionalText('Id of an API key, or the name of one of the configuration: only what was done with it.'),
    request_id: optionalText('Only what this request did.'),
    contact: optionalText('Id or address of a contact: only the events of its stream.'),
    stream: optionalText('Name of a stream: only its events.'),
    list_id: optionalText('Id or name of a list: only events that name it.'),
    ...between,
    format: choice(['json', 'ndjson'], 'A page, or all as lines.').optional(),
    follow: flag(
      'If `true`, events are sent as they happen, as server-sent events. Only `after` and `types` can be used with it.',
      false,
    ),
    after: optionalText('`next_after` of a page, a position of the log, or `now`: only later events.'),
    types: eventTypes,
    limit: optionalLimit,
  })
  .refine(isInOrder, outOfOrder);

type EventsQuery = z.output<typeof eventsQuery>;

export const eventFeed = readOfLog('listEvents', '/v1/audit/events', {
  scope: 'audit:read',
  summary: 'The events of the log, from the first one on',
  query: eventsQuery,
  answer: answers.feed,
  errors: ['invalid_after', 'event_gone', 'not_with_follow', ...ofAddress, 'no_such_contact', ...listErrors],
  handle: async (call, parts) => {
    const { audit, stopping, bounds } = parts;
    const { request, query, scopes, signal } = call;
    const isFollowed = query.follow;
    const access = query.types.join() === 'RecordRead' ? unrecorded : parts.access;
    if (isFollowed) checkFollowed(query);
    const { filter, read } = await filterOf(query, parts);
    const feedRequest = {
      filter,
      after: await afterOf(request, query, audit.feed),
      types: new Set(query.types),
      hidden: hiddenFrom(scopes),
      signal: signal(),
    };
    if (isFollowed) {
      const close = await bounds.feeds.take(feedRequest.signal);
      const pieces = access.streaming(call, read, serverSent(audit.feed, feedRequest, stopping));
      return { contentType: 'text/event-stream', pieces, close };
    }
    if (query.format === 'ndjson') {
      const lines = asLines(audit.feed.all(feedRequest), query.limit ?? Infinity);
      return { contentType: 'application/x-ndjson', pieces: access.streaming(call, read, lines) };
    }
    const { events, next, hasMore, searched } = await audit.feed.page({
      ...feedRequest,
      limit: query.limit ?? defaultLimit,
    });
    const [next_after, total] = await Promise.all([audit.feed.cursor(next), audit.size()]);
    // A poll without new events is not recorded.
    if (events.length > 0) await access.note(call, read);
    return { data: events, beside: { next_after, has_more: hasMore, searched, total } };
  },
});

/** Refuses parameters that cannot be used with `follow`. @throws ServiceError `not_with_follow` */
function checkFollowed(query: EventsQuery): void {
  const field = Object.keys(query).find((name) => !['after', 'types', 'follow'].includes(name));
  if (field !== undefined) throw new ServiceError('not_with_follow', { field });
}

/** Returns the filter of the feed, and the read that is recorded. */
async function filterOf(query: EventsQuery, parts: Parts) {
  const { actor, request_id: requestId, contact, stream, list_id: list, from, to } = query;
  const found = contact === undefined ? undefined : (await findContact(contact, parts)).stream;
  const streams = [found, stream].filter((name) => name !== undefined);
  const listId = list === undefined ? undefined : (await parts.audit.begin({ times: [], list })).listId;
  const subject = streams.map(personOf).find((person) => person !== undefined) ?? listId ?? wholeLog;
  return {
    filter: { actor, requestId, from, to, streams, listId },
    read: { subject, what: 'feed', from, to } as const,
  };
}

/** Returns the position to start after. `Last-Event-ID`, which a client sends when it reconnects, wins over `after`. */
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

async function* asLines(batches: AsyncIterable<readonly answers.FeedEvent[]>, limit: number): AsyncGenerator<string> {
  let left = limit;
  for await (const batch of batches) {
    const events = batch.slice(0, left);
    left -= events.length;
    yield events.map((event) => `${JSON.stringify(event)}\n`).join('');
    if (left === 0) return;
  }
}

/**
 * Yields every event with its position as id, so that a client that reconnects misses none. The subscription restarts now and
 * then. Its message that it has caught up is the heartbeat, whose id covers events that were filtered out.
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

const serverSentEvent = (event: answers.FeedEvent): string =>
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
