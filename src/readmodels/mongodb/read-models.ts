/** Read models in MongoDB: one collection for each version of a view, one for checkpoints, one for leases, one for records. Any server will do, alone or many. */
import { randomUUID } from 'node:crypto';
import type { Collection, IndexDescription } from 'mongodb';
import type { Observe } from '../../flow/observe.js';
import { assertSearch, cursorAfter, planFind, storageName, unnamedStorages } from '../find-plan.js';
import { checkpointIn, checkpointsOf, forgetCheckpoint, readCheckpoint } from './checkpoints.js';
import { connectMongo, mongoTimeouts, NoAnswerError, type MongoConnection, type MongoTimeouts } from './client.js';
import { commitTo } from './commit.js';
import { byId, fromStored, type MongoDocument } from './documents.js';
import { composeFind, composeSearch, indexesOf } from './find.js';
import { createLeases } from './leases.js';
import { createDocumentReads } from './reads.js';
import { findRecord, replaceRecord } from './records.js';
import type {
  Document,
  DocumentsById,
  FindQuery,
  DocumentPage,
  PrefixQuery,
  ReadModels,
  StoredDocument,
  StoredView,
  View,
  WantedDocuments,
} from '../read-models.js';

export interface MongoReadModelsOptions {
  /** `mongodb://…`; its database, or `audience` where it names none. */
  readonly url: string;
  /** Milliseconds, for leases. Default: the server's clock. */
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly timeouts?: Partial<MongoTimeouts>;
  /** Reports each round trip. */
  readonly observe?: Observe | undefined;
}

export function openMongoReadModels(options: MongoReadModelsOptions): ReadModels {
  const { url, now, newId = randomUUID, timeouts, observe } = options;
  const connection = connectMongo(url, { ...mongoTimeouts, ...timeouts }, observe);
  const { db, run, runInOrder, close } = connection;
  const { read, readInOrder, readEach } = createDocumentReads(connection);
  const checkpoints = checkpointsOf(db);
  const collection = (view: StoredView): Collection<MongoDocument> => db.collection<MongoDocument>(storageName(view));

  async function find<D>(view: View, query: FindQuery): Promise<DocumentPage<D>> {
    const plan = planFind(view, query);
    const { filter, options } = composeFind(query, plan);
    const found = await run('reading', (call) =>
      collection(view)
        .find(filter, { ...options, ...call })
        .toArray(),
    );
    const documents = found.slice(0, query.limit).flatMap((stored) => living<Document>(stored) ?? []);
    const last = documents.at(-1);
    const page = documents as readonly StoredDocument[] as readonly StoredDocument<D>[];
    if (found.length <= query.limit || last === undefined) return { documents: page };
    return { documents: page, nextCursor: cursorAfter(plan, last.id, last.document) };
  }

  async function search<D>(view: View, query: PrefixQuery): Promise<readonly StoredDocument<D>[]> {
    assertSearch(view, query);
    const { filter, options } = composeSearch(query);
    const found = await run('reading', (call) =>
      collection(view)
        .find(filter, { ...options, ...call })
        .toArray(),
    );
    return found.flatMap((stored) => living<D>(stored) ?? []);
  }

  /** What is deleted here leaves no remains; what was to be dropped when a process was killed is dropped. */
  async function dropUnnamed(views: readonly StoredView[]): Promise<void> {
    const existing = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    const named = (await checkpoints.find().toArray()).map((stored) => checkpointIn(stored)?.storages ?? {});
    for (const name of views.flatMap((view) => unnamedStorages(view, existing, named)))
      await db.collection(name).drop().catch(unlessMissing);
  }

  return {
    find,
    search,
    async get<D>(view: View, id: string) {
      const stored = (await read(view, [id])).get(id);
      return stored === undefined ? undefined : living<D>(stored);
    },
    async getMany<D>(view: View, ids: readonly string[]) {
      if (ids.length === 0) return new Map<string, StoredDocument<D>>();
      const stored = await read(view, ids);
      return toMap<D>(ids.flatMap((id) => stored.get(id) ?? []));
    },
    async getEach<D>(wanted: readonly WantedDocuments[]) {
      const found = await readEach(wanted);
      return wanted.map((_, at) => toMap<D>(found.filter((stored) => stored.at === at)));
    },
    async load(view, ids) {
      const found = await readInOrder(view, ids);
      return new Map(
        [...found].map(([id, stored]) => [id, { document: fromStored(stored), position: stored.position }]),
      );
    },
    async checkpoint(name) {
      return checkpointIn(await run('reading', (call) => readCheckpoint(checkpoints, name, call)));
    },
    readRecord: (name) => findRecord(connection, name),
    putRecord: (record) => replaceRecord(connection, record, newId()),
    commit: (commit) => commitTo(connection, commit, newId()),
    async prepare(view, { bare = false } = {}) {
      const of = collection(view);
      const indexes = indexesOf(view);
      // Without any, the first write makes the collection.
      if (indexes.length > 0 && !bare) await createIndexes(connection, of, indexes);
    },
    async drop(view) {
      await run('writing', () => collection(view).drop().catch(unlessMissing));
    },
    forget: (checkpoint) => runInOrder('writing', (call) => forgetCheckpoint(checkpoints, checkpoint, call)),
    scrub: (views) => run('writing', () => dropUnnamed(views)),
    ...createLeases(connection, now),
    close,
  };
}

/** With many documents this takes longer than the timeout of one answer. The server goes on meanwhile, and asking again waits for it. */
async function createIndexes(
  { run }: MongoConnection,
  of: Collection<MongoDocument>,
  indexes: IndexDescription[],
): Promise<void> {
  for (;;) {
    try {
      await run('writing', () => of.createIndexes(indexes));
      return;
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      // Silent because it is gone, or because it is at work?
      await run('reading', (call) => of.findOne(byId(''), call));
    }
  }
}

function living<D>(stored: MongoDocument): StoredDocument<D> | undefined {
  const document = fromStored(stored);
  return document === null ? undefined : { id: stored._id, document: document as D, position: stored.position };
}

const toMap = <D>(found: readonly MongoDocument[]): DocumentsById<D> =>
  new Map(found.flatMap((stored) => living<D>(stored) ?? []).map((document) => [document.id, document]));

/** Servers before 7.0 say that there is nothing to drop. */
function unlessMissing(error: unknown): void {
  if (error instanceof Error && error.message.includes('ns not found')) return;
  throw error;
}
