/** The record of the last rebuild, which every process can read, and the state of each view. */
import { z } from 'zod';
import { liveProjections } from '../projections/views.js';
import type { Poison } from '../projector/fold.js';
import { readParked } from '../projector/parked.js';
import { checkpointName, isOf } from '../projector/storage.js';
import {
  CommitConflictError,
  ReadModelsUnavailableError,
  type ReadModelReader,
  type ReadModels,
} from '../readmodels/read-models.js';
import { parked, rebuild, viewName, type Rebuild, type RebuildRun, type ViewState } from './answers.js';

/** A rebuild without the event that stopped it, which is read from the log for each answer. */
export type RebuildRecord = Omit<Rebuild, 'poison'> & { readonly poison: Poison | null };

const recordName = 'rebuild';

export const isOpen = ({ state }: Pick<RebuildRecord, 'state'>): boolean => state === 'waiting' || state === 'running';

type RequestMember = 'rebuild_id' | 'views' | 'dry_run' | 'accept_differences' | 'cause' | 'requested_at';

export const newRecord = (request: Pick<RebuildRecord, RequestMember>): RebuildRecord => ({
  ...request,
  state: 'waiting',
  finished_at: null,
  progress: null,
  fault: null,
  outcome: null,
  results: [],
  poison: null,
});

export const runOf = ({ views, cause, dry_run, accept_differences }: RebuildRecord): RebuildRun => ({
  views,
  dryRun: dry_run,
  acceptDifferences: accept_differences === true,
  // The service must start although an event cannot be folded.
  park: cause === 'start',
});

export interface StoredRecords {
  readonly record: RebuildRecord | undefined;
  /** A request that was put off by a rebuild of missing views, and is carried out after it. */
  readonly postponed: RebuildRecord | undefined;
}

export const nextOf = ({ record, postponed }: StoredRecords): RebuildRecord | undefined =>
  record !== undefined && isOpen(record) ? record : postponed;

const lastRebuild = rebuild.extend({
  poison: z.object({ view: viewName, ...parked, event_id: z.string(), event_type: z.string() }).nullable(),
});
// Loose, so that fields of a later version are written back.
const storedRebuild = lastRebuild.loose().extend({
  postponed: lastRebuild.loose().nullable().optional(),
});
type StoredRebuild = z.infer<typeof storedRebuild>;

type Reader = Pick<ReadModelReader, 'readRecord'>;

export async function readRebuildRecord(readModels: Reader): Promise<RebuildRecord | undefined> {
  return (await readRecords(readModels)).record;
}

interface VersionedRecords extends StoredRecords {
  readonly version: string | null;
}

async function readRecords(readModels: Reader): Promise<VersionedRecords> {
  const kept = await readModels.readRecord(recordName);
  if (kept === null) return { record: undefined, postponed: undefined, version: null };
  const { postponed, ...record } = parsed(kept.value);
  return { record, postponed: postponed ?? undefined, version: kept.version };
}

/** @throws ReadModelsUnavailableError if the record has a shape that this version does not know, so that it is not overwritten */
function parsed(value: unknown): StoredRebuild {
  const { data, error } = storedRebuild.safeParse(value);
  if (data !== undefined) return data;
  const fields = error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new ReadModelsUnavailableError(`the record of the last rebuild cannot be read by this version: ${fields}`);
}

/** Writes the record that `change` returns. Writes nothing if it returns undefined. @throws CommitConflictError if another process has written the record @throws ReadModelsUnavailableError */
export async function writeRebuildRecord(
  readModels: ReadModels,
  change: (stored: StoredRecords) => RebuildRecord | undefined,
): Promise<RebuildRecord | undefined> {
  const { version: previous, ...records } = await readRecords(readModels);
  const record = change(records);
  if (record === undefined) return undefined;
  const value = { ...record, postponed: postponedBy(record, records) ?? null };
  if (!(await readModels.putRecord({ name: recordName, value, previous })))
    throw new CommitConflictError('another process has written the record of the last rebuild');
  return record;
}

/** A request that was not finished is never lost. */
function postponedBy(next: RebuildRecord, { record, postponed }: StoredRecords): RebuildRecord | undefined {
  if (next.rebuild_id === postponed?.rebuild_id) return undefined;
  const isPutOff = record?.cause === 'request' && isOpen(record) && record.rebuild_id !== next.rebuild_id;
  return isPutOff ? record : postponed;
}

/** The state of a view as it is stored. Without a service the lag is not known. */
export type StoredViewState = Omit<ViewState, 'lag_ms'> & { readonly lag_ms: number | null };

/** Returns the stored state of each view, for a command that finds no running service. @throws ReadModelsUnavailableError */
export async function storedViewStates(views: ReadModelReader): Promise<readonly StoredViewState[]> {
  const checkpoint = await views.checkpoint(checkpointName);
  const parked = checkpoint === null ? [] : [...(await readParked(views)).values()];
  const record = await readRebuildRecord(views);
  const open = record !== undefined && isOpen(record) ? record : undefined;
  return liveProjections.map(({ name, version }): StoredViewState => {
    const storage = checkpoint?.storages[name];
    const isLive = isOf({ version }, storage);
    return {
      name,
      version,
      state: isLive ? 'live' : 'missing',
      storage_version: isLive ? (storage ?? null) : null,
      position: checkpoint?.position ?? '',
      lag_ms: null,
      parked: parked.filter(({ view }) => view === name).map(({ storage: _, ...stream }) => stream),
      rebuild_id: open?.views.includes(name) === true ? open.rebuild_id : null,
    };
  });
}
