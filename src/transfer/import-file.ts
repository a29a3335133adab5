/** An export of events as a log that can be read: positions are places in the file, so that reading goes on where it was left. */
import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventReader, Position, ReadAllOptions, StoredEvent } from '../eventstore/event-store.js';
import { inBatches } from '../flow/batches.js';
import { CommandFailedError } from '../failures.js';
import { BadLineError, parseLine, type ImportedLine } from './import-line.js';
import { linesOf } from './lines.js';

type FileReader = Pick<EventReader, 'readAll' | 'head'>;

interface FileReaderOptions {
  readonly file: string;
  /** Called for every line of a reading from the beginning. May throw a BadLineError. */
  readonly onLine?: (line: ImportedLine) => void;
}

const batchBounds = {
  items: 500,
  size: 1024 * 1024,
  sizeOf: ({ data, metadata }: StoredEvent): number => data.length + metadata.length,
};
/** Bytes; no store takes an event of more than 1 MiB. */
const longestLine = 2 * 1024 * 1024;

/** @throws CommandFailedError there is no such file, or, while it is read, a line that cannot be imported, by its number */
export function openFileReader({ file, onLine }: FileReaderOptions): FileReader {
  const size = sizeOf(file);
  return {
    // A line ends at its position: the last one where the file does.
    head: async () => (size === 0 ? '' : positionAt(size)),

    async *readAll({ after = '', signal }: ReadAllOptions = {}) {
      const from = after === '' ? 0 : Number(after);
      const events = eventsFrom(file, from, from === 0 ? onLine : undefined);
      for await (const batch of inBatches(events, batchBounds)) {
        if (signal?.aborted === true) return;
        yield batch;
        await nextTurn();
      }
    },
  };
}

function sizeOf(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return stats.size;
  throw new CommandFailedError(`there is no file ${file}`, { type: 'no_file' });
}

const positionAt = (offset: number): Position => String(offset).padStart(16, '0');

async function* eventsFrom(
  file: string,
  from: number,
  onLine: FileReaderOptions['onLine'],
): AsyncGenerator<StoredEvent> {
  // When reading begins in the middle, the first line tells its own number; the file was examined before.
  let number = from === 0 ? 1 : undefined;
  for await (const { bytes, end } of linesOf(file, { from, longest: longestLine })) {
    const line = numbered(file, number, () => {
      const parsed = parseLine(textOf(bytes));
      if (number !== undefined && parsed.ordinal !== number)
        throw new BadLineError(
          `has the ordinal ${parsed.ordinal}: the events of a whole log are numbered from 1, one after the other`,
        );
      onLine?.(parsed);
      return parsed;
    });
    const { ordinal, chain: _, ...event } = line;
    yield { ...event, position: positionAt(end) };
    number = ordinal + 1;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new BadLineError('is no UTF-8');
  }
}

function numbered<Result>(file: string, number: number | undefined, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof BadLineError)) throw error;
    const where = number === undefined ? 'a line' : `line ${number}`;
    throw new CommandFailedError(`${where} of ${file} ${error.message}`, { type: 'bad_line', cause: error });
  }
}
