/** An import of contacts from a CSV file into a list. */
import { CommandFailedError } from '../failures.js';
import { columnsOf, contactLines, type ColumnOptions } from './contact-columns.js';
import { openTimeZone } from './local-time.js';
import { importRows, type CsvImport, type HeaderRow, type RowsImported, type RowsImportOptions } from './rows.js';

export interface ContactsImport extends ColumnOptions, CsvImport {
  readonly listId: string;
  readonly resubscribe: boolean;
  /** Imports a row without its optional fields that the service refuses. */
  readonly isLenient: boolean;
  /** The zone of times without a zone: an IANA name or an offset. */
  readonly timeZone?: string | undefined;
}

/** @throws as `importRows` */
export async function importContacts(request: ContactsImport, options: RowsImportOptions): Promise<RowsImported> {
  const { listId, isDryRun, isLenient, resubscribe, status, timeZone: zoneName } = request;
  const timeZone = zoneName === undefined ? undefined : openTimeZone(zoneName);
  const pathOf = (isOnlyChecked: boolean): string =>
    `/v1/contacts/${encodeURIComponent(listId)}/bulk?resubscribe=${resubscribe}&dry_run=${isOnlyChecked}`;
  const rows = {
    ...request,
    path: pathOf(isDryRun),
    checkPath: isLenient ? pathOf(true) : undefined,
    unknown: new CommandFailedError(`There is no list ${listId}.`, { type: 'unknown_list' }),
    settings: request,
    linesFor(header: HeaderRow, onNotice: RowsImportOptions['onNotice']) {
      const fields = columnsOf(header, request);
      const unknown = header.cells.filter((_, index) => fields[index] === undefined);
      const names = unknown.map((name) => JSON.stringify(name)).join(', ');
      if (names !== '') onNotice(`Not imported, because the names are not fields: columns ${names}.`);
      return contactLines(fields, { status, timeZone, isLenient });
    },
  };
  return await importRows(rows, options);
}
