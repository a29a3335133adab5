/** A migration from beginning to end: examine the source, compare what is there, copy the rest, compare everything. */
import type { Position } from '../eventstore/event-store.js';
import { compareLogs, type Comparison } from './compare-logs.js';
import { copyFrom, findCommonBeginning } from './copy-log.js';
import { examineLog, type ExaminedLog } from './examine-log.js';
import {
  demandReachable,
  largestEventOf,
  openSource,
  openTarget,
  openTargetReader,
  refuseSameLog,
  type SourceLog,
  type Stillness,
} from './log-endpoints.js';
import type { LogAddress } from './log-address.js';
import type { Report } from './migration.js';
import { patiently, type Patience } from './with-retry.js';

export interface MigrationRequest {
  readonly from: LogAddress;
  readonly to: LogAddress;
  readonly isDryRun: boolean;
}

export interface MigrationOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly report: Report;
  /** Something that the operator should know while it runs. */
  readonly onNotice: (notice: string) => void;
}

/**
 * `identical`: done. `differs`: see the comparison. `incomplete`: identical as far as it goes, but the source may still
 * grow or has grown. `checked`: a dry run found no obstacle.
 */
export type Outcome = 'identical' | 'differs' | 'incomplete' | 'checked';

export interface MigrationResult {
  readonly outcome: Outcome;
  readonly log: ExaminedLog;
  readonly source: Stillness;
  /** Events that were in the target before. */
  readonly alreadyThere: number;
  /** Events that were copied; in a dry run: that would be. */
  readonly copied: number;
  readonly comparison?: Comparison;
}

/** @throws MigrationRefusedError, StoreUnavailableError, AppendInDoubtError; the signal's reason when it aborts. */
export async function runMigration(migration: MigrationRequest, options: MigrationOptions): Promise<MigrationResult> {
  refuseSameLog(migration.from, migration.to);
  const source = await openSource(migration.from, options);
  try {
    if ((await source.hold()) === 'in_use')
      options.onNotice('A service is running on the source; stop it when most is copied, and the rest follows.');
    await demandReachable(migration.to, options);
    const log = await examineLog({
      source: source.reader,
      largestEvent: largestEventOf(migration.to),
      ...options,
    });
    const run = migration.isDryRun ? rehearse : perform;
    return await run({ migration, source, log, options });
  } finally {
    await source.close();
  }
}

interface Run {
  readonly migration: MigrationRequest;
  readonly source: SourceLog;
  readonly log: ExaminedLog;
  readonly options: MigrationOptions;
}

async function rehearse({ migration, source, log, options }: Run): Promise<MigrationResult> {
  const target = await openTargetReader(migration.to, options);
  try {
    const there =
      target === undefined
        ? 0
        : (await findCommonBeginning({ source: source.reader, target, total: log.events, ...options })).events;
    const copied = Math.max(0, log.events - there);
    return { outcome: 'checked', log, source: await source.hold(), alreadyThere: there, copied };
  } finally {
    await target?.close();
  }
}

async function perform({ migration, source, log, options }: Run): Promise<MigrationResult> {
  const target = await openTarget(migration.to, options);
  try {
    let hasGrown = false;
    const onGrown = (): void => {
      if (!hasGrown) options.onNotice('The source has grown; what came is copied, too.');
      hasGrown = true;
    };
    const copying = { source: source.reader, target, total: log.events, onGrown, ...options };
    const there = await findCommonBeginning(copying);
    let reached = await copyFrom(there, copying);
    // The service may have been stopped meanwhile.
    const stillness = await source.hold();
    reached = await copyFrom(reached, copying);
    const comparison = await compareLogs({
      source: source.reader,
      until: reached.position,
      target,
      total: reached.events,
      ...options,
    });
    const isWhole = stillness !== 'in_use' && (await standsAt(source, reached.position, options));
    const outcome = comparison.difference !== undefined ? 'differs' : isWhole ? 'identical' : 'incomplete';
    const copied = reached.events - there.events;
    return { outcome, log, source: stillness, alreadyThere: there.events, copied, comparison };
  } finally {
    await target.close();
  }
}

async function standsAt({ reader }: SourceLog, position: Position, options: MigrationOptions): Promise<boolean> {
  return (await patiently(() => reader.head(), options)) === position;
}
