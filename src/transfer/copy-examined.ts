/** A copy of an examined log, as import and migration make it: compare what is there already, copy the rest, compare everything. */
import { compareLogs, type Comparison } from './compare-logs.js';
import { copyFrom, findCommonBeginning } from './copy-log.js';
import type { ExaminedLog } from './examine-log.js';
import type { LogAddress } from './log-address.js';
import { openTarget, openTargetReader, type CopySource, type Stillness } from './log-endpoints.js';
import type { Report } from './progress.js';
import { withRetry, type Retrying } from './with-retry.js';

export interface CopyOptions extends Retrying {
  readonly report: Report;
  readonly onNotice: (notice: string) => void;
}

interface Copy {
  readonly source: CopySource;
  readonly log: ExaminedLog;
  readonly to: LogAddress;
  readonly isDryRun: boolean;
  /** Makes the sealed head of a log in a folder. */
  readonly headKey: Uint8Array | undefined;
}

/** Undefined where the target makes no sealed head. @throws CommandFailedError the log goes into a folder, and its secret is not known */
export type HeadKeyOf = (log: ExaminedLog) => Uint8Array | undefined;

export interface CopyResult {
  /**
   * `identical`: done. `differs`: see the comparison. `incomplete`: identical as far as it goes, but the source may still
   * grow or has grown. `checked`: a dry run found no obstacle.
   */
  readonly outcome: 'identical' | 'differs' | 'incomplete' | 'checked';
  readonly log: ExaminedLog;
  readonly source: Stillness;
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
    const copying = { source: source.reader, total: log.events, ...options };
    const { events } = target === undefined ? { events: 0 } : await findCommonBeginning({ ...copying, target });
    const copied = Math.max(0, log.events - events);
    return { outcome: 'checked', log, source: await source.hold(), alreadyThere: events, copied };
  } finally {
    await target?.close();
  }
}

/** The embedded log takes appends in the order of the calls, and many in one commit. */
const appendsAtOnce = { folder: 256, eventstoredb: 1 } as const;

async function perform({ source, log, to, headKey }: Copy, options: CopyOptions): Promise<CopyResult> {
  const { reader } = source;
  const target = await openTarget(to, headKey, options);
  try {
    let hasGrown = false;
    const onGrown = (): void => {
      if (!hasGrown) options.onNotice('The source has grown; the new events are copied, too.');
      hasGrown = true;
    };
    const copying = {
      source: reader,
      target,
      total: log.events,
      onGrown,
      appendsAtOnce: appendsAtOnce[to.kind],
      ...options,
    };
    const there = await findCommonBeginning(copying);
    let reached = await copyFrom(there, copying);
    // The service on the source may have stopped meanwhile.
    const stillness = await source.hold();
    reached = await copyFrom(reached, copying);
    const comparison = await compareLogs({ ...copying, until: reached.position, total: reached.events });
    const isWhole = stillness !== 'in_use' && (await withRetry(() => reader.head(), options)) === reached.position;
    const outcome = comparison.difference !== undefined ? 'differs' : isWhole ? 'identical' : 'incomplete';
    const copied = reached.events - there.events;
    return { outcome, log, source: stillness, alreadyThere: there.events, copied, comparison };
  } finally {
    await target.close();
  }
}
