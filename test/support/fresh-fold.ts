/** Holds views against a fresh fold of the same log, document by document. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { runProjector } from '../../src/projector/projector.js';
import { liveProjections } from '../../src/projections/views.js';
import type { ReadModelReader, StoredDocument, View } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

type Documents = Readonly<Record<string, readonly StoredDocument[]>>;

/** Everything that the live views hold, by view and in the order of ids. */
export async function documentsOf(models: ReadModelReader): Promise<Documents> {
  const all: Record<string, readonly StoredDocument[]> = {};
  for (const view of liveProjections) all[view.name] = await everything(models, view);
  return all;
}

async function everything(models: ReadModelReader, view: View): Promise<readonly StoredDocument[]> {
  const documents: StoredDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await models.find(view, { limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    documents.push(...page.documents);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return documents;
}

/** How many documents a view holds, and the hash that a rebuild tells of them. */
export async function contentOf(models: ReadModelReader, view: View): Promise<{ documents: number; hash: string }> {
  const hash = createHash('sha256');
  const documents = await everything(models, view);
  for (const { id, position, document } of documents) hash.update(`${JSON.stringify([id, position, document])}\n`);
  return { documents: documents.length, hash: hash.digest('hex') };
}

/** The log folded from its first event, into views of its own that are gone afterwards. */
export async function freshFold(log: EventReader): Promise<Documents> {
  const folder = mkdtempSync(path.join(tmpdir(), 'fresh-fold-'));
  const models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  try {
    const head = await log.head();
    const done = new AbortController();
    const faults: string[] = [];
    await runProjector({
      reader: log,
      readModels: models,
      projections: liveProjections,
      signal: done.signal,
      random: Math.random,
      shortLog: { events: Infinity, characters: Infinity },
      onProgress: ({ position }) => {
        if (position >= head) done.abort();
      },
      onFault: ({ message }) => {
        faults.push(message);
        done.abort();
      },
    });
    if (faults.length > 0) throw new Error(`the fresh fold failed: ${faults.join('; ')}`);
    return await documentsOf(models);
  } finally {
    await models.close();
    rmSync(folder, { recursive: true });
  }
}
