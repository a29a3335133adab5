/** A migration from beginning to end: examines the source, then copies it and compares. */
import { copyExamined, type CopyOptions, type CopyResult, type HeadKeyOf } from './copy-examined.js';
import { examineLog } from './examine-log.js';
import type { LogAddress } from './log-address.js';
import { demandReachable, openSource, refuseSameLog } from './log-endpoints.js';

export interface Migration {
  readonly from: LogAddress;
  readonly to: LogAddress;
  readonly isDryRun: boolean;
}

export interface MigrationRequest extends Migration {
  /** Asked before anything is written: the key of the sealed head. @throws CommandFailedError it is needed and not known */
  readonly headKeyOf: HeadKeyOf;
}

export async function runMigration(
  { from, to, isDryRun, headKeyOf }: MigrationRequest,
  options: CopyOptions,
): Promise<CopyResult> {
  refuseSameLog(from, to);
  const source = await openSource(from, options);
  try {
    if ((await source.hold()) === 'in_use')
      options.onNotice('A service is running on the source; stop it when most is copied, and the rest follows.');
    await demandReachable(to, options);
    const log = await examineLog({ source: source.reader, ...options });
    return await copyExamined({ source, log, to, isDryRun, headKey: headKeyOf(log) }, options);
  } finally {
    await source.close();
  }
}
