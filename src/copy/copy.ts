/** Copies a log into another store, as import and migration do. A migration is an export of one store that is imported into another, without a file between them. */
import type { EventReader } from '../eventstore/event-store.js';
import { withRetry, type RetryOptions } from '../eventstore/with-retry.js';
import { CommandFailedError } from '../failures.js';
import type { ReportProgress } from '../flow/progress.js';
import type { LogSettings } from '../stores/stores.js';
import { copyMissing } from './append.js';
import { compareLogs, findCommonBeginning, type Comparison } from './compare.js';
import { examineLog, type ExaminedLog } from './examine.js';
import { endpointOf, refuseSameLog, running, type SourceState } from './endpoints.js';

export interface CopyOptions extends RetryOptions {
  readonly report: ReportProgress;
  readonly onNotice: (notice: string) => void;
  /** Called when the source has been examined, before anything is written. What it throws ends the copy. */
  readonly onExamined?: ((log: ExaminedLog) => void) | undefined;
}

interface Copy {
  readonly source: Pick<EventReader, 'readAll' | 'head'>;
  readonly to: LogSettings;
  readonly isDryRun: boolean;
}

export interface CopyResult {
  /** `identical`: done. `differs`: see the comparison. `checked`: a dry run found no obstacle. */
  readonly outcome: 'identical' | 'differs' | 'checked';
  readonly log: ExaminedLog;
  readonly alreadyThere: number;
  readonly copied: number;
  readonly comparison?: Comparison;
}

/**
 * Examines the source, compares what is there already, copies the rest, compares everything.
 * @throws CommandFailedError, StoreUnavailableError, AppendInDoubtError: the same command again goes on; the signal's reason when it aborts.
 */
export async function copyLog({ source, to, isDryRun }: Copy, options: CopyOptions): Promise<CopyResult> {
  const { openTarget, appendsAtOnce } = endpointOf(to);
  const target = await openTarget(options);
  try {
    const log = await examineLog({ source, ...options });
    options.onExamined?.(log);
    const logs = { source, until: log.head, total: log.events, ...options };
    if (isDryRun) {
      const { reader } = target;
      const { events } = reader === undefined ? { events: 0 } : await findCommonBeginning({ ...logs, target: reader });
      return { outcome: 'checked', log, alreadyThere: events, copied: log.events - events };
    }
    const copying = { ...logs, target: await target.toAppend(), appendsAtOnce };
    const there = await findCommonBeginning(copying);
    const reached = await copyMissing(there, copying);
    const comparison = await compareLogs(copying);
    if ((await withRetry(() => source.head(), options)) !== log.head) throw grown();
    const outcome = comparison.difference === undefined ? 'identical' : 'differs';
    return { outcome, log, alreadyThere: there.events, copied: reached.events - there.events, comparison };
  } finally {
    await target.close();
  }
}

const grown = (): Error =>
  new CommandFailedError(
    'NOT FINISHED: the source has grown since it was read. Stop the service on it and run the same command again: only the rest is copied then.',
    { type: 'in_use' },
  );

export interface Migration {
  readonly from: LogSettings;
  readonly to: LogSettings;
  readonly isDryRun: boolean;
}

export interface MigrationResult extends CopyResult {
  readonly source: SourceState;
}

/** @throws CommandFailedError a service runs on the source; else as `copyLog`. A dry run only says so. */
export async function runMigration({ from, to, isDryRun }: Migration, options: CopyOptions): Promise<MigrationResult> {
  const end = endpointOf(from);
  refuseSameLog(end, endpointOf(to));
  const source = await end.openSource(options);
  try {
    if (source.state === 'in_use' && !isDryRun) throw running(end.name);
    const result = await copyLog({ source: source.reader, to, isDryRun }, options);
    return { ...result, source: source.state };
  } finally {
    await source.close();
  }
}
