/** Where each projector stands, in the same file as the documents: a commit moves both. */
import type { Database } from '../../sqlite/database.js';
import { CommitConflictError, type Checkpoint, type CheckpointRemoval, type Commit } from '../read-models.js';

type CheckpointRow = { log_id: string; position: string; event_id: string; live: string; epoch: number };

export function selectCheckpoint(db: Database, name: string): { checkpoint: Checkpoint; epoch: number } | undefined {
  const row = db
    .prepare<[string], CheckpointRow>('SELECT log_id, position, event_id, live, epoch FROM checkpoints WHERE name = ?')
    .get(name);
  if (row === undefined) return undefined;
  const { log_id: logId, position, event_id: eventId, live, epoch } = row;
  return { checkpoint: { logId, position, eventId, storages: JSON.parse(live) as Checkpoint['storages'] }, epoch };
}

export function advanceCheckpoint(db: Database, { name, previous, next, epoch = 0 }: Commit['checkpoint']): void {
  const current = selectCheckpoint(db, name);
  if (current !== undefined && current.epoch > epoch)
    throw new CommitConflictError(`a later holder has moved checkpoint ${name}`);
  if (textOf(current?.checkpoint ?? null) !== textOf(previous))
    throw new CommitConflictError(`checkpoint ${name} stands elsewhere`);
  db.prepare(
    'INSERT OR REPLACE INTO checkpoints (name, log_id, position, event_id, live, epoch) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(name, next.logId, next.position, next.eventId, JSON.stringify(next.storages), epoch);
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
