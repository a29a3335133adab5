/** An import of a CSV file through a bulk endpoint of a running service: batch by batch, each repeated until every row has an answer. */
import { closeSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { withRetry } from '../eventstore/with-retry.js';
import { CommandFailedError } from '../failures.js';
import { inBatches, inOrder } from '../flow/batches.js';
import { createAddressTurns } from './address-turns.js';
import type { CopyOptions } from './copy.js';
import { readCsv, UnreadableCsvError, type CsvFormat, type CsvRow } from './csv-reader.js';
import { openProgress, type ImportCounts, type ImportPlace, type RejectedLine } from './import-progress.js';

/** A line of a bulk request, made from a row. */
export interface LineToSend extends Pick<CsvRow, 'line' | 'bytes'> {
  readonly json: string;
  readonly email: unknown;
  /** Fields of the row that are not in the line, each with the reason. */
  readonly leftOut: readonly string[];
  /** Returns the line without the field that the service refused for this reason, or undefined if the row needs the field. */
  readonly without?: (reason: string) => WithoutField | undefined;
}

type WithoutField = Omit<LineToSend, 'line' | 'bytes' | 'leftOut'> & { readonly leftOut: string };

/** The line for a row, or the reason why the row has no line. */
export type ImportLine = LineToSend | Extract<CsvRow, { readonly fault: string }>;

/** The first row of a file. */
export type HeaderRow = Extract<CsvRow, { readonly cells: unknown }>;

export interface CsvImport extends CsvFormat, ImportPlace {
  readonly file: string;
}

interface RowsImport extends CsvImport {
  /** Path of the endpoint, with its query. */
  readonly path: string;
  /** Path by which the service checks the lines and saves nothing. With it, optional fields that the service refuses are left out. */
  readonly checkPath?: string | undefined;
  /** The message if the path is unknown. */
  readonly unknown: CommandFailedError;
  /** Options of the import besides its file. An import with other options starts from the beginning. */
  readonly settings: object;
  /** @throws UsageError the columns do not fit. What the function returns may throw a UsageError, too. */
  readonly linesFor: (header: HeaderRow, onNotice: (notice: string) => void) => (row: CsvRow) => ImportLine;
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
  /** @throws CommandFailedError if a file cannot be made at this place, or another one would be replaced */
  readonly demandPlace: (file: string) => void;
}

export type RowsImported = ImportCounts & { readonly rejected_file: string | null };

/** Requests under way: while the service saves one, the next is read from the file and the answers to the one before are. */
const atOnce = 2;
/** How long a request should take. Where it takes longer, the next has fewer rows, and more where it is quick. */
const requestMs = 500;
const [fewestRows, firstRows, mostRows] = [100, 500, 5_000];
const largestBody = 1024 * 1024;

type Batch = readonly ImportLine[];

/**
 * Saves nothing before the whole file has been read and rejected rows have a place. The same call again continues after an
 * interruption.
 * @throws UsageError, CommandFailedError; the signal's reason when it aborts
 */
export async function importRows(request: RowsImport, options: RowsImportOptions): Promise<RowsImported> {
  const { file, isDryRun, settings, checkPath } = request;
  const { onNotice, service, demandPlace } = options;

  // 1. Look at the file and at the place of rejected rows.
  const { size: total, mtimeMs } = fileAt(file);
  const name = JSON.stringify([service, total, mtimeMs, settings]);
  const progress = openProgress(request, { name, demandPlace });
  const check = { ...options, onUnreadable: 'Nothing was imported.' };
  for await (const _ of linesIn(request, check));

  // 2. Continue where an interrupted import was.
  const done = progress.begin();
  const begin = done.rows;
  if (begin > 0) onNotice(`Continuing after ${begin} rows.`);

  async function* linesLeft(): AsyncGenerator<ImportLine> {
    const again = { ...options, onNotice: () => undefined, onUnreadable: 'The file was changed during the import.' };
    let number = 0;
    for await (const row of linesIn(request, again)) if ((number += 1) > begin) yield row;
  }

  // 3. Send, and keep the answers in the order of the file.
  const batches = { items: firstRows, size: largestBody, sizeOf: (row: ImportLine) => jsonOf(row).length };
  const inTurn = createAddressTurns();
  const ask = (path: string, lines: readonly LineToSend[]): Promise<Answers> =>
    withRetry(() => answersTo(lines, { ...request, path }, options), options);

  async function save(batch: Batch): Promise<{ readonly batch: Batch; readonly answers: Answers }> {
    if (batch.every((row) => 'fault' in row)) return { batch, answers: [] };
    return await inTurn(addressesIn(batch), async () => {
      const startedAt = performance.now();
      const fitting = checkPath === undefined ? batch : await withoutRefused(batch, (lines) => ask(checkPath, lines));
      const answers = await ask(request.path, fitting.filter(isToSend));
      const items = (batch.length * requestMs) / (performance.now() - startedAt);
      batches.items = Math.round(Math.min(Math.max(items, fewestRows), 2 * batches.items, mostRows));
      return { batch: fitting, answers };
    });
  }

  async function* batchesLeft(): AsyncGenerator<Batch> {
    for await (const batch of inBatches(linesLeft(), batches)) {
      yield batch;
      // Let the request go out before the next batch is made.
      await nextTurn();
    }
  }

  for await (const { batch, answers } of inOrder(batchesLeft(), atOnce, save)) {
    const rejected = batch.flatMap((row): RejectedLine[] => {
      if ('fault' in row) return [[row.line, row.fault]];
      const answer = answers.shift();
      if (answer === undefined) return [];
      if ('error' in answer) return [[row.line, answer.error.message]];
      done[answer.outcome] += 1;
      if (row.leftOut.length === 0) return [];
      done.incomplete += 1;
      return [[row.line, `${isDryRun ? 'would be imported' : 'imported'} without ${row.leftOut.join(' and ')}`]];
    });
    done.rows += batch.length;
    done.rejected += rejected.length;
    progress.keep(done, rejected);
    options.report({ phase: isDryRun ? 'checking' : 'importing', done: batch.at(-1)?.bytes ?? 0, total });
  }
  return { ...done, rejected_file: progress.finish(done) };
}

const isToSend = (row: ImportLine): row is LineToSend => 'json' in row;
const addressesIn = (batch: Batch): readonly unknown[] => batch.filter(isToSend).map(({ email }) => email);
const jsonOf = (row: ImportLine): string => ('json' in row ? row.json : '');

/**
 * Leaves out the optional fields that the service refuses. The service checks the lines before it saves any, because a
 * repeat of refused lines would come after later rows of the same address.
 */
async function withoutRefused(batch: Batch, check: (lines: readonly LineToSend[]) => Promise<Answers>): Promise<Batch> {
  const fitting = [...batch];
  let unchecked = fitting.flatMap((row, at) => ('json' in row ? [{ row, at }] : []));
  while (unchecked.length > 0) {
    const answers = await check(unchecked.map(({ row }) => row));
    unchecked = unchecked.flatMap(({ row, at }, index) => {
      const answer = answers[index];
      const others = answer !== undefined && 'error' in answer ? row.without?.(answer.error.message) : undefined;
      if (others === undefined) return [];
      const shorter = { ...row, ...others, leftOut: [...row.leftOut, others.leftOut] };
      fitting[at] = shorter;
      return [{ row: shorter, at }];
    });
  }
  return fitting;
}

/** @throws CommandFailedError there is no such file */
function fileAt(file: string): Stats {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === true) return found;
  throw new CommandFailedError(found === undefined ? `There is no file ${file}.` : `${file} is not a file.`, {
    type: 'no_file',
  });
}

type Reading = Pick<CopyOptions, 'signal' | 'onNotice'> & {
  /** The consequence of an unreadable file, for the message. */
  readonly onUnreadable: string;
};

/** Yields the line of each row after the first. @throws UsageError, CommandFailedError the file cannot be read as CSV */
async function* linesIn(
  { file, linesFor, ...format }: RowsImport,
  { signal, onNotice, onUnreadable }: Reading,
): AsyncGenerator<ImportLine> {
  const rows = readCsv(piecesOf(file), format);
  try {
    const lineOf = linesFor(await headerIn(rows), onNotice);
    for await (const row of rows) {
      signal.throwIfAborted();
      yield lineOf(row);
    }
  } catch (error) {
    if (!(error instanceof UnreadableCsvError)) throw error;
    const message = `${error.message}${adviceOn(error, format)} ${onUnreadable}`;
    throw new CommandFailedError(message, { type: 'bad_file', cause: error });
  } finally {
    await rows.return();
  }
}

const pieceBytes = 64 * 1024;

/** Yields the bytes of a file. Reads synchronously, and yields to the event loop so that an interruption is noticed. */
async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  const descriptor = openSync(file, 'r');
  try {
    for (;;) {
      const piece = new Uint8Array(pieceBytes);
      const length = readSync(descriptor, piece);
      if (length === 0) return;
      yield piece.subarray(0, length);
      await nextTurn();
    }
  } finally {
    closeSync(descriptor);
  }
}

function adviceOn({ problem }: UnreadableCsvError, { encoding }: CsvFormat): string {
  if (problem === 'encoding' && encoding === 'utf-8')
    return ' If the file is in Windows-1252 (Latin-1), use --encoding latin1.';
  return problem === 'delimiter' ? ' Leave out --delimiter.' : '';
}

async function headerIn(rows: AsyncGenerator<CsvRow, void>): Promise<HeaderRow> {
  const { value: row } = await rows.next();
  if (row === undefined) throw new CommandFailedError('The file holds no rows.', { type: 'no_rows' });
  if ('cells' in row) return row;
  throw new CommandFailedError(`line ${row.line} should name the columns, but ${row.fault}`, { type: 'bad_line' });
}

const answerSchema = z.union([
  z.object({ outcome: z.enum(['created', 'updated', 'unchanged', 'valid']) }),
  z.object({ outcome: z.enum(['refused', 'unavailable']), error: z.object({ message: z.string() }) }),
]);
type Answers = z.output<typeof answerSchema>[];

/** @throws CommandFailedError; with `no_service` all lines can be sent again, because what is saved already is `unchanged` */
async function answersTo(
  lines: readonly LineToSend[],
  { path, unknown }: Pick<RowsImport, 'path' | 'unknown'>,
  { send, signal }: RowsImportOptions,
): Promise<Answers> {
  const body = lines.map(({ json }) => json).join('\n');
  const { status, message, retryAfter, data } = await send(path, body);
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
