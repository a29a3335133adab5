/** Reads an export of events as a log: positions are offsets in the file, so that reading can be resumed. */
import { createReadStream, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventReader, Position, ReadAllOptions, StoredEvent } from '../eventstore/event-store.js';
import { inBatches } from '../flow/batches.js';
import { CommandFailedError } from '../failures.js';
import { BadLineError, parseLine, type ImportedLine } from './line.js';

type FileReader = Pick<EventReader, 'readAll' | 'head'>;

interface FileReaderOptions {
  readonly file: string;
  /** Called for every line of the first reading. May throw a BadLineError. */
  readonly onLine: (line: ImportedLine) => void;
}

const batchBounds = {
  items: 500,
  size: 1024 * 1024,
  sizeOf: ({ data, metadata }: StoredEvent): number => data.length + metadata.length,
};
/** The most bytes of a line. No store takes an event of more than 1 MiB. */
export const longestLine = 2 * 1024 * 1024;

/** @throws CommandFailedError there is no such file, or, while it is read, a line that cannot be imported, by its number */
export function openFileReader({ file, onLine }: FileReaderOptions): FileReader {
  const size = sizeOf(file);
  let isFirst = true;
  return {
    // A line ends at its position: the last one where the file does.
    head: async () => (size === 0 ? '' : positionAt(size)),

    async *readAll({ after = '', signal }: ReadAllOptions = {}) {
      const events = eventsAfter(file, after, isFirst ? onLine : undefined);
      isFirst = false;
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

/** Lines up to `after` are passed over: they were examined before. */
async function* eventsAfter(
  file: string,
  after: Position,
  onLine: FileReaderOptions['onLine'] | undefined,
): AsyncGenerator<StoredEvent> {
  let number = 0;
  for await (const { bytes, end } of linesOf(file, longestLine)) {
    number += 1;
    const position = positionAt(end);
    if (position <= after) continue;
    const line = numbered(file, number, () => {
      const parsed = parseLine(textOf(bytes));
      if (parsed.ordinal !== number)
        throw new BadLineError(
          `has the ordinal ${parsed.ordinal}: the events of a whole log are numbered from 1, one after the other`,
        );
      onLine?.(parsed);
      return parsed;
    });
    const { ordinal: _, chain: __, ...event } = line;
    yield { ...event, position };
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

function numbered<Result>(file: string, number: number, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof BadLineError)) throw error;
    throw new CommandFailedError(`line ${number} of ${file} ${error.message}`, { type: 'bad_line', cause: error });
  }
}

interface Line {
  readonly bytes: Buffer;
  /** Bytes of the file up to the end of the line, its line feed included. */
  readonly end: number;
}

const pieceBytes = 256 * 1024;
const lineFeed = 0x0a;

/**
 * Each line with the place where it ends. Only a line feed ends a line: `node:readline` also splits at
 * U+2028, which JSON may hold. `longest`: bytes of a line. @throws CommandFailedError a longer one; what the file system throws.
 */
export async function* linesOf(file: string, longest: number): AsyncGenerator<Line> {
  const pieces: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: pieceBytes });
  let rest = Buffer.alloc(0);
  let end = 0;
  for await (const piece of pieces) {
    const read = Buffer.concat([rest, piece]);
    let start = 0;
    for (let feed = read.indexOf(lineFeed); feed >= 0; feed = read.indexOf(lineFeed, start)) {
      end += feed + 1 - start;
      yield { bytes: read.subarray(start, feed), end };
      start = feed + 1;
    }
    rest = read.subarray(start);
    if (rest.length > longest)
      throw new CommandFailedError(`${file} has a line of more than ${longest} bytes`, { type: 'bad_line' });
  }
  if (rest.length > 0) yield { bytes: rest, end: end + rest.length };
}
