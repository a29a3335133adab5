/** An import of a CSV file through a bulk endpoint of a running service: batch by batch, each repeated until every row has an answer. */
import { statSync, appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync, type Stats } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createAddressTurns } from './address-turns.js';
import { inBatches, inOrder } from '../flow/batches.js';
import type { CopyOptions } from './copy.js';
import { rowsOf, type CsvFile, type CsvRow } from './csv-file.js';
import { CommandFailedError } from '../failures.js';
import { withRetry } from '../eventstore/with-retry.js';
import { csvRow } from '../audit/csv.js';

/** A row as a line of a bulk request; or why it is none. */
export type ImportLine = Pick<CsvRow, 'line' | 'bytes'> &
  ({ readonly json: string; readonly email: unknown } | { readonly fault: string });

interface RowsImport extends CsvFile {
  readonly isDryRun: boolean;
  /** Path of the endpoint, with its query. */
  readonly path: string;
  /** What is to be said where that path is unknown. */
  readonly unknown: CommandFailedError;
  /** Which import it is, beside its file: one with others starts from the beginning. */
  readonly settings: object;
  /** @throws UsageError the columns do not do */
  readonly linesFor: (header: readonly string[], onNotice: (notice: string) => void) => (row: CsvRow) => ImportLine;
}

interface BulkAnswer {
  readonly status: number;
  readonly message: string;
  /** Seconds. */
  readonly retryAfter: number;
  /** Where the status is 200 an array, with an answer to each line in order. */
  readonly data: unknown;
}

export interface RowsImportOptions extends CopyOptions {
  /** Name of the service: an import that was started through another service is not continued. */
  readonly service: string;
  /** POSTs lines. @throws CommandFailedError */
  readonly send: (path: string, lines: string) => Promise<BulkAnswer>;
}

export type RowsImported = ImportCounts & { readonly rejected_file: string | null };

/** Requests under way: while the service saves one, the next is read from the file and the answers to the one before are. */
const atOnce = 2;
/** How long a request should take. Where it takes longer, the next has fewer rows, and more where it is quick. */
const requestMs = 500;
const [fewestRows, firstRows, mostRows] = [100, 500, 5_000];
const largestBody = 1024 * 1024;

type Batch = readonly ImportLine[];

/** @throws UsageError, CommandFailedError; the signal's reason when it aborts. The same call again goes on where it ended. */
export async function importRows(request: RowsImport, options: RowsImportOptions): Promise<RowsImported> {
  const { file, isDryRun, settings, linesFor } = request;
  const { size: total, mtimeMs } = fileAt(file);
  const rows = rowsOf(request);
  const lineOf = linesFor(await headerIn(rows), options.onNotice);
  const progress = openProgress(file, JSON.stringify([options.service, total, mtimeMs, settings]), isDryRun);
  const { done } = progress;
  const begin = done.rows;
  if (begin > 0) options.onNotice(`Goes on after ${begin} rows that are done.`);

  async function* linesLeft(): AsyncGenerator<ImportLine> {
    let number = 0;
    for await (const row of rows) if ((number += 1) > begin) yield lineOf(row);
  }

  const batches = { items: firstRows, size: largestBody, sizeOf: (row: ImportLine) => jsonOf(row).length };
  const inTurn = createAddressTurns();

  async function save(batch: Batch): Promise<{ readonly batch: Batch; readonly answers: Answers }> {
    const lines = batch.flatMap((row) => ('json' in row ? [row.json] : []));
    if (lines.length === 0) return { batch, answers: [] };
    const answers = await inTurn(addressesIn(batch), async () => {
      const startedAt = performance.now();
      const answered = await withRetry(() => answersTo(lines, request, options), options);
      const fitting = (batch.length * requestMs) / (performance.now() - startedAt);
      batches.items = Math.round(Math.min(Math.max(fitting, fewestRows), 2 * batches.items, mostRows));
      return answered;
    });
    return { batch, answers };
  }

  for await (const { batch, answers } of inOrder(inBatches(linesLeft(), batches), atOnce, save)) {
    const rejected = batch.flatMap((row): RejectedLine[] => {
      const answer = 'json' in row ? answers.shift() : { error: { message: row.fault } };
      if (answer === undefined) return [];
      if ('error' in answer) return [[row.line, answer.error.message]];
      done[answer.outcome] += 1;
      return [];
    });
    done.rows += batch.length;
    done.rejected += rejected.length;
    progress.keep(done, rejected);
    options.report({ phase: isDryRun ? 'checking' : 'importing', done: batch.at(-1)?.bytes ?? 0, total });
  }
  return { ...done, rejected_file: progress.finish(done) };
}

const addressesIn = (batch: Batch): readonly unknown[] => batch.flatMap((row) => ('json' in row ? [row.email] : []));
const jsonOf = (row: ImportLine): string => ('json' in row ? row.json : '');

/** @throws CommandFailedError there is no such file */
function fileAt(file: string): Stats {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === true) return found;
  throw new CommandFailedError(found === undefined ? `There is no file ${file}.` : `${file} is no file.`, {
    type: 'no_file',
  });
}

async function headerIn(rows: AsyncGenerator<CsvRow, void>): Promise<readonly string[]> {
  const { value: row } = await rows.next();
  if (row === undefined) throw new CommandFailedError('The file holds no rows.', { type: 'no_rows' });
  if ('cells' in row) return row.cells;
  throw new CommandFailedError(`line ${row.line} should name the columns, but ${row.fault}`, { type: 'bad_line' });
}

const answerSchema = z.union([
  z.object({ outcome: z.enum(['created', 'updated', 'unchanged', 'valid']) }),
  z.object({ outcome: z.enum(['refused', 'unavailable']), error: z.object({ message: z.string() }) }),
]);
type Answers = z.output<typeof answerSchema>[];

/** @throws CommandFailedError; `no_service`: they can all be sent again, those that are saved already are `unchanged`. */
async function answersTo(
  lines: readonly string[],
  { path, unknown }: RowsImport,
  { send, signal }: RowsImportOptions,
): Promise<Answers> {
  const { status, message, retryAfter, data } = await send(path, lines.join('\n'));
  if (status === 404) throw unknown;
  if (status === 429 || status === 503) {
    await sleep(retryAfter * 1_000, undefined, { signal });
    throw new CommandFailedError(message, { type: 'no_service' });
  }
  if (status !== 200) throw new CommandFailedError(`Refused: ${message}`, { type: 'refused' });
  const answers = z.array(answerSchema).parse(data);
  if (answers.length < lines.length || answers.some(({ outcome }) => outcome === 'unavailable'))
    throw new CommandFailedError('The service is not available.', { type: 'no_service' });
  return answers;
}

/** Counts of rows. `valid`: in a dry run. */
const doneSchema = z.record(z.enum(['rows', 'created', 'updated', 'unchanged', 'valid', 'rejected']), z.number());
type ImportCounts = z.output<typeof doneSchema>;

const stateSchema = z.object({ import: z.string(), done: doneSchema, rejectedBytes: z.number() });

type RejectedLine = readonly [line: number, reason: string];

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * How far the import is, kept beside the file so that a repeat goes on there; and the report of rejected rows.
 * `name` says which import it is: file, list, options. One of another name starts from the beginning.
 */
function openProgress(file: string, name: string, isDryRun: boolean) {
  const stateFile = `${file}.${isDryRun ? 'dry-run' : 'import'}`;
  const rejectedFile = `${file}.${isDryRun ? 'dry-run' : 'rejected'}.csv`;

  function begin(): ImportCounts {
    try {
      const state = stateSchema.parse(JSON.parse(readFileSync(stateFile, 'utf8')));
      if (state.import === name) {
        // What came after the last batch that was kept comes again.
        if (state.rejectedBytes > 0) truncateSync(rejectedFile, state.rejectedBytes);
        else rmSync(rejectedFile, { force: true });
        return state.done;
      }
    } catch {
      // There is none, or it belongs to another import: rows that come twice change nothing.
    }
    rmSync(rejectedFile, { force: true });
    return { rows: 0, created: 0, updated: 0, unchanged: 0, valid: 0, rejected: 0 };
  }

  return {
    done: begin(),
    /** Keeps what has been done, and what was rejected since the last time. */
    keep(done: ImportCounts, rejected: readonly RejectedLine[]): void {
      const before = sizeOf(rejectedFile);
      const rows = before === 0 ? [['line', 'reason'], ...rejected] : rejected;
      if (rejected.length > 0) appendFileSync(rejectedFile, rows.map(csvRow).join(''));
      writeFileSync(stateFile, JSON.stringify({ import: name, done, rejectedBytes: sizeOf(rejectedFile) }));
    },
    /** Removes the notes for continuing. @returns the report, if there is one */
    finish({ rejected }: ImportCounts): string | null {
      rmSync(stateFile, { force: true });
      if (rejected === 0) rmSync(rejectedFile, { force: true });
      return rejected === 0 ? null : rejectedFile;
    },
  };
}
