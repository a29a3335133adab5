/** The last rebuild, as every process can read it: what was asked for, how far it is, what came of it. The process that leads carries it out. */
import type { Poison } from '../projector/fold.js';
import type { ReadModelReader, ReadModels, View } from '../readmodels/read-models.js';
import type { Rebuild } from './answers.js';

/** Without the event that stopped it: that is read from the log for each answer. */
export type RebuildRecord = Omit<Rebuild, 'poison'> & { readonly poison: Poison | null };

export const rebuildsView: View = { name: 'rebuilds', version: 1, indexes: [] };
const id = 'current';
const recordCheckpoint = 'rebuilds';

export const isOpen = ({ state }: Pick<RebuildRecord, 'state'>): boolean => state === 'waiting' || state === 'running';

type Asked = 'rebuild_id' | 'views' | 'dry_run' | 'accept_differences' | 'cause' | 'requested_at';

export const newRecord = (asked: Pick<RebuildRecord, Asked>): RebuildRecord => ({
  ...asked,
  state: 'waiting',
  finished_at: null,
  progress: null,
  fault: null,
  outcome: null,
  results: [],
  poison: null,
});

export interface StoredRecords {
  readonly record: RebuildRecord | undefined;
  /** A request that was put off by what a start needs: carried out after that. */
  readonly postponed: RebuildRecord | undefined;
}

export const nextOf = ({ record, postponed }: StoredRecords): RebuildRecord | undefined =>
  record !== undefined && isOpen(record) ? record : postponed;

type Stored = RebuildRecord & { readonly postponed?: RebuildRecord | null };

export async function readRecord(readModels: Pick<ReadModelReader, 'get'>): Promise<RebuildRecord | undefined> {
  return recordsIn((await readModels.get<Stored>(rebuildsView, id))?.document).record;
}

function recordsIn(stored: Stored | undefined): StoredRecords {
  if (stored === undefined) return { record: undefined, postponed: undefined };
  const { postponed, ...record } = stored;
  return { record, postponed: postponed ?? undefined };
}

/** Undefined, and nothing is written, where `change` gives none. @throws CommitConflictError somebody else has written meanwhile. @throws ReadModelsUnavailableError */
export async function writeRecord(
  readModels: ReadModels,
  change: (stored: StoredRecords) => RebuildRecord | undefined,
): Promise<RebuildRecord | undefined> {
  const [stored, previous] = await Promise.all([
    readModels.get<Stored>(rebuildsView, id),
    readModels.checkpoint(recordCheckpoint),
  ]);
  const records = recordsIn(stored?.document);
  const record = change(records);
  if (record === undefined) return undefined;
  const document: Stored = { ...record, postponed: postponedBy(record, records) ?? null };
  const position = String(Number(previous?.position ?? '0') + 1).padStart(16, '0');
  await readModels.commit({
    writes: [{ view: rebuildsView, id, document, position, loaded: stored?.position ?? null }],
    checkpoint: { name: recordCheckpoint, previous, next: { logId: '', position, eventId: '', storages: {} } },
  });
  return record;
}

/** A request that was not finished is never lost. */
function postponedBy(next: RebuildRecord, { record, postponed }: StoredRecords): RebuildRecord | undefined {
  if (next.rebuild_id === postponed?.rebuild_id) return undefined;
  const isPutOff = record?.cause === 'request' && isOpen(record) && record.rebuild_id !== next.rebuild_id;
  return isPutOff ? record : postponed;
}
