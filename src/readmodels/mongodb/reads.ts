/** Reads of documents by their ids, each of as few commands as can be. */
import type { Collection } from 'mongodb';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { storageName } from '../find-plan.js';
import type { MongoConnection } from './client.js';
import { byId, type MongoDocument } from './documents.js';
import type { StoredView, WantedDocuments } from '../read-models.js';

const chunkSize = 1_000;

type Found = ReadonlyMap<string, MongoDocument>;

export function createDocumentReads({ db, run, runInOrder }: MongoConnection) {
  const collection = (view: StoredView): Collection<MongoDocument> => db.collection(storageName(view));
  /** What is read in this turn of the event loop, by collection. */
  const turns = new Map<string, { readonly ids: Set<string>; readonly found: Promise<Found> }>();

  async function readBy(ask: typeof run, view: StoredView, ids: ReadonlySet<string>): Promise<Found> {
    const wanted = [...ids].map(String);
    const chunks: Promise<MongoDocument[]>[] = [];
    for (let start = 0; start < wanted.length; start += chunkSize) {
      const $in = wanted.slice(start, start + chunkSize);
      const [only = ''] = $in;
      const filter = $in.length === 1 ? byId(only) : { _id: { $in } };
      const options = { batchSize: $in.length + 1 };
      chunks.push(
        ask('reading', (call) =>
          collection(view)
            .find(filter, { ...options, ...call })
            .toArray(),
        ),
      );
    }
    return new Map((await Promise.all(chunks)).flat().map((stored) => [stored._id, stored]));
  }

  async function readTurn(view: StoredView, ids: ReadonlySet<string>): Promise<Found> {
    await endOfTurn();
    turns.delete(storageName(view));
    return await readBy(run, view, ids);
  }

  return {
    /** Requests that are served at the same moment share a command: what is found may hold more than these. */
    read(view: StoredView, ids: readonly string[]): Promise<Found> {
      const name = storageName(view);
      let turn = turns.get(name);
      if (turn === undefined) {
        const wanted = new Set<string>();
        turn = { ids: wanted, found: readTurn(view, wanted) };
        turns.set(name, turn);
      }
      for (const id of ids) turn.ids.add(id);
      return turn.found;
    },
    /** For what a fold starts from. */
    readInOrder: (view: StoredView, ids: readonly string[]): Promise<Found> => readBy(runInOrder, view, new Set(ids)),
    /** Of several views; `at`: of which of them. */
    async readEach(wanted: readonly WantedDocuments[]): Promise<readonly (MongoDocument & { readonly at: number })[]> {
      const parts = wanted.flatMap(({ view, ids }, at) =>
        ids.length === 0 ? [] : [{ view, ids, pipeline: [{ $match: { _id: { $in: ids } } }, { $set: { at } }] }],
      );
      const [first, ...others] = parts;
      if (first === undefined) return [];
      const unions = others.map(({ view, pipeline }) => ({ $unionWith: { coll: storageName(view), pipeline } }));
      const batchSize = parts.reduce((sum, { ids }) => sum + ids.length, 1);
      return await run('reading', (call) =>
        collection(first.view)
          .aggregate<MongoDocument & { at: number }>([...first.pipeline, ...unions], { batchSize, ...call })
          .toArray(),
      );
    },
  };
}
