/** An import of contacts from a CSV file into a list. */
import { CommandFailedError } from '../failures.js';
import { columnsOf, contactLine, type ColumnOptions } from './contact-columns.js';
import type { CsvFile } from './csv-file.js';
import { importRows, type RowsImported, type RowsImportOptions } from './rows.js';

export interface ContactsImport extends ColumnOptions, CsvFile {
  readonly listId: string;
  readonly isDryRun: boolean;
  readonly resubscribe: boolean;
}

/** @throws as `importRows` */
export async function importContacts(request: ContactsImport, options: RowsImportOptions): Promise<RowsImported> {
  const { listId, isDryRun, resubscribe, status } = request;
  const rows = {
    ...request,
    path: `/v1/contacts/${encodeURIComponent(listId)}/bulk?resubscribe=${resubscribe}&dry_run=${isDryRun}`,
    unknown: new CommandFailedError(`There is no list ${listId}.`, { type: 'unknown_list' }),
    settings: request,
    linesFor(header: readonly string[], onNotice: RowsImportOptions['onNotice']) {
      const fields = columnsOf(header, request);
      const unknown = header.filter((_, index) => fields[index] === undefined).map((name) => JSON.stringify(name));
      if (unknown.length > 0) onNotice(`Not imported, for they are no fields: columns ${unknown.join(', ')}.`);
      return (row: Parameters<typeof contactLine>[0]) => contactLine(row, fields, status);
    },
  };
  return await importRows(rows, options);
}
