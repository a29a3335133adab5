/** How the log of a server that others use is read: what is asked, and in which order. */
import { expect, test } from 'vitest';
import { logStart, type StoredEvent } from '../../../src/eventstore/event-store.js';
import { createCopies } from '../../../src/eventstore/eventstoredb/copies.js';
import type { EventPage, PageReader } from '../../../src/eventstore/eventstoredb/pages.js';
import { createReader } from '../../../src/eventstore/eventstoredb/reader.js';

const place = (number: number): string => String(number).padStart(20, '0').repeat(2);
const first = { stream: 'service', revision: 0n, id: 'a', type: 'T', data: '{}', metadata: '{}' };

test('after one page of events of others the server searches for our first one: thousands may come before it', async () => {
  const asked: string[] = [];
  const ours: StoredEvent = { ...first, position: place(700_000) };
  const page: EventPage = { events: [ours], first: ours.position, last: ours.position, ended: true };
  const others: EventPage = { events: [], first: place(1), last: place(1_000), ended: false };
  const pages: PageReader = {
    end: () => Promise.resolve(place(800_000)),
    nextOfOurs(after) {
      asked.push(`search after ${after}`);
      return Promise.resolve(ours.position);
    },
    ofLog({ after, inclusive }) {
      asked.push(`page ${inclusive === true ? 'from' : 'after'} ${String(after)}`);
      return Promise.resolve(after === logStart ? others : page);
    },
    at: () => Promise.resolve(undefined),
    ofStream: () => Promise.resolve(page),
  };
  const notifier = {
    version: () => 0,
    notify: () => undefined,
    next: () => Promise.resolve(false),
    found: () => undefined,
    isClosed: () => false,
    close: () => Promise.resolve(),
  };
  const head = () => Promise.resolve(ours.position);
  const redactions = createCopies({ read: () => Promise.resolve('ended') }, { prefix: '', silenceMs: 1 });
  const reader = createReader({ connection: { isClosed: () => false }, pages, redactions, notifier, head });
  for await (const events of reader.readAll()) expect(events).toEqual([ours]);
  expect(asked).toEqual(['page after ', `search after ${place(1_000)}`, `page from ${ours.position}`]);
});
