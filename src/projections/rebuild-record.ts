/** The last rebuild, as every process can read it: what was asked for, how far it is, what came of it. Whoever leads carries it out. */
import type { ReadModelReader, ReadModels, View } from '../readmodels/read-models.js';
import type { Poison } from './orders.js';
import type { RebuildResult, RebuildStage, RebuiltView } from './rebuild-messages.js';

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
  /** Null before it has begun. */
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

/** @throws ReadModelsUnavailableError */
export async function readRecord(readModels: Pick<ReadModelReader, 'get'>): Promise<RebuildRecord | undefined> {
  return (await readModels.get<RebuildRecord>(rebuildsView, id))?.document;
}

/** Over the record as it stands. @throws CommitConflictError somebody else has written it meanwhile. @throws ReadModelsUnavailableError */
export async function writeRecord(
  readModels: ReadModels,
  change: (current: RebuildRecord | undefined) => RebuildRecord | undefined,
): Promise<RebuildRecord | undefined> {
  const [stored, previous] = await Promise.all([
    readModels.get<RebuildRecord>(rebuildsView, id),
    readModels.checkpoint(recordCheckpoint),
  ]);
  const document = change(stored?.document);
  if (document === undefined) return undefined;
  const position = String(Number(previous?.position ?? '0') + 1).padStart(16, '0');
  await readModels.commit({
    writes: [{ view: rebuildsView, id, document, position, loaded: stored?.position ?? null }],
    checkpoint: { name: recordCheckpoint, previous, next: { logId: '', position, eventId: '', live: {} } },
  });
  return document;
}
