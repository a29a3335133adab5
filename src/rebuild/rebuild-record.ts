/** The last rebuild, as every process can read it: what was asked for, how far it is, what came of it. The process that leads carries it out. */
import { z } from 'zod';
import type { Poison } from '../projector/fold.js';
import {
  CommitConflictError,
  ReadModelsUnavailableError,
  type ReadModelReader,
  type ReadModels,
  type StoredDocument,
  type View,
} from '../readmodels/read-models.js';
import { modeOf, parked, rebuild, viewName, type Rebuild, type RebuildRun } from './answers.js';

/** Without the event that stopped it: that is read from the log for each answer. */
export type RebuildRecord = Omit<Rebuild, 'poison'> & { readonly poison: Poison | null };

const recordName = 'rebuild';
/** Where earlier versions keep it, also while they run beside this one: a request that reached them counts here, too. */
export const rebuildsView: View = { name: 'rebuilds', version: 1, indexes: [] };
const olderId = 'current';

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
  mode: cause === 'start' ? 'start' : modeOf({ dryRun: dry_run, acceptDifferences: accept_differences }),
});

export interface StoredRecords {
  readonly record: RebuildRecord | undefined;
  /** A request that was put off by what a start needs: carried out after that. */
  readonly postponed: RebuildRecord | undefined;
}

export const nextOf = ({ record, postponed }: StoredRecords): RebuildRecord | undefined =>
  record !== undefined && isOpen(record) ? record : postponed;

const lastRebuild = rebuild.extend({
  poison: z.object({ view: viewName, ...parked, event_id: z.string(), event_type: z.string() }).nullable(),
});
// Loose: what a later version adds is written back.
const storedRebuild = lastRebuild.loose().extend({
  postponed: lastRebuild.loose().nullable().optional(),
  /** How far what earlier versions keep is taken over. */
  taken_over: z.string().optional(),
});
type StoredRebuild = z.infer<typeof storedRebuild>;

type Reader = Pick<ReadModelReader, 'get' | 'readRecord'>;

export async function readRebuildRecord(readModels: Reader): Promise<RebuildRecord | undefined> {
  return (await readRecords(readModels)).record;
}

interface VersionedRecords extends StoredRecords {
  readonly version: string | null;
  readonly takenOver: string;
}

async function readRecords(readModels: Reader): Promise<VersionedRecords> {
  const [kept, older] = await Promise.all([readModels.readRecord(recordName), readModels.get(rebuildsView, olderId)]);
  const stored = kept === null ? undefined : parsed(kept.value);
  const versions = { version: kept?.version ?? null, takenOver: older?.position ?? '' };
  return { ...withOlder(stored, older), ...versions };
}

/** What a process of an earlier version has written since that was last taken over comes first. */
function withOlder(stored: StoredRebuild | undefined, older: StoredDocument | undefined): StoredRecords {
  const own = recordsIn(stored);
  if (older === undefined || older.position <= (stored?.taken_over ?? '')) return own;
  const { record, postponed } = recordsIn(parsed(older.document));
  return { record, postponed: postponed ?? nextOf(own) };
}

/** @throws ReadModelsUnavailableError it is not of a shape that this version knows: nothing is written over it. */
function parsed(value: unknown): StoredRebuild {
  const { data, error } = storedRebuild.safeParse(value);
  if (data !== undefined) return data;
  const fields = error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new ReadModelsUnavailableError(`the record of the last rebuild cannot be read by this version: ${fields}`);
}

function recordsIn(stored: StoredRebuild | undefined): StoredRecords {
  if (stored === undefined) return { record: undefined, postponed: undefined };
  const { postponed, taken_over: _, ...record } = stored;
  return { record, postponed: postponed ?? undefined };
}

/** Undefined, and nothing is written, where `change` gives none. @throws CommitConflictError another process has written meanwhile. @throws ReadModelsUnavailableError */
export async function writeRebuildRecord(
  readModels: ReadModels,
  change: (stored: StoredRecords) => RebuildRecord | undefined,
): Promise<RebuildRecord | undefined> {
  const { version: previous, takenOver: taken_over, ...records } = await readRecords(readModels);
  const record = change(records);
  if (record === undefined) return undefined;
  const value = { ...record, postponed: postponedBy(record, records) ?? null, taken_over };
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
