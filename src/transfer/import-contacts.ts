/** An import of contacts from a CSV file through the bulk endpoint of a running service: batch by batch, each repeated until every row has an answer. */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { inBatches } from './batches.js';
import { columnsOf, contactLine, type ColumnOptions, type ContactLine } from './contact-columns.js';
import { openContactsProgress, type Done, type Rejected } from './contacts-progress.js';
import type { CopyOptions } from './copy-examined.js';
import { rowsOf, type CsvFile, type CsvRow } from './csv-file.js';
import { CommandFailedError } from './failures.js';
import { withRetry } from './with-retry.js';

export interface BulkAnswer {
  readonly status: number;
  readonly message: string;
  /** Seconds. */
  readonly retryAfter: number;
  /** One for each line of the request, in order, where the status is 200. */
  readonly lines: readonly unknown[];
}

export interface ContactsImport extends ColumnOptions, CsvFile {
  readonly listId: string;
  readonly isDryRun: boolean;
  readonly resubscribe: boolean;
}

interface ContactsImportOptions extends CopyOptions {
  /** Name of the service: what was done through another is not gone on with. */
  readonly service: string;
  /** POSTs lines. @throws CommandFailedError */
  readonly send: (path: string, lines: string) => Promise<BulkAnswer>;
}

export interface ContactsImported extends Done {
  /** Null: nothing was rejected. */
  readonly rejected_file: string | null;
}

const bounds = { items: 500, size: 1024 * 1024, sizeOf: (row: ContactLine) => ('json' in row ? row.json.length : 0) };

/** @throws UsageError, CommandFailedError; the signal's reason when it aborts. The same call again goes on where it ended. */
export async function importContacts(
  request: ContactsImport,
  options: ContactsImportOptions,
): Promise<ContactsImported> {
  const { file, isDryRun, status } = request;
  const { size: total, mtimeMs } = statSync(file);
  const rows = rowsOf(request);
  const { fields, unknown } = columnsOf(await headerIn(rows), request);
  if (unknown.length > 0) options.onNotice(`Not imported, for they are no fields: columns ${unknown.join(', ')}.`);
  const progress = openContactsProgress(file, JSON.stringify([options.service, total, mtimeMs, request]), isDryRun);
  const done = { ...progress.done };
  if (done.rows > 0) options.onNotice(`Goes on after ${done.rows} rows that are done.`);

  async function* linesLeft(): AsyncGenerator<ContactLine> {
    let number = 0;
    for await (const row of rows) if ((number += 1) > progress.done.rows) yield contactLine(row, fields, status);
  }

  for await (const batch of inBatches(linesLeft(), bounds)) {
    const sent = batch.flatMap((row) => ('json' in row ? [row.json] : []));
    const rejected = counted(batch, await withRetry(() => answersTo(sent, request, options), options), done);
    progress.keep(done, rejected);
    options.report({ phase: isDryRun ? 'checking' : 'importing', done: batch.at(-1)?.bytes ?? 0, total });
  }
  return { ...done, rejected_file: progress.finish(done) };
}

/** Adds to what is done. @returns the rejected rows */
function counted(batch: readonly ContactLine[], answers: Answer[], done: Done): readonly Rejected[] {
  const rejected: Rejected[] = [];
  for (const row of batch) {
    const answer = 'json' in row ? answers.shift() : { error: { message: row.fault } };
    if (answer === undefined) throw new CommandFailedError('The service has left lines without an answer.');
    if ('error' in answer) rejected.push([row.line, answer.error.message]);
    else done[answer.outcome] += 1;
    if ('status' in answer && answer.status === 'Unsubscribed') done.unsubscribed += 1;
  }
  done.rows += batch.length;
  done.rejected += rejected.length;
  return rejected;
}

async function headerIn(rows: AsyncGenerator<CsvRow, void>): Promise<readonly string[]> {
  const first = await rows.next();
  if (first.done === true) throw new CommandFailedError('The file holds no rows.', { type: 'no_rows' });
  const row = first.value;
  if ('cells' in row) return row.cells;
  throw new CommandFailedError(`line ${row.line} should name the columns, but ${row.fault}`, { type: 'bad_line' });
}

const answerSchema = z.union([
  z.object({ outcome: z.enum(['created', 'updated', 'unchanged', 'valid']), status: z.string().optional() }),
  z.object({ outcome: z.enum(['refused', 'unavailable']), error: z.object({ message: z.string() }) }),
]);
type Answer = z.output<typeof answerSchema>;

/** @throws CommandFailedError; `no_service`: they can all be sent again, those that are saved already are `unchanged`. */
async function answersTo(
  lines: readonly string[],
  { listId, resubscribe, isDryRun }: ContactsImport,
  { send, signal }: ContactsImportOptions,
): Promise<Answer[]> {
  if (lines.length === 0) return [];
  const path = `/v1/contacts/${encodeURIComponent(listId)}/bulk?resubscribe=${resubscribe}&dry_run=${isDryRun}`;
  const answer = await send(path, lines.join('\n'));
  const { status, message } = answer;
  if (status === 404) throw new CommandFailedError(`There is no list ${listId}.`, { type: 'unknown_list' });
  if (status === 429 || status === 503) {
    await sleep(answer.retryAfter * 1_000, undefined, { signal });
    throw new CommandFailedError(message, { type: 'no_service' });
  }
  if (status !== 200) throw new CommandFailedError(`Refused: ${message}`, { type: 'refused' });
  const answers = answer.lines.map((line) => answerSchema.parse(line));
  if (answers.some(({ outcome }) => outcome === 'unavailable'))
    throw new CommandFailedError('The service is not available.', { type: 'no_service' });
  return answers;
}
