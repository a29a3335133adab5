/** Commits to MongoDB without transactions: documents first, each guarded by its position, then the checkpoint. */
import {
  BSON,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  type AnyBulkWriteOperation,
  type Collection,
  type WriteError,
} from 'mongodb';
import { assertMovable, checkpointsOf, moveCheckpoint, readCheckpoint } from './checkpoints.js';
import { describeError, type MongoConnection } from './client.js';
import { storageName } from '../find-plan.js';
import { toStored, type MongoDocument } from './documents.js';
import { CommitConflictError, ReadModelsUnavailableError, type Commit, type DocumentWrite } from '../read-models.js';

/** Documents in one bulk write; the driver cuts it further at 16 MiB. */
const chunkSize = 1_000;
const concurrency = 4;

/**
 * A crash, or a writer that wakes up late, may leave documents ahead of the checkpoint. That is harmless: the next fold
 * loads them with their positions and skips the events they hold already. `commit` is an id of this commit alone.
 *
 * @throws CommitConflictError @throws ReadModelsUnavailableError
 */
export async function commitTo(
  connection: MongoConnection,
  { writes, checkpoint }: Commit,
  commit: string,
): Promise<void> {
  const checkpoints = checkpointsOf(connection.db);
  let forgotten: number | undefined;
  if (writes.length > 0) {
    // Stops nearly every writer that has lost its lease before it writes anything.
    const stored = await connection.runInOrder('reading', (call) => readCheckpoint(checkpoints, checkpoint.name, call));
    assertMovable(stored, checkpoint);
    forgotten = stored?.forgotten ?? 0;
    await writeAll(connection, writes);
  }
  const move = { checkpoint, commit, forgotten };
  await connection.runInOrder('writing', (call) => moveCheckpoint(checkpoints, move, call));
}

type Chunk = { readonly collection: Collection<MongoDocument>; readonly writes: readonly DocumentWrite[] };

/** Settles only when no write is under way any more. */
async function writeAll(connection: MongoConnection, writes: readonly DocumentWrite[]): Promise<void> {
  const waiting = chunksOf(connection, writes);
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let chunk = waiting.pop(); chunk !== undefined && failures.length === 0; chunk = waiting.pop())
      await writeChunk(connection, chunk).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (failures.length > 0) throw failures[0];
}

function chunksOf({ db }: MongoConnection, writes: readonly DocumentWrite[]): Chunk[] {
  const byCollection = new Map<string, DocumentWrite[]>();
  for (const write of writes) {
    const name = storageName(write.view);
    const of = byCollection.get(name);
    if (of === undefined) byCollection.set(name, [write]);
    else of.push(write);
  }
  const chunks: Chunk[] = [];
  for (const [name, of] of byCollection)
    for (let start = 0; start < of.length; start += chunkSize)
      chunks.push({ collection: db.collection(name), writes: of.slice(start, start + chunkSize) });
  return chunks;
}

async function writeChunk(connection: MongoConnection, { collection, writes }: Chunk): Promise<void> {
  const operations = writes.map(toOperation);
  const updates = writes.filter(({ loaded }) => loaded !== null).length;
  const isDone = await connection.runInOrder('writing', async ({ session }) => {
    try {
      return (await collection.bulkWrite(operations, { ordered: false, session })).matchedCount === updates;
    } catch (error) {
      refuseOther(error, { collection, writes });
      return false;
    }
  });
  if (!isDone) await assertWritten(connection, { collection, writes });
}

function toOperation(write: DocumentWrite): AnyBulkWriteOperation<MongoDocument> {
  const { _id, ...content } = toStored(write.view, write);
  if (write.loaded === null) return { insertOne: { document: { _id, ...content } } };
  const filter = { _id: { $eq: _id }, position: { $eq: write.loaded } };
  return { replaceOne: { filter, replacement: content } };
}

/** Throws what is no conflict. A duplicate key is one: another process was first, or this very write was sent twice. */
function refuseOther(error: unknown, { collection, writes }: Chunk): void {
  if (error instanceof MongoInvalidArgumentError) throw tooLarge(collection, writes) ?? error;
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const errors: readonly WriteError[] = [error.writeErrors].flat();
  const other = errors.find(({ code }) => code !== 11_000);
  if (other !== undefined) throw new ReadModelsUnavailableError(`MongoDB refused a write with code ${other.code}`);
  if (error.result.getWriteConcernError() !== undefined)
    throw new ReadModelsUnavailableError(`too few members wrote it: ${describeError(error)}`);
  if (errors.length === 0) throw new ReadModelsUnavailableError(`a write was broken off: ${describeError(error)}`);
}

/** What was not written must be there already, folded up to the very same event; otherwise another process has written it. */
async function assertWritten(connection: MongoConnection, { collection, writes }: Chunk): Promise<void> {
  const ids = writes.map(({ id }) => id);
  const options = { projection: { position: 1 }, batchSize: ids.length + 1 };
  const found = await connection.runInOrder('reading', (call) =>
    collection.find({ _id: { $in: ids } }, { ...options, ...call }).toArray(),
  );
  const positions = new Map(found.map(({ _id, position }) => [_id, position]));
  for (const { id, position } of writes)
    if (positions.get(id) !== position)
      throw new CommitConflictError(`a document of ${collection.collectionName} has been written by somebody else`);
}

/** 16 MiB less what surrounds it on the way. */
const mostBytes = 16 * 1024 * 1024 - 16 * 1024;

/** The driver measures, but does not tell which. */
function tooLarge(collection: Collection<MongoDocument>, writes: readonly DocumentWrite[]): TypeError | undefined {
  const large = writes.find(
    (write) => BSON.calculateObjectSize(toStored(write.view, write), { ignoreUndefined: true }) > mostBytes,
  );
  if (large === undefined) return undefined;
  return new TypeError(`document ${large.id} of ${collection.collectionName} is larger than MongoDB takes (16 MiB)`);
}
