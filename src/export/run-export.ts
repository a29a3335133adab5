/** An export from beginning to end: one moment of the log, what is asked for of it, and where it goes. */
import { setMaxListeners } from 'node:events';
import { createCatalogues } from '../audit/names.js';
import { createUnreadableNotes, type UnreadableSummary } from '../audit/unreadable.js';
import { logStart, type EventReader, type Position } from '../eventstore/event-store.js';
import { logSourceOf } from '../eventstore/log-source.js';
import { contactsSource } from './contacts.js';
import { eventsSource } from './events.js';
import { writeOut, writeWhole, type Pieces, type Sink, type WrittenFile } from './file.js';
import { growthSource } from './growth.js';
import { listsSource } from './lists.js';
import type { ExportLog } from './log.js';
import { asCsv, asNdjson, type ExportedTree, type ExportRecord, type ExportSource } from './source.js';
import { CommandFailedError } from '../failures.js';
import type { ReportProgress } from '../flow/progress.js';
import { commandRetry, withRetry } from '../eventstore/with-retry.js';

export const exportedKinds = ['events', 'contacts', 'lists', 'growth'] as const;
export type ExportedKind = (typeof exportedKinds)[number];

export const formats = ['ndjson', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof formats)[number];

const sources: Readonly<Record<ExportedKind, (log: ExportLog) => ExportSource>> = {
  events: eventsSource,
  contacts: contactsSource,
  lists: listsSource,
  growth: growthSource,
};
/** Loaded when it is needed: every other command would pay for it with a sixth of its start. */
async function* asParquet(source: ExportSource): Pieces {
  yield* (await import('./parquet.js')).asParquet(source);
}

const encoders: Readonly<Record<ExportFormat, (source: ExportSource) => Pieces>> = {
  ndjson: asNdjson,
  csv: asCsv,
  parquet: asParquet,
};

export interface ExportRequest {
  readonly what: ExportedKind;
  readonly format: ExportFormat;
  /** ISO 8601, UTC, milliseconds. Undefined: as of now. */
  readonly time: string | undefined;
  readonly file: string;
  readonly isForced: boolean;
}

interface ExportOptions {
  readonly reader: EventReader;
  readonly stdout: Sink;
  readonly signal: AbortSignal;
  monotonic(): number;
  /** Positions of this log count its events, so that it is known how many there are. */
  readonly isCounted: boolean;
  readonly report: ReportProgress;
}

export interface ExportResult extends WrittenFile {
  readonly records: number;
  /** Lines or rows in the file: a contact has one for each of its lists. */
  readonly rows: number;
  readonly events: number;
  readonly position: Position;
  readonly milliseconds: number;
  /** Null unless the file has all events of the log. */
  readonly tree: ExportedTree | null;
  /** Of contacts and lists: what events changed that cannot be read is not in it. */
  readonly unreadable: UnreadableSummary;
}

/** @throws CommandFailedError @throws StoreUnavailableError @throws UnreadableHistoryError; the signal's reason when it aborts. */
export async function runExport(request: ExportRequest, options: ExportOptions): Promise<ExportResult> {
  const { what, format, time, file } = request;
  const { reader, signal, report, monotonic } = options;
  // Each of the reads that are under way at once listens.
  setMaxListeners(0, signal);
  const startedAt = monotonic();
  const catalogues = createCatalogues(reader);
  const moment = await withRetry(() => catalogues.now(), { retry: commandRetry, signal });
  if (moment.horizon === logStart)
    throw new CommandFailedError('the log holds no events: there is nothing to export', { type: 'empty' });
  const total = options.isCounted ? { total: Number(moment.horizon) } : {};
  let events = 0;
  const onRead = (): void => {
    events += 1;
    report({ phase: 'exporting', done: events, ...total });
  };
  const unreadable = createUnreadableNotes();
  const log = { reader, source: logSourceOf(reader), moment, time, retry: commandRetry, signal, unreadable, onRead };
  const source = sources[what](log);
  let records = 0;
  let rows = 0;
  async function* counted(): AsyncGenerator<ExportRecord> {
    for await (const record of source.records()) {
      records += 1;
      yield {
        line: () => record.line(),
        rows() {
          const some = record.rows();
          rows += some.length;
          return some;
        },
      };
    }
  }
  const pieces = encoders[format]({ ...source, records: counted });
  const written = await (file === '-' ? writeOut(options.stdout, pieces) : writeWhole(file, pieces));
  return {
    ...written,
    records,
    rows: format === 'ndjson' ? records : rows,
    events,
    position: moment.horizon,
    milliseconds: monotonic() - startedAt,
    tree: source.tree?.() ?? null,
    unreadable: unreadable.found(),
  };
}
