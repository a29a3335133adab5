/** Shows an answer once it is there, and what is in its way before: loading, a refusal, nothing to show. */
import type { ComponentChildren } from 'preact';
import { AudienceError, ConnectionError, type Progress } from '../../client/client.js';
import type { Answer, Pages } from '../answers.js';
import { Code, Written, formatNumber } from './text.js';

/** The API's words, with the id of the request. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  if (error === undefined || error === null) return null;
  return (
    <div class="note note-bad" role="alert">
      {error instanceof AudienceError ? (
        <>
          <p>
            <Written text={error.message} />
          </p>
          {error.requestId !== undefined && (
            <p class="quiet">
              Request <Code>{error.requestId}</Code>
            </p>
          )}
        </>
      ) : (
        <p>
          {error instanceof ConnectionError
            ? 'The service does not answer.'
            : 'The console failed. Load the page again.'}
        </p>
      )}
    </div>
  );
}

/** Appears after a short delay, so that quick answers do not flicker. */
export const Loading = ({ what = 'Loading' }: { readonly what?: string }) => (
  <p class="loading" role="status">
    {what} …
  </p>
);

interface ShowProps<Data> {
  readonly answer: Answer<Data>;
  /** What would be here. */
  readonly children: (data: Data) => ComponentChildren;
}

export function Show<Data>({ answer, children }: ShowProps<Data>) {
  const { data, error, isLoading, reload } = answer;
  return (
    <>
      {error !== undefined && (
        <>
          <ErrorNote error={error} />
          <p>
            <button type="button" onClick={reload}>
              Try again
            </button>
          </p>
        </>
      )}
      {data !== undefined && children(data)}
      {isLoading && data === undefined && error === undefined && <Loading />}
    </>
  );
}

/** `40,000 of 1,200,000 events` */
function searchedText({ found, searched, total }: Progress): string {
  if (searched === undefined) return `${formatNumber(found)} found so far`;
  const most = total === undefined ? '' : `of ${formatNumber(total)} `;
  return `${formatNumber(searched)} ${most}events`;
}

interface SearchingProps {
  readonly progress: Progress;
  onStop(): void;
}

/** Says how far a search is, and offers to stop it. */
export const Searching = ({ progress, onStop }: SearchingProps) => (
  <p class="buttons" role="status">
    {progress.searched === undefined ? 'Searching: ' : 'Searched '}
    {searchedText(progress)} …
    <button type="button" onClick={onStop}>
      Stop
    </button>
  </p>
);

/** Shows how far the search for a page is while it is not whole, or where it was stopped. */
export function PageSearch({ pages }: { readonly pages: Pages<unknown> }) {
  const { data, error, isWhole, isLoading, progress, stop, resume } = pages;
  if (data === undefined || isWhole || error !== undefined) return null;
  if (isLoading) return <Searching progress={progress} onStop={stop} />;
  return (
    <p class="buttons" role="status">
      Stopped: {searchedText(progress)}. There may be more to find.
      <button type="button" onClick={resume}>
        Continue
      </button>
    </p>
  );
}

interface EmptyProps {
  /** What would be here. */
  readonly children: ComponentChildren;
  /** The request that makes it. */
  readonly request?: string;
}

export const Empty = ({ children, request }: EmptyProps) => (
  <div class="empty">
    <p>{children}</p>
    {request !== undefined && (
      <pre tabIndex={0}>
        <code>{request}</code>
      </pre>
    )}
  </div>
);

/** Its heading; `number`: of a column of figures. */
export type Column = string | { readonly number: string };

interface TableProps<Item> {
  readonly pages: Pages<Item>;
  /** Says what the table holds; read out, not shown. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The cells of a row, `<td>`. */
  readonly row: (item: Item) => ComponentChildren;
  readonly keyOf: (item: Item) => string;
  readonly empty: ComponentChildren;
}

/** A table with pages. It says that it is empty only after everything was searched. */
export function PagedTable<Item>({ pages, caption, columns, row, keyOf, empty }: TableProps<Item>) {
  return (
    <Show answer={pages}>
      {({ data, incomplete }) => (
        <>
          {data.length > 0 && (
            <Table caption={caption} columns={columns}>
              {data.map((item) => (
                <tr key={keyOf(item)}>{row(item)}</tr>
              ))}
            </Table>
          )}
          <PageSearch pages={pages} />
          {data.length === 0 && pages.isWhole && (pages.number === 1 ? empty : <Empty>There is nothing more.</Empty>)}
          {incomplete === true && (
            <p class="note note-bad">Some events cannot be read, so entries may be missing or counted wrongly.</p>
          )}
          <Pager pages={pages} />
        </>
      )}
    </Show>
  );
}

interface PlainTableProps {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly children: ComponentChildren;
}

/** Scrolls sideways within itself where it is wider than the window. */
export const Table = ({ caption, columns, children }: PlainTableProps) => (
  <div class="table" role="group" aria-label={caption} tabIndex={0}>
    <table>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === 'string' ? (
              <th scope="col" key={column}>
                {column}
              </th>
            ) : (
              <th scope="col" key={column.number} class="number">
                {column.number}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

export function Pager({ pages }: { readonly pages: Pick<Pages<unknown>, 'number' | 'next' | 'previous'> }) {
  const { number, next, previous } = pages;
  if (next === undefined && previous === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages of the table">
      <button type="button" disabled={previous === undefined} onClick={previous}>
        Previous
      </button>
      <span role="status">Page {number}</span>
      <button type="button" disabled={next === undefined} onClick={next}>
        Next
      </button>
    </nav>
  );
}
