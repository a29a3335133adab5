/** Verification of a log on a server: with the links that the service keeps beside the views. */
import { expect, test } from 'vitest';
import { verifyOpen } from '../../../src/cli/audit/verify.js';
import type { CommandLine } from '../../../src/cli/command-line.js';
import { firstLink, linkAfter } from '../../../src/eventstore/chain.js';
import type { EventReader, StoredEvent } from '../../../src/eventstore/event-store.js';
import { blockId, countName, evidenceCheckpoint } from '../../../src/evidence/link-blocks.js';
import type { Checkpoint, ReadModelReader } from '../../../src/readmodels/read-models.js';
import { allEvents, openLog } from '../../support/event-log.js';
import { exampleEvents, toAppend } from '../../support/examples.js';

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
  let links = '';
  let link = firstLink;
  for (const [index, event] of events.entries()) links += link = linkAfter(link, index + 1, event);
  const checkpoint: Checkpoint = { logId: '', position: '', eventId: '', storages: { [countName]: events.length } };
  return {
    checkpoint: async (name: string) => (name === evidenceCheckpoint ? checkpoint : null),
    getMany: async () => new Map([[blockId(0), { document: { links } }]]),
    close: async () => undefined,
  } as unknown as ReadModelReader;
}

const lineWith = (openViews: CommandLine['openViews']): CommandLine =>
  ({
    stores: { events: { kind: 'eventstoredb', url: '', prefix: '' }, views: { kind: 'mongodb', url: '' } },
    openViews,
    stderr: { write: () => undefined },
    monotonic: () => 0,
    signal: new AbortController().signal,
  }) as unknown as CommandLine;

const verified = (events: readonly StoredEvent[], openViews: CommandLine['openViews']) =>
  verifyOpen(readerOf(events), { line: lineWith(openViews), depth: 'chain' });

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
  expect(shorter.result).toMatchObject({ intact: false, difference: { ordinal: 3, kind: 'shortened' } });
  // What came within the last second has no link yet.
  const behind = await verified(events, async () => viewsOf(events.slice(0, 2)));
  expect(behind).toMatchObject({ linked: 2, result: { intact: true, count: 3 } });
});

test('without the views the log can only agree with itself', async () => {
  const gone = (): never => {
    throw new Error('no views');
  };
  const events = await threeEvents();
  expect(await verified(events, async () => gone())).toMatchObject({ linked: 0, result: { intact: true, count: 3 } });
});
