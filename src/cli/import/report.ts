/** The result of an import, in words or as one JSON object. */
import { shown } from '../../transfer/log-address.js';
import type { Copied } from '../copying.js';
import { count, duration } from '../progress-bar.js';
import type { ImportRequest, ImportResult } from '../../transfer/run-import.js';

type ReportedImport = Copied<ImportRequest, ImportResult>;

export function importInWords({ request, result, advice, milliseconds }: ReportedImport): string {
  const { log, alreadyThere, copied, chainHead, hasChecksum } = result;
  const { file, to, isDryRun } = request;
  const lines = [
    `From ${file} to ${shown(to)}`,
    `  log         ${log.logId}`,
    `  file        ${count(log.events)} events${hasChecksum ? ', as its checksum says' : ', without a checksum beside it'}`,
    `  there       ${count(alreadyThere)} events before`,
    `  ${isDryRun ? 'to import ' : 'imported  '}  ${count(copied)} events`,
    `  chain head  ${chainHead}`,
    ...(request.seal === undefined
      ? []
      : [`  seal        right, of ${request.seal.sealed_at} over ${count(request.seal.count)} events`]),
    `  time        ${duration(milliseconds / 1_000)}`,
    '',
    isDryRun
      ? 'Dry run: nothing was written, and nothing stands in the way.'
      : 'The store holds the log of the file, event by event. Views follow at the next start of the service.',
    '',
    advice,
  ];
  return `${lines.join('\n')}\n`;
}

export function importAsJson({ request, result, advice, milliseconds }: ReportedImport): string {
  const { log, alreadyThere, copied, chainHead, hasChecksum } = result;
  const { file, to, isDryRun } = request;
  const report = {
    outcome: isDryRun ? 'checked' : 'identical',
    file,
    to: shown(to),
    dry_run: isDryRun,
    log_id: log.logId,
    events: log.events,
    already_there: alreadyThere,
    imported: isDryRun ? 0 : copied,
    to_import: isDryRun ? copied : 0,
    chain_head: chainHead,
    checksum: hasChecksum ? 'right' : 'none',
    seal: request.seal === undefined ? 'none' : 'right',
    advice,
    milliseconds: Math.round(milliseconds),
  };
  return `${JSON.stringify(report)}\n`;
}
