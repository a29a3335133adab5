/** Checkpoints in MongoDB: each one document, changed by compare-and-set. */
import type { Collection, Db, Filter, UpdateResult } from 'mongodb';
import { isDuplicate, type MongoCallOptions, type MongoSessionCallOptions } from './client.js';
import { byId } from './documents.js';
import { CommitConflictError, type Checkpoint, type Commit, type CheckpointRemoval } from '../read-models.js';

/** The document stays after `forget`, so that its epoch still fences off late writers. */
interface StoredCheckpoint {
  readonly _id: string;
  /** Null once forgotten. */
  readonly checkpoint: StoredPlace | null;
  /** Of the lease under which it was last moved. */
  readonly epoch: number;
  /** Which commit has moved it: a write that was sent twice knows itself again. */
  readonly commit?: string;
  /** How often it was forgotten. Absent: never. */
  readonly forgotten?: number;
}

/** A checkpoint as it is stored: its storages are called `live`. */
type StoredPlace = Omit<Checkpoint, 'storages'> & { readonly live: Checkpoint['storages'] };

type Checkpoints = Collection<StoredCheckpoint>;

// No view has this name: names of views end with a version.
export const checkpointsOf = (db: Db): Checkpoints => db.collection<StoredCheckpoint>('checkpoints');

export const readCheckpoint = (
  checkpoints: Checkpoints,
  name: string,
  call: Partial<MongoCallOptions>,
): Promise<StoredCheckpoint | null> => checkpoints.findOne(byId(name), call);

/** @throws CommitConflictError when the checkpoint cannot be moved any more. */
export function assertMovable(
  stored: StoredCheckpoint | null,
  { name, previous, epoch = 0 }: Commit['checkpoint'],
): void {
  if (stored !== null && stored.epoch > epoch)
    throw new CommitConflictError(`a later holder has moved checkpoint ${name}`);
  if (JSON.stringify(toStored(checkpointIn(stored))) !== JSON.stringify(toStored(previous)))
    throw new CommitConflictError(`checkpoint ${name} stands elsewhere`);
}

interface CheckpointMove {
  readonly checkpoint: Commit['checkpoint'];
  readonly commit: string;
  /** How often it had been forgotten before the documents were written: what was written may have been dropped since. */
  readonly forgotten?: number | undefined;
}

/** @throws CommitConflictError */
export async function moveCheckpoint(
  checkpoints: Checkpoints,
  move: CheckpointMove,
  call: Partial<MongoSessionCallOptions> = {},
): Promise<void> {
  const upsert = { upsert: move.checkpoint.previous === null, ...sessionOf(call) };
  const { name, previous, next, epoch = 0 } = move.checkpoint;
  const standing = {
    _id: { $eq: name },
    checkpoint: { $eq: toStored(previous) },
    epoch: { $not: { $gt: epoch } },
    ...(move.forgotten === undefined ? {} : { forgotten: { $not: { $gt: move.forgotten } } }),
  } as Filter<StoredCheckpoint>;
  const change = { $set: { checkpoint: toStored(next), epoch, commit: move.commit } };
  if (await isChanged(checkpoints.updateOne(standing, change, upsert))) return;
  const stored = await readCheckpoint(checkpoints, name, call);
  if (stored?.commit === move.commit) return;
  assertMovable(stored, move.checkpoint);
  throw new CommitConflictError(`checkpoint ${name} was forgotten meanwhile`);
}

/** Also where there is none yet: a first commit that is under way must not succeed on views that are dropped now. */
export async function forgetCheckpoint(
  checkpoints: Checkpoints,
  { name, previous, epoch }: CheckpointRemoval,
  call: MongoSessionCallOptions,
): Promise<void> {
  const { session } = call;
  const standing = {
    _id: { $eq: name },
    checkpoint: { $eq: toStored(previous) },
    ...(epoch === undefined ? {} : { epoch: { $not: { $gt: epoch } } }),
  } as Filter<StoredCheckpoint>;
  const change = { $set: { checkpoint: null }, $inc: { forgotten: 1 }, $max: { epoch: epoch ?? 0 } };
  if (await isChanged(checkpoints.updateOne(standing, change, { upsert: previous === null, session }))) return;
  const stored = await readCheckpoint(checkpoints, name, call);
  // Absent: removed by this very call, whose answer was lost, or by another process.
  if (stored !== null && (stored.checkpoint !== null || stored.epoch > (epoch ?? Infinity)))
    throw new CommitConflictError(`checkpoint ${name} has been written by somebody else`);
}

/** What writes takes no other option of a command in order. */
const sessionOf = ({ session }: Partial<MongoSessionCallOptions>): Partial<Pick<MongoSessionCallOptions, 'session'>> =>
  session === undefined ? {} : { session };

/** Whether it was as expected, and is changed now; with `upsert`, an absent one counts as `null`. */
async function isChanged(update: Promise<UpdateResult>): Promise<boolean> {
  try {
    const { matchedCount, upsertedCount } = await update;
    return matchedCount + upsertedCount > 0;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Equal checkpoints are equal documents to the server, whatever the order of their views. */
function toStored(checkpoint: Checkpoint | null): StoredPlace | null {
  if (checkpoint === null) return null;
  const { logId, position, eventId, storages } = checkpoint;
  return { logId, position, eventId, live: Object.fromEntries(Object.entries(storages).sort(byName)) };
}

export function checkpointIn(stored: StoredCheckpoint | null): Checkpoint | null {
  const found = stored?.checkpoint ?? null;
  if (found === null) return null;
  const { live: storages, ...place } = found;
  return { ...place, storages };
}

const byName = ([a]: readonly [string, number], [b]: readonly [string, number]): number => (a < b ? -1 : 1);
