/** `audience export`: events, contacts, lists and growth as files for other programs. */
import { Argument, Option, type Command } from 'commander';
import path from 'node:path';
import { z } from 'zod';
import { destination, forceOption, outOption, timeOption, withExamples } from '../shared/options.js';
import type { CommandLine } from '../shared/command-line.js';
import { demandPlace, checksumFileOf } from '../../export/file.js';
import { UsageError } from '../../failures.js';
import { notRecorded, sayNotRecorded, unreadableInWords } from '../shared/in-words.js';
import { formatCount, duration } from '../shared/numbers.js';
import { createProgressBar } from '../shared/progress-bar.js';
import { keepMemorySmall } from '../shared/memory.js';
import { whileOpen } from '../shared/while-open.js';
import {
  exportedKinds,
  formats,
  runExport,
  type ExportRequest,
  type ExportFormat,
  type ExportedKind,
  type ExportResult,
} from '../../export/run-export.js';
import { printable } from '../../events/printable.js';

const optionsSchema = z.object({
  format: z.enum(formats).optional(),
  time: z.string().optional(),
  ...destination,
});

export function registerExport(program: Command, line: CommandLine): void {
  const command = program
    .command('export')
    .description('writes events, contacts, lists or their growth to a file, with its SHA-256 beside it')
    .addArgument(new Argument('<what>', 'what to export').choices(exportedKinds))
    .addOption(outOption('where to; - is standard output (ndjson and csv)').makeOptionMandatory())
    .addOption(
      new Option('--format <format>', 'default: what the name of the file ends with, else ndjson').choices(formats),
    )
    .addOption(timeOption(line.clock))
    .addOption(forceOption())
    .action((what: unknown, options: unknown) => exportTo(line, requestOf(what, options)));
  withExamples(command, [
    'audience export events --out events.ndjson',
    'audience export contacts --at 2026-03-01 --out contacts.csv',
    'audience export growth --out growth.parquet',
    'audience export lists --format csv --out - | head',
  ]);
}

function requestOf(what: unknown, given: unknown): ExportRequest {
  const options = optionsSchema.parse(given);
  const { time, out: file, force } = options;
  const format = options.format ?? formatOf(file);
  if (file === '-' && format === 'parquet')
    throw new UsageError('parquet needs a file: standard output takes ndjson and csv');
  return { what: z.enum(exportedKinds).parse(what), format, time, file, isForced: force };
}

function formatOf(file: string): ExportFormat {
  const ending = path.extname(file).slice(1).toLowerCase();
  return formats.find((format) => format === ending) ?? 'ndjson';
}

async function exportTo(line: CommandLine, request: ExportRequest): Promise<void> {
  const isPiped = request.file === '-';
  if (!isPiped) demandPlace(request.file, request.isForced);
  keepMemorySmall();
  const bar = createProgressBar(line.stderr, line.monotonic);
  try {
    const result = await whileOpen(line.place().openLog(), (reader) =>
      runExport(request, {
        reader,
        stdout: line.stdout,
        signal: line.signal,
        monotonic: line.monotonic,
        // Positions of the embedded log count its events.
        isCounted: line.place().log.settings.deployment === 'embedded',
        report: bar.report,
      }),
    );
    bar.clear();
    const report = line.json ? exportAsJson(request, result) : exportInWords(request, result);
    if (isPiped) line.stderr.write(report);
    else await line.stdout.write(report);
    // A report as JSON that goes there is whole by itself, and says it.
    if (showsPersons(request) && !(isPiped && line.json)) sayNotRecorded(line);
  } finally {
    bar.clear();
  }
}

/** The result, in words or as one JSON object. */
const records: Readonly<Record<ExportedKind, string>> = {
  events: 'events',
  contacts: 'contacts',
  lists: 'lists',
  growth: 'days of lists',
};

const showsPersons = ({ what }: Pick<ExportRequest, 'what'>): boolean => what === 'events' || what === 'contacts';

function exportInWords({ what, format, time, file }: ExportRequest, result: ExportResult): string {
  const { bytes, sha256, events, position, milliseconds, tree } = result;
  const lines = [
    `Exported ${formatCount(result.records)} ${records[what]}, ${formatCount(result.rows)} ${format === 'ndjson' ? 'lines' : 'rows'}${time === undefined ? '' : `, as of ${time}`}`,
    `  to         ${file === '-' ? 'standard output' : file} (${format}, ${formatCount(bytes)} bytes)`,
    `  SHA-256    ${sha256}`,
    `  read       ${formatCount(events)} events, up to position ${position}`,
    ...(tree === null ? [] : [`  root       ${tree.root}, over ${formatCount(tree.count)} events`]),
    `  time       ${duration(milliseconds / 1_000)}, ${formatCount(perSecond(result))} events/s`,
  ];
  if (file !== '-') lines.push(`  to check   sha256sum -c ${path.basename(checksumFileOf(file))}`);
  if (what === 'events' && time !== undefined)
    lines.push('An export that is cut at a time is not a whole log. It cannot be imported or verified.');
  return `${[...lines, ...unreadableInWords(result.unreadable)].map(printable).join('\n')}\n`;
}

function exportAsJson({ what, format, time, file }: ExportRequest, result: ExportResult): string {
  const { bytes, sha256, events, position, milliseconds, tree } = result;
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
    count: tree?.count ?? null,
    root: tree?.root ?? null,
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
