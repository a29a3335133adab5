/** Copies an examined log, as import and migration do: compares what is there already, copies the rest, compares everything. A migration is an export of one store that is imported into another, without a file between them. */
import type { EventReader } from '../eventstore/event-store.js';
import { withRetry, type Retrying } from '../eventstore/with-retry.js';
import { CommandFailedError } from '../failures.js';
import type { Report } from '../flow/progress.js';
import type { LogAddress } from '../stores/stores.js';
import { copyMissing } from './append.js';
import { compareLogs, findCommonBeginning, type Comparison } from './compare.js';
import { type ExaminedLog, examineLog } from './examine.js';
import {
  openTarget,
  openTargetReader,
  demandReachable,
  openSource,
  refuseSameLog,
  running,
  type SourceState,
} from './endpoints.js';

export interface CopyOptions extends Retrying {
  readonly report: Report;
  readonly onNotice: (notice: string) => void;
}

interface Copy {
  readonly source: Pick<EventReader, 'readAll' | 'head'>;
  readonly log: ExaminedLog;
  readonly to: LogAddress;
  readonly isDryRun: boolean;
  /** Makes the sealed head of a log in a folder. */
  readonly headKey: Uint8Array | undefined;
}

/** Undefined where the target makes no sealed head. @throws CommandFailedError the log goes into a folder, and its secret is not known */
export type HeadKeyOf = (log: ExaminedLog) => Uint8Array | undefined;

export interface CopyResult {
  /** `identical`: done. `differs`: see the comparison. `checked`: a dry run found no obstacle. */
  readonly outcome: 'identical' | 'differs' | 'checked';
  readonly log: ExaminedLog;
  readonly alreadyThere: number;
  readonly copied: number;
  readonly comparison?: Comparison;
}

/** @throws CommandFailedError, StoreUnavailableError, AppendInDoubtError: the same command again goes on; the signal's reason when it aborts. */
export const copyExamined = (copy: Copy, options: CopyOptions): Promise<CopyResult> =>
  copy.isDryRun ? rehearse(copy, options) : perform(copy, options);

async function rehearse({ source, log, to }: Copy, options: CopyOptions): Promise<CopyResult> {
  const target = await openTargetReader(to, options);
  try {
    const logs = { source, until: log.head, total: log.events, ...options };
    const { events } = target === undefined ? { events: 0 } : await findCommonBeginning({ ...logs, target });
    return { outcome: 'checked', log, alreadyThere: events, copied: log.events - events };
  } finally {
    await target?.close();
  }
}

/** The embedded log takes appends in the order of the calls, and many in one commit. */
const appendsAtOnce = { embedded: 256, eventstoredb: 1 } as const;

async function perform({ source, log, to, headKey }: Copy, options: CopyOptions): Promise<CopyResult> {
  const target = await openTarget(to, headKey, options);
  try {
    const logs = { source, until: log.head, target, total: log.events, ...options };
    const there = await findCommonBeginning(logs);
    const reached = await copyMissing(there, { ...logs, appendsAtOnce: appendsAtOnce[to.kind] });
    const comparison = await compareLogs(logs);
    if ((await withRetry(() => source.head(), options)) !== log.head)
      throw new CommandFailedError(
        'NOT FINISHED: the source has grown since it was read. Stop the service on it and run the same command again: only the rest is copied then.',
        { type: 'in_use' },
      );
    const outcome = comparison.difference === undefined ? 'identical' : 'differs';
    return { outcome, log, alreadyThere: there.events, copied: reached.events - there.events, comparison };
  } finally {
    await target.close();
  }
}

export interface Migration {
  readonly from: LogAddress;
  readonly to: LogAddress;
  readonly isDryRun: boolean;
}

interface MigrationRequest extends Migration {
  /** Asked before anything is written: the key of the sealed head. @throws CommandFailedError it is needed and not known */
  readonly headKeyOf: HeadKeyOf;
}

export interface MigrationResult extends CopyResult {
  readonly source: SourceState;
}

/** @throws CommandFailedError a service runs on the source; else as `copyExamined`. A dry run only says so. */
export async function runMigration(
  { from, to, isDryRun, headKeyOf }: MigrationRequest,
  options: CopyOptions,
): Promise<MigrationResult> {
  refuseSameLog(from, to);
  const source = await openSource(from, options);
  try {
    if (source.state === 'in_use' && !isDryRun) throw running(from);
    await demandReachable(to, options);
    const log = await examineLog({ source: source.reader, ...options });
    const copy = { source: source.reader, log, to, isDryRun, headKey: headKeyOf(log) };
    return { ...(await copyExamined(copy, options)), source: source.state };
  } finally {
    await source.close();
  }
}
