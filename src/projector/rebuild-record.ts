/** The last rebuild, as every process can read it: what was asked for, how far it is, what came of it. Whoever leads carries it out. */
import type { ReadModelReader, ReadModels, View } from '../readmodels/read-models.js';
import type { Poison } from '../rebuild/projector-commands.js';
import type { RebuildResult, RebuildStage, RebuiltView } from '../rebuild/messages.js';

export type RebuildRecord = {
  readonly rebuild_id: string;
  readonly views: readonly string[];
  readonly dry_run: boolean;
  /** `start`: of views that the code has changed. */
  readonly cause: 'request' | 'start';
  readonly requested_at: string;
  /** `waiting`: nobody has begun yet. `running`: begun, and gone on with after whatever interrupts it. */
  readonly state: 'waiting' | 'running' | 'finished' | 'failed';
  readonly finished_at: string | null;
  /** Null before it has begun, and when it has come to an outcome: the results tell then. */
  readonly progress: ShownProgress | null;
  /** Why it is not going on just now; where it failed: why. */
  readonly fault: string | null;
  /** Null before it has finished. */
  readonly outcome: RebuildResult['outcome'] | null;
  readonly results: readonly ShownView[];
  readonly poison: Poison | null;
};

export type ShownProgress = {
  readonly stage: RebuildStage;
  readonly position: string;
  readonly until: string;
  /** Of the fill, 0 to 1. */
  readonly share: number;
  readonly events: number;
  readonly events_per_second: number;
  /** Of the fill; null while that cannot be told. */
  readonly seconds_left: number | null;
  readonly documents_compared: number;
};

export type ShownView = {
  readonly name: string;
  readonly version: number;
  readonly storage_version: number;
  /** Differences are expected: another version of the projection was live, or streams were parked. */
  readonly is_changed: boolean;
  readonly documents: number | null;
  readonly live_documents: number | null;
  readonly hash: string | null;
  readonly differing: number | null;
  readonly differences: readonly string[];
};

/** A system view with one document. */
export const rebuildsView: View = { name: 'rebuilds', version: 1, indexes: [] };
const id = 'current';
const recordCheckpoint = 'rebuilds';

export const isOpen = ({ state }: RebuildRecord): boolean => state === 'waiting' || state === 'running';

type Asked = 'rebuild_id' | 'views' | 'dry_run' | 'cause' | 'requested_at';

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

export const showView = ({ name, version, storage, isChanged, ...found }: RebuiltView): ShownView => ({
  name,
  version,
  storage_version: storage,
  is_changed: isChanged,
  documents: found.documents ?? null,
  live_documents: found.live ?? null,
  hash: found.hash ?? null,
  differing: found.differing ?? null,
  differences: found.differences ?? [],
});

/** What stands in the views. */
export interface KeptRecords {
  /** Undefined when there has been none. */
  readonly record: RebuildRecord | undefined;
  /** Asked for, and put off by what a start needs: carried out after that. */
  readonly postponed: RebuildRecord | undefined;
}

/** What is to be carried out, or gone on with. */
export const nextOf = ({ record, postponed }: KeptRecords): RebuildRecord | undefined =>
  record !== undefined && isOpen(record) ? record : postponed;

type Stored = RebuildRecord & { readonly postponed?: RebuildRecord | null };

/** @throws ReadModelsUnavailableError */
export async function readRecord(readModels: Pick<ReadModelReader, 'get'>): Promise<RebuildRecord | undefined> {
  return keptIn((await readModels.get<Stored>(rebuildsView, id))?.document).record;
}

function keptIn(stored: Stored | undefined): KeptRecords {
  if (stored === undefined) return { record: undefined, postponed: undefined };
  const { postponed, ...record } = stored;
  return { record, postponed: postponed ?? undefined };
}

/** Undefined, and nothing is written, where `change` gives none. @throws CommitConflictError somebody else has written meanwhile. @throws ReadModelsUnavailableError */
export async function writeRecord(
  readModels: ReadModels,
  change: (kept: KeptRecords) => RebuildRecord | undefined,
): Promise<RebuildRecord | undefined> {
  const [stored, previous] = await Promise.all([
    readModels.get<Stored>(rebuildsView, id),
    readModels.checkpoint(recordCheckpoint),
  ]);
  const kept = keptIn(stored?.document);
  const record = change(kept);
  if (record === undefined) return undefined;
  const document: Stored = { ...record, postponed: postponedBy(record, kept) ?? null };
  const position = String(Number(previous?.position ?? '0') + 1).padStart(16, '0');
  await readModels.commit({
    writes: [{ view: rebuildsView, id, document, position, loaded: stored?.position ?? null }],
    checkpoint: { name: recordCheckpoint, previous, next: { logId: '', position, eventId: '', live: {} } },
  });
  return record;
}

/** A request that was not finished is never written over for good. */
function postponedBy(next: RebuildRecord, { record, postponed }: KeptRecords): RebuildRecord | undefined {
  if (next.rebuild_id === postponed?.rebuild_id) return undefined;
  const isPutOff = record?.cause === 'request' && isOpen(record) && record.rebuild_id !== next.rebuild_id;
  return isPutOff ? record : postponed;
}
