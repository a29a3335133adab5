/** Views for queries in tests. The read models show everything that was written, and no stream is parked. */
import type { QueryViews } from '../../src/projections/query-reader.js';
import { createQueryViews } from '../../src/projector/query-views.js';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';
import type { ReadModelReader } from '../../src/readmodels/read-models.js';

export const queryViewsOf = (reader: ReadModelReader): QueryViews =>
  createQueryViews({
    reader,
    ownWrites: createOwnWrites({ projections: [], head: '', now: () => 0 }),
    parked: () => [],
    now: () => 0,
  });
