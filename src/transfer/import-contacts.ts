/** An import of contacts from a CSV file through the bulk endpoint of a running service: batch by batch, each repeated until every row has an answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { inBatches } from './batches.js';
import { columnsOf, contactLine, type ColumnOptions, type ContactLine } from './contact-columns.js';
import { openContactsProgress, type Done, type Rejected } from './contacts-progress.js';
import { examineCsv, rowsOf, type CsvFile, type Encoding } from './csv-file.js';
import { CommandFailedError } from './failures.js';
import type { Report } from './progress.js';

export interface BulkAnswer {
  readonly status: number;
  readonly message: string;
  /** Seconds, where the answer says so. */
  readonly retryAfter: number | undefined;
  /** One parsed line for each of the request, in order, where the status is 200. */
  readonly lines: AsyncIterable<unknown>;
}

export interface ContactsImport extends ColumnOptions {
  readonly file: string;
  readonly listId: string;
  readonly encoding?: Encoding | undefined;
  readonly isDryRun: boolean;
  readonly resubscribe: boolean;
}

interface ContactsImportOptions {
  /** Name of the service: what was done through another is not gone on with. */
  readonly service: string;
  /** POSTs lines. @throws CommandFailedError of type `no_service` where the service is out of reach, now or in mid-answer */
  readonly send: (path: string, lines: string) => Promise<BulkAnswer>;
  readonly signal: AbortSignal;
  readonly report: Report;
  readonly onNotice: (notice: string) => void;
}

export interface ContactsImported extends Done {
  readonly encoding: Encoding;
  /** Undefined: nothing was rejected. */
  readonly rejectedFile: string | undefined;
}

/** Milliseconds without any progress after which an import gives up. */
const patienceMs = 5 * 60_000;
const longestPauseMs = 5_000;

const bounds = { items: 1_000, size: 1024 * 1024, sizeOf: (row: ContactLine) => ('json' in row ? row.json.length : 0) };

/** @throws UsageError, CommandFailedError; the signal's reason when it aborts. The same call again goes on where it ended. */
export async function importContacts(
  request: ContactsImport,
  options: ContactsImportOptions,
): Promise<ContactsImported> {
  const { file, listId, isDryRun, resubscribe, map, status } = request;
  const { signal, report, onNotice } = options;
  const csv = await examineCsv(file, request.encoding, signal);
  const name = JSON.stringify([options.service, csv.sha256, csv.encoding, listId, resubscribe, map, status]);
  const progress = openContactsProgress(file, name, !isDryRun);
  const path = `/v1/contacts/${encodeURIComponent(listId)}/bulk?resubscribe=${resubscribe}&dry_run=${isDryRun}`;
  const send = createSender((lines) => options.send(path, lines), { listId, signal });
  const done = { ...progress.done };
  if (done.rows > 0) onNotice(`Goes on after ${done.rows} rows that are done.`);
  for await (const batch of inBatches(linesIn(csv, request, { skip: done.rows, onNotice, signal }), bounds)) {
    const rejected: Rejected[] = [];
    const reject = (line: number, reason: string): void => void rejected.push({ line, reason });
    const rows = batch.filter((row) => 'json' in row);
    for (const row of batch) if ('fault' in row) reject(row.line, row.fault);
    const results = await send(rows.map(({ json }) => json));
    results.forEach((result, index) => {
      const { line = 0, isSubscribing = false } = rows[index] ?? {};
      if (result.outcome === 'refused') reject(line, result.error.message);
      if (result.outcome === 'refused' || result.outcome === 'valid') return;
      done[result.outcome] += 1;
      if (isSubscribing && result.status === 'Unsubscribed') done.kept_unsubscribed += 1;
    });
    done.rows += batch.length;
    done.rejected += rejected.length;
    progress.keep(
      { ...done },
      rejected.sort((one, other) => one.line - other.line),
    );
    report({ phase: isDryRun ? 'checking' : 'importing', done: batch.at(-1)?.line ?? 0, total: csv.lines });
  }
  progress.finish();
  return { ...done, encoding: csv.encoding, rejectedFile: done.rejected === 0 ? undefined : progress.rejectedFile };
}

interface LinesOptions extends Pick<ContactsImportOptions, 'onNotice' | 'signal'> {
  /** Rows that are done. */
  readonly skip: number;
}

async function* linesIn(
  csv: CsvFile,
  options: ColumnOptions,
  { skip, onNotice, signal }: LinesOptions,
): AsyncGenerator<ContactLine> {
  let columns: ReturnType<typeof columnsOf> | undefined;
  let number = 0;
  for await (const row of rowsOf(csv, signal)) {
    if (columns === undefined) {
      if ('fault' in row)
        throw new CommandFailedError(`line ${row.line} should name the columns, but ${row.fault}`, {
          type: 'bad_line',
        });
      columns = columnsOf(row.cells, options);
      const { unknown } = columns;
      if (unknown.length > 0) onNotice(`Not imported, for they are no fields: columns ${unknown.join(', ')}.`);
    } else if ((number += 1) > skip) yield contactLine(row, columns, options);
  }
  if (columns === undefined) throw new CommandFailedError(`${csv.file} holds no rows`, { type: 'no_rows' });
}

const answeredSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.enum(['created', 'updated', 'unchanged']), status: z.string() }),
  z.object({ outcome: z.literal('valid') }),
  z.object({ outcome: z.literal('refused'), error: z.object({ message: z.string() }) }),
]);
type Answered = z.output<typeof answeredSchema>;
const resultSchema = z.union([answeredSchema, z.object({ outcome: z.literal('unavailable') })]);

/** Sends lines until each has an answer other than `unavailable`: from the first without one on again, in order. */
function createSender(
  post: (lines: string) => Promise<BulkAnswer>,
  { listId, signal }: { readonly listId: string; readonly signal: AbortSignal },
) {
  return async (lines: readonly string[]): Promise<readonly Answered[]> => {
    const results: Answered[] = [];
    let failingSince: number | undefined;
    let pauseMs = 100;

    /** @returns seconds to wait; undefined: not said. */
    async function sendRest(): Promise<number | undefined> {
      const answer = await post(lines.slice(results.length).join('\n'));
      if (answer.status === 404) throw new CommandFailedError(`There is no list ${listId}.`, { type: 'unknown_list' });
      if (answer.status === 429) failingSince = undefined;
      else if (answer.status !== 200 && answer.status !== 503)
        throw new CommandFailedError(`Refused: ${answer.message}`, { type: 'refused' });
      if (answer.status !== 200) return answer.retryAfter;
      for await (const line of answer.lines) {
        const result = resultSchema.parse(line);
        if (result.outcome === 'unavailable') return undefined;
        results.push(result);
        failingSince = undefined;
        pauseMs = 100;
      }
      return undefined;
    }

    while (results.length < lines.length) {
      signal.throwIfAborted();
      const failure = await sendRest().catch((error: unknown) => {
        signal.throwIfAborted();
        if (error instanceof CommandFailedError && error.type === 'no_service') return error;
        throw error;
      });
      if (results.length === lines.length) break;
      const now = performance.now();
      failingSince ??= now;
      if (now - failingSince >= patienceMs)
        throw failure instanceof Error ? failure : new CommandFailedError('The service is not available.');
      await sleep(typeof failure === 'number' ? failure * 1_000 : pauseMs, undefined, { signal });
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
    return results;
  };
}
