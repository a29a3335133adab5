/** How the log of a server that others use is read: what is asked, and in which order. */
import { expect, test } from 'vitest';
import { logStart, type StoredEvent } from '../../../src/eventstore/event-store.js';
import type { Page, Pages } from '../../../src/eventstore/eventstoredb/pages.js';
import { createReader } from '../../../src/eventstore/eventstoredb/reader.js';

const place = (number: number): string => String(number).padStart(20, '0').repeat(2);
const first = { stream: 'service', revision: 0n, id: 'a', type: 'T', data: '{}', metadata: '{}' };

test('the first event of ours is searched for by the server: thousands of events of others may come before it', async () => {
  const asked: string[] = [];
  const ours: StoredEvent = { ...first, position: place(700_000) };
  const page: Page = { events: [ours], first: ours.position, last: ours.position, ended: true };
  const pages: Pages = {
    end: () => Promise.resolve(place(800_000)),
    nextOfOurs(after) {
      asked.push(`search after ${after === logStart ? 'the start' : after}`);
      return Promise.resolve(ours.position);
    },
    ofLog({ after, inclusive }) {
      asked.push(`page ${inclusive === true ? 'from' : 'after'} ${String(after)}`);
      return Promise.resolve(page);
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
  const reader = createReader({ connection: { isClosed: () => false }, pages, notifier, head });
  for await (const events of reader.readAll()) expect(events).toEqual([ours]);
  expect(asked).toEqual(['search after the start', `page from ${ours.position}`]);
});
