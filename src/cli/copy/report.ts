/** The result of an import of events or of a migration, in words or as one JSON object. */
import { endpointOf, type Endpoint } from '../../copy/endpoints.js';
import type { ImportRequest, ImportResult } from '../../copy/import.js';
import type { Migration, MigrationResult } from '../../copy/copy.js';
import { formatCount, duration } from '../shared/numbers.js';
import { printable } from '../../events/printable.js';

interface Copied<Request, Result> {
  readonly request: Request;
  readonly result: Result;
  /** Where the secret of the log is, and what to do with it. */
  readonly advice: string;
  readonly milliseconds: number;
}

type ReportedImport = Copied<ImportRequest, ImportResult & { readonly hasChecksum: boolean }>;
type Migrated = Copied<Migration, MigrationResult>;

const inLines = (lines: readonly string[]): string => `${lines.map(printable).join('\n')}\n`;

const nothingInTheWay = 'Dry run: nothing was written, and nothing stands in the way.';

export function importInWords({ request, result, advice, milliseconds }: ReportedImport): string {
  const { log, alreadyThere, copied, root, hasChecksum } = result;
  const { file, to, isDryRun, seal } = request;
  return inLines([
    `From ${file} to ${endpointOf(to).name}`,
    `  log         ${log.logId}`,
    `  file        ${formatCount(log.events)} events${hasChecksum ? ', as its checksum says' : ', without a checksum beside it'}`,
    `  there       ${formatCount(alreadyThere)} events before`,
    `  ${isDryRun ? 'to import ' : 'imported  '}  ${formatCount(copied)} events`,
    `  root        ${root}`,
    ...(seal === undefined
      ? []
      : [`  seal        matches, of ${seal.sealed_at} over ${formatCount(seal.count)} events`]),
    `  time        ${duration(milliseconds / 1_000)}`,
    '',
    isDryRun
      ? nothingInTheWay
      : 'The store holds the log of the file, event by event. Views follow at the next start of the service.',
    '',
    advice,
  ]);
}

export function importAsJson({ request, result, advice, milliseconds }: ReportedImport): string {
  const { log, alreadyThere, copied, root, hasChecksum } = result;
  const { file, to, isDryRun, seal } = request;
  const report = {
    outcome: isDryRun ? 'checked' : 'identical',
    file,
    to: endpointOf(to).name,
    dry_run: isDryRun,
    log_id: log.logId,
    events: log.events,
    already_there: alreadyThere,
    imported: isDryRun ? 0 : copied,
    to_import: isDryRun ? copied : 0,
    root,
    checksum: hasChecksum ? 'right' : 'none',
    seal: seal === undefined ? 'none' : 'right',
    advice,
    milliseconds: Math.round(milliseconds),
  };
  return `${JSON.stringify(report)}\n`;
}

export function migratedInWords({ request, result, advice, milliseconds }: Migrated): string {
  const { alreadyThere, copied, comparison, log } = result;
  const digests =
    comparison === undefined
      ? []
      : [
          `  source      ${formatCount(comparison.source.events)} events, SHA-256 ${comparison.source.sha256}`,
          `  target      ${formatCount(comparison.target.events)} events, SHA-256 ${comparison.target.sha256}`,
        ];
  return inLines([
    `From ${endpointOf(request.from).name} to ${endpointOf(request.to).name}`,
    `  log         ${log.logId}`,
    `  there       ${formatCount(alreadyThere)} events before`,
    `  ${request.isDryRun ? 'to copy ' : 'copied  '}    ${formatCount(copied)} events`,
    ...digests,
    `  time        ${duration(milliseconds / 1_000)}`,
    '',
    ...verdict(result, request),
    ...(result.outcome === 'differs' ? [] : ['', advice]),
  ]);
}

function verdict({ outcome, source, comparison }: MigrationResult, { from }: Migration): string[] {
  switch (outcome) {
    case 'identical':
      return [
        'The two logs are identical.',
        ...(source === 'unknown' ? [cannotTell(endpointOf(from))] : []),
        viewsFollow,
      ];
    case 'differs':
      return [`THE TWO LOGS DIFFER: ${comparison?.difference ?? 'the place is not known'}.`];
    case 'checked':
      return [
        nothingInTheWay,
        ...(source === 'in_use' ? ['A service is running on the source: stop it before the copy.'] : []),
      ];
    default:
      return outcome satisfies never;
  }
}

const viewsFollow = 'Views are not copied: the service folds them from the log at its next start.';

const cannotTell = ({ whyStateUnknown }: Endpoint): string =>
  `${whyStateUnknown}: make sure that no service was running on the source.`;

export function migratedAsJson({ request, result, advice, milliseconds }: Migrated): string {
  const { outcome, log, source, alreadyThere, copied, comparison } = result;
  const { from, to, isDryRun } = request;
  const report = {
    outcome,
    from: endpointOf(from).name,
    to: endpointOf(to).name,
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
