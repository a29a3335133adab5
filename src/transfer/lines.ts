/** Reads a file line by line from any place on, with the place where each line ends. Only a line feed ends a line: `node:readline` also splits at U+2028, which JSON may hold. */
import { createReadStream } from 'node:fs';
import { CommandFailedError } from '../failures.js';

interface Line {
  readonly bytes: Buffer;
  /** Bytes of the file up to the end of the line, its line feed included. */
  readonly end: number;
}

const pieceBytes = 256 * 1024;
const lineFeed = 0x0a;

/** `longest`: bytes of a line. @throws CommandFailedError a longer one; what the file system throws. */
export async function* linesOf(
  file: string,
  { from, longest }: { readonly from: number; readonly longest: number },
): AsyncGenerator<Line> {
  const pieces: AsyncIterable<Buffer> = createReadStream(file, { start: from, highWaterMark: pieceBytes });
  let rest = Buffer.alloc(0);
  let end = from;
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
