/** The result of an export, in words or as one JSON object. */
import path from 'node:path';
import { notRecorded } from '../not-recorded.js';
import { unreadableInWords } from '../unreadable-report.js';
import { checksumFileOf } from '../../export/file.js';
import { count, duration } from '../progress-bar.js';
import type { ExportedKind, ExportRequest, ExportResult } from '../../export/run-export.js';

const records: Readonly<Record<ExportedKind, string>> = {
  events: 'events',
  contacts: 'contacts',
  lists: 'lists',
  growth: 'days of lists',
};

export const showsPersons = ({ what }: Pick<ExportRequest, 'what'>): boolean =>
  what === 'events' || what === 'contacts';

export function exportInWords({ what, format, time, file }: ExportRequest, result: ExportResult): string {
  const { bytes, sha256, events, position, milliseconds } = result;
  const lines = [
    `Exported ${count(result.records)} ${records[what]}, ${count(result.rows)} ${format === 'ndjson' ? 'lines' : 'rows'}${time === undefined ? '' : `, as of ${time}`}`,
    `  to         ${file === '-' ? 'standard output' : file} (${format}, ${count(bytes)} bytes)`,
    `  SHA-256    ${sha256}`,
    `  read       ${count(events)} events, up to position ${position}`,
    `  time       ${duration(milliseconds / 1_000)}, ${count(perSecond(result))} events/s`,
  ];
  if (file !== '-') lines.push(`  to check   sha256sum -c ${path.basename(checksumFileOf(file))}`);
  if (what === 'events' && time !== undefined)
    lines.push('An export that is cut at a time is no whole log: it cannot be imported or verified.');
  return `${[...lines, ...unreadableInWords(result.unreadable)].join('\n')}\n`;
}

export function exportAsJson({ what, format, time, file }: ExportRequest, result: ExportResult): string {
  const { bytes, sha256, events, position, milliseconds } = result;
  const report = {
    outcome: 'exported',
    what,
    format,
    file: file === '-' ? null : file,
    at: time ?? null,
    records: result.records,
    rows: result.rows,
    bytes,
    sha256,
    events,
    position,
    events_per_second: perSecond(result),
    milliseconds: Math.round(milliseconds),
    unreadable: result.unreadable.count,
    unreadable_events: result.unreadable.events,
    ...(showsPersons({ what }) ? notRecorded : {}),
  };
  return `${JSON.stringify(report)}\n`;
}

const perSecond = ({ events, milliseconds }: ExportResult): number =>
  milliseconds === 0 ? 0 : Math.round((events / milliseconds) * 1_000);
