/** A migration: an export of one store that is imported into another, without a file between them. No service runs meanwhile. */
import { copyExamined, type CopyOptions, type CopyResult, type HeadKeyOf } from './copy.js';
import { examineLog } from './examine.js';
import { demandReachable, openSource, refuseSameLog, running, type SourceState } from './endpoints.js';
import type { LogAddress } from '../stores/stores.js';

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
