/** Verification of a log on a server: with the links that the service keeps beside the views. */
import { expect, test } from 'vitest';
import type { LogPlace } from '../../src/evidence/open-links.js';
import { verifyOpen } from '../../src/evidence/verify-open.js';
import type { EventReader, StoredEvent } from '../../src/eventstore/event-store.js';
import {
  blockId,
  countName,
  emptyChain,
  evidenceCheckpoint,
  grown,
  sealedHeadId,
} from '../../src/evidence/link-blocks.js';
import { macOf } from '../../src/eventstore/sealed-head.js';
import { deriveHeadKey } from '../../src/events/streams.js';
import type { Checkpoint, ReadModelReader } from '../../src/readmodels/read-models.js';
import { allEvents, openLog } from '../support/event-log.js';
import { exampleEvents, toAppend } from '../support/examples.js';

const headKey = deriveHeadKey('a secret for tests, and for nothing else');

async function threeEvents(): Promise<readonly StoredEvent[]> {
  const { store } = await openLog();
  const event = exampleEvents.groupCreated;
  for (let number = 0; number < 3; number += 1)
    await store.append('groups', [toAppend({ ...event, data: { ...event.data, group_name: `Group ${number}` } })], {
      expectedRevision: 'any',
    });
  return await allEvents(store);
}

/** A store that keeps no links. */
const readerOf = (events: readonly StoredEvent[]): EventReader =>
  ({
    async *readAll() {
      yield events;
    },
  }) as unknown as EventReader;

/** The links of these events, as they were when they were read first. */
function viewsOf(events: readonly StoredEvent[]): ReadModelReader {
  const { blocks, head } = grown({ head: emptyChain, open: undefined }, events);
  const sealed = { ...head, mac: macOf(headKey, { logId: '', ...head }) };
  const documents = new Map<string, unknown>([
    [blockId(0), { document: blocks.get(0) }],
    [sealedHeadId, { document: sealed }],
  ]);
  const checkpoint: Checkpoint = { logId: '', position: '', eventId: '', storages: { [countName]: events.length } };
  return {
    checkpoint: async (name: string) => (name === evidenceCheckpoint ? checkpoint : null),
    getMany: async () => documents,
    close: async () => undefined,
  } as unknown as ReadModelReader;
}

const placeWith = (openViews: LogPlace['openViews']): LogPlace => ({
  stores: { events: { kind: 'eventstoredb', url: '', prefix: '' }, views: { kind: 'mongodb', url: '' } },
  openViews,
  headKey: async () => headKey,
  signal: new AbortController().signal,
});

const verified = (events: readonly StoredEvent[], openViews: LogPlace['openViews']) =>
  verifyOpen(readerOf(events), { place: placeWith(openViews), depth: 'chain', onProgress: () => undefined });

test('an honest log, one that was altered, one that has gone on, one that was shortened', async () => {
  const events = await threeEvents();
  const views = async (): Promise<ReadModelReader> => viewsOf(events);
  expect(await verified(events, views)).toMatchObject({ linked: 3, result: { intact: true, count: 3 } });
  const altered = events.map((event, index) => (index === 1 ? { ...event, type: 'GroupDeleted' } : event));
  expect((await verified(altered, views)).result).toMatchObject({
    intact: false,
    difference: { ordinal: 2, kind: 'link' },
  });
  const shorter = await verified(events.slice(0, 2), views);
  expect(shorter.result).toMatchObject({ intact: false, difference: { ordinal: null, kind: 'shortened' } });
  // What came within the last second has no link yet.
  const behind = await verified(events, async () => viewsOf(events.slice(0, 2)));
  expect(behind).toMatchObject({ linked: 2, result: { intact: true, count: 3 } });
  expect(behind.result.sealed_head).toEqual({ checked: true, count: 2 });
});

test('without the views the log can only agree with itself', async () => {
  const gone = (): never => {
    throw new Error('no views');
  };
  const events = await threeEvents();
  expect(await verified(events, async () => gone())).toMatchObject({ linked: 0, result: { intact: true, count: 3 } });
});
