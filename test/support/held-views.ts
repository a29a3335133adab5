/** Views that show nothing new until a test folds their log, and the queries on these views. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { contactOfStream } from '../../src/audit/contact-of-stream.js';
import { codec } from '../../src/events/codec.js';
import type { EventStore, StoredEvent } from '../../src/eventstore/event-store.js';
import { streamsOfErased } from '../../src/privacy/erased-in-views.js';
import { createAnalyticsQueries } from '../../src/projections/analytics-queries.js';
import { createQueries } from '../../src/projections/queries.js';
import type { QueryViews } from '../../src/projections/query-reader.js';
import { createSuppressionLookup } from '../../src/projections/suppressions.js';
import { liveProjections } from '../../src/projections/views.js';
import { foldBatch, handlersOf } from '../../src/projector/fold.js';
import { createQueryViews, type StreamOfView } from '../../src/projector/query-views.js';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';
import { storagesOf } from '../../src/projector/storage.js';
import type { Checkpoint, ReadModelReader, View } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

const batch = { handlers: handlersOf(liveProjections), parked: new Map(), park: false };

/** Opens the views. They are closed when the test ends. */
export async function openHeldViews(log: EventStore) {
  const folder = mkdtempSync(path.join(tmpdir(), 'held-views-'));
  const models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  onTestFinished(async () => {
    await models.close();
    rmSync(folder, { recursive: true });
  });
  for (const view of liveProjections) await models.prepare(view);
  const storages = storagesOf(liveProjections);
  const ownWrites = createOwnWrites({ projections: liveProjections, head: '', now: () => 0 });
  const parked: StreamOfView[] = [];
  const opened = new Set<string>();
  const read = new Set<string>();
  let written: readonly StoredEvent[] = [];
  let checkpoint: Checkpoint | null = null;

  const sources = { reader: noting(models, read), ownWrites, parked: () => parked, now: () => performance.now() };
  const views = createQueryViews(sources);
  const note = (some: readonly View[]): void => some.forEach(({ name }) => opened.add(name));
  const noted: QueryViews = {
    open(some) {
      note(some);
      return views.open(some);
    },
    openAsStored(view) {
      note([view]);
      return views.openAsStored(view);
    },
  };
  const standing = () => [storages, ownWrites.visiblePosition()];
  const suppressed = createSuppressionLookup(noted, {
    known: { isNobody: () => false, refusesNothing: () => false },
    standing,
    isBuilt: () => true,
  });

  /** The events of the log that are not folded yet. */
  async function unfolded(): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    for await (const some of log.readAll(checkpoint === null ? {} : { after: checkpoint.position }))
      events.push(...some);
    return events;
  }

  return {
    ownWrites,
    parked,
    /** Names of the views that queries have opened. */
    opened,
    /** Names of the views that were read. */
    read,
    queries: createQueries(noted, {
      contactOf: (stream) => contactOfStream(log, stream),
      streamOfErased: streamsOfErased({ log, views: { used: () => storages }, readModels: models }),
      standing,
    }),
    analytics: createAnalyticsQueries(noted),
    suppressed,
    /** Records the appends since the last fold as writes of this process. */
    async noteWrites(): Promise<void> {
      written = await unfolded();
      for (const stored of written) {
        const { stream, revision, position, id, event, metadata } = codec.decode(stored);
        const encoded = { id, type: stored.type, data: stored.data, metadata: stored.metadata };
        ownWrites.record({ stream, revision, position, events: [{ id, event, metadata, encoded }] });
        if (event.type === 'AddressSuppressed') suppressed.note();
      }
    },
    /** Folds what was appended. The views then show everything. */
    async fold(): Promise<void> {
      const events = await unfolded();
      const position = events.at(-1)?.position;
      if (position === undefined) return;
      const { writes } = await foldBatch({ ...batch, events, readModels: models });
      const next = { logId: 'log', position, eventId: randomUUID(), storages };
      await models.commit({ writes, checkpoint: { name: 'views', previous: checkpoint, next } });
      checkpoint = next;
      ownWrites.advance(position);
    },
  };
}

/** Adds the name of each view that is read. */
function noting(reader: ReadModelReader, read: Set<string>): ReadModelReader {
  return {
    ...reader,
    get: (view, id) => reader.get(note(view), id),
    getMany: (view, ids) => reader.getMany(note(view), ids),
    getEach: (wanted) => reader.getEach(wanted.map((one) => ({ ...one, view: note(one.view) }))),
    find: (view, query) => reader.find(note(view), query),
    search: (view, query) => reader.search(note(view), query),
  };
  function note(view: View): View {
    read.add(view.name);
    return view;
  }
}
