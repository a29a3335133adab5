/** Records in MongoDB: each one document, changed by compare-and-set. */
import type { Collection, Db } from 'mongodb';
import { isDuplicate, type MongoConnection } from './client.js';
import { byId, fromStored, unindexed, type MongoContent } from './documents.js';
import type { RecordWrite, VersionedRecord } from '../read-models.js';

type MongoRecord = MongoContent & {
  readonly _id: string;
  readonly version: string;
};

// No view has this name: names of views end with a version.
const recordsOf = (db: Db): Collection<MongoRecord> => db.collection<MongoRecord>('records');

export async function findRecord({ db, run }: MongoConnection, name: string): Promise<VersionedRecord | null> {
  const stored = await run('reading', (call) => recordsOf(db).findOne(byId(name), call));
  return stored === null ? null : { version: stored.version, value: fromStored(stored) };
}

/** `version`: an id of this write alone. A write that was sent twice knows itself again. */
export async function replaceRecord(
  connection: MongoConnection,
  { name, value, previous }: RecordWrite,
  version: string,
): Promise<boolean> {
  const content = { version, ...unindexed(value) };
  const { db, runInOrder } = connection;
  const isWritten = await runInOrder('writing', async ({ session }) => {
    if (previous === null) return await isInserted(recordsOf(db).insertOne({ ...byId(name), ...content }, { session }));
    const standing = { _id: { $eq: name }, version: { $eq: previous } };
    return (await recordsOf(db).replaceOne(standing, content, { session })).matchedCount > 0;
  });
  if (isWritten) return true;
  const stored = await runInOrder('reading', (call) => recordsOf(db).findOne(byId(name), call));
  return stored?.version === version;
}

async function isInserted(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
