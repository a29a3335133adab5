/** Keeps the checkpoint of each projector in the same file as the documents, so that a commit moves both. */
import { crc32 } from 'node:zlib';
import type { Database } from '../../sqlite/database.js';
import {
  CommitConflictError,
  ViewDamagedError,
  type Checkpoint,
  type CheckpointRemoval,
  type Commit,
} from '../read-models.js';

type CheckpointRow = { log_id: string; position: string; event_id: string; live: string; epoch: number; sum: number };

export const checkpointsTable =
  'CREATE TABLE IF NOT EXISTS checkpoints (name TEXT NOT NULL PRIMARY KEY, log_id TEXT NOT NULL, position TEXT NOT NULL, event_id TEXT NOT NULL, live TEXT NOT NULL, epoch INTEGER NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID';

/** @throws ViewDamagedError */
export function selectCheckpoint(db: Database, name: string): { checkpoint: Checkpoint; epoch: number } | undefined {
  const row = db
    .prepare<[string], CheckpointRow>(
      'SELECT log_id, position, event_id, live, epoch, sum FROM checkpoints WHERE name = ?',
    )
    .get(name);
  if (row === undefined) return undefined;
  if (row.sum !== checksumOf(name, row)) throw new ViewDamagedError('a checkpoint does not match its checksum');
  const { log_id: logId, position, event_id: eventId, live, epoch } = row;
  return { checkpoint: { logId, position, eventId, storages: JSON.parse(live) as Checkpoint['storages'] }, epoch };
}

const checksumOf = (name: string, { log_id, position, event_id, live, epoch }: Omit<CheckpointRow, 'sum'>): number =>
  crc32([name, log_id, position, event_id, live, epoch].join('\0'));

/** @throws ViewDamagedError */
export function demandCheckpoints(db: Database): void {
  for (const name of db.prepareValue<[], string>('SELECT name FROM checkpoints').all()) selectCheckpoint(db, name);
}

export function advanceCheckpoint(db: Database, { name, previous, next, epoch = 0 }: Commit['checkpoint']): void {
  const current = selectCheckpoint(db, name);
  if (current !== undefined && current.epoch > epoch)
    throw new CommitConflictError(`a later holder has moved checkpoint ${name}`);
  if (textOf(current?.checkpoint ?? null) !== textOf(previous))
    throw new CommitConflictError(`checkpoint ${name} stands elsewhere`);
  const { logId: log_id, position, eventId: event_id, storages } = next;
  const row = { log_id, position, event_id, live: JSON.stringify(storages), epoch };
  db.prepare('INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)').run(
    name,
    ...[row.log_id, row.position, row.event_id, row.live, row.epoch, checksumOf(name, row)],
  );
}

export function deleteCheckpoint(db: Database, { name, previous, epoch = Infinity }: CheckpointRemoval): void {
  const current = selectCheckpoint(db, name);
  if (current === undefined) return;
  if (current.epoch > epoch || textOf(current.checkpoint) !== textOf(previous))
    throw new CommitConflictError(`checkpoint ${name} has been written by somebody else`);
  db.prepare('DELETE FROM checkpoints WHERE name = ?').run(name);
}

/** Equal checkpoints have equal texts, whatever the order of their views. */
function textOf(checkpoint: Checkpoint | null): string {
  if (checkpoint === null) return '';
  const { logId, position, eventId, storages } = checkpoint;
  return JSON.stringify([logId, position, eventId, Object.entries(storages).sort()]);
}
