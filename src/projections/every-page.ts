/** Goes through all documents of a view, or of a query, page by page. */
import type { Document, FindQuery, ReadModelReader, StoredDocument, View } from '../readmodels/read-models.js';

const pageSize = 1_000;

/** In the order of the query, by default that of ids. What is written meanwhile may be among them. @throws ReadModelsUnavailableError */
export async function* everyPage<D extends Document>(
  reader: Pick<ReadModelReader, 'find'>,
  view: View,
  query: Omit<FindQuery, 'limit' | 'cursor'> = {},
): AsyncGenerator<readonly StoredDocument<D>[], undefined> {
  for (let cursor: string | undefined; ;) {
    const page = await reader.find<D>(view, { ...query, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
    yield page.documents;
    cursor = page.nextCursor;
    if (cursor === undefined) return undefined;
    // Embedded views answer at once: others have their turn between pages.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
