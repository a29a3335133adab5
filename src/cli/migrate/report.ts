/** The result of a migration, in words or as one JSON object. */
import { shown } from '../../transfer/log-address.js';
import type { Copied } from '../copying.js';
import { count, duration } from '../progress-bar.js';
import type { CopyResult } from '../../transfer/copy-examined.js';
import type { Migration } from '../../transfer/run-migration.js';

type Migrated = Copied<Migration, CopyResult>;

export function migratedInWords({ request, result, advice, milliseconds }: Migrated): string {
  const { alreadyThere, copied, comparison, log } = result;
  const lines = [
    `From ${shown(request.from)} to ${shown(request.to)}`,
    `  log         ${log.logId}`,
    `  there       ${count(alreadyThere)} events before`,
    `  ${request.isDryRun ? 'to copy ' : 'copied  '}    ${count(copied)} events`,
  ];
  if (comparison !== undefined)
    lines.push(
      `  source      ${count(comparison.source.events)} events, SHA-256 ${comparison.source.sha256}`,
      `  target      ${count(comparison.target.events)} events, SHA-256 ${comparison.target.sha256}`,
    );
  lines.push(`  time        ${duration(milliseconds / 1_000)}`, '', ...verdict(result, request));
  if (result.outcome !== 'differs') lines.push('', advice);
  return `${lines.join('\n')}\n`;
}

function verdict({ outcome, source, comparison }: CopyResult, { from }: Migration): string[] {
  switch (outcome) {
    case 'identical':
      return ['The two logs are identical.', ...(source === 'unknown' ? [cannotTell(from.kind)] : []), viewsFollow];
    case 'differs':
      return [`THE TWO LOGS DIFFER: ${comparison?.difference ?? 'the place is not known'}.`];
    case 'incomplete':
      return [
        'NOT FINISHED: the two logs are identical as far as they were copied, but the source is still in use.',
        'Stop the service on the source and run the same command again: only the last part is copied then.',
      ];
    case 'checked':
      return [
        'Dry run: nothing was written, and nothing stands in the way.',
        ...(source === 'in_use' ? ['A service is running on the source: stop it before the last part is copied.'] : []),
      ];
    default:
      return outcome satisfies never;
  }
}

const viewsFollow = 'Views are not copied: the service folds them from the log at its next start.';

const cannotTell = (kind: 'folder' | 'eventstoredb'): string =>
  `${kind === 'folder' ? 'The source could not be locked' : 'EventStoreDB cannot tell who writes to it'}: make sure that no service was running on the source.`;

export function migratedAsJson({ request, result, advice, milliseconds }: Migrated): string {
  const { outcome, log, source, alreadyThere, copied, comparison } = result;
  const { from, to, isDryRun } = request;
  const report = {
    outcome,
    from: shown(from),
    to: shown(to),
    dry_run: isDryRun,
    log_id: log.logId,
    source_state: source,
    already_there: alreadyThere,
    copied: isDryRun ? 0 : copied,
    to_copy: isDryRun ? copied : 0,
    source: comparison?.source ?? null,
    target: comparison?.target ?? null,
    difference: comparison?.difference ?? null,
    advice,
    milliseconds: Math.round(milliseconds),
  };
  return `${JSON.stringify(report)}\n`;
}
