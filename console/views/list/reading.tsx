/** Shows a long read: its progress with a button to stop it, what failed, and what came. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ErrorNote, Pager, Table, type Column } from '../../parts/answer.js';
import { formatNumber } from '../../parts/text.js';
import type { Reading } from './use-reading.js';

interface ShowReadingProps<Data> {
  readonly reading: Reading<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

export function ShowReading<Data>({ reading, children }: ShowReadingProps<Data>) {
  const { data, error, progress, isStopped, cancel } = reading;
  return (
    <>
      <ErrorNote error={error} />
      {progress !== undefined && (
        <p class="buttons loading" role="status">
          {progress === 0 ? 'Reading the log …' : `Reading: ${formatNumber(progress)} lines so far …`}
          <button type="button" onClick={cancel}>
            Stop
          </button>
        </p>
      )}
      {isStopped && <p role="status">Stopped before the end, so there is nothing to show.</p>}
      {data !== undefined && children(data)}
    </>
  );
}

interface LocalTableProps<Item> {
  readonly items: readonly Item[];
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly keyOf: (item: Item) => string;
  readonly row: (item: Item) => ComponentChildren;
}

const pageSize = 50;

/** Pages through what is in memory. */
export function LocalTable<Item>({ items, caption, columns, keyOf, row }: LocalTableProps<Item>) {
  const [number, setNumber] = useState(1);
  const last = Math.max(1, Math.ceil(items.length / pageSize));
  const current = Math.min(number, last);
  const pages = {
    number: current,
    next: current < last ? () => setNumber(current + 1) : undefined,
    previous: current > 1 ? () => setNumber(current - 1) : undefined,
  };
  return (
    <>
      <Table caption={caption} columns={columns}>
        {items.slice((current - 1) * pageSize, current * pageSize).map((item) => (
          <tr key={keyOf(item)}>{row(item)}</tr>
        ))}
      </Table>
      <Pager pages={pages} />
    </>
  );
}
