/** Reads a file line by line from any place on, with the place where each line ends. Only a line feed ends a line: `node:readline` also splits at U+2028, which JSON may hold. */
import { open } from 'node:fs/promises';
import { CommandFailedError } from './failures.js';

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
  const handle = await open(file, 'r');
  try {
    const piece = Buffer.allocUnsafeSlow(pieceBytes);
    /** Of the line that has not ended yet. */
    let parts: Buffer[] = [];
    let length = 0;
    let end = from;
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, pieceBytes, end + length);
      if (bytesRead === 0) break;
      const read = piece.subarray(0, bytesRead);
      let start = 0;
      for (let feed = read.indexOf(lineFeed); feed >= 0; feed = read.indexOf(lineFeed, start)) {
        const last = read.subarray(start, feed);
        end += length + last.length + 1;
        yield { bytes: parts.length === 0 ? last : Buffer.concat([...parts, last]), end };
        parts = [];
        length = 0;
        start = feed + 1;
      }
      if (start === bytesRead) continue;
      // The piece is read over.
      parts.push(Buffer.from(read.subarray(start)));
      length += bytesRead - start;
      if (length > longest)
        throw new CommandFailedError(`${file} has a line of more than ${longest} bytes`, { type: 'bad_line' });
    }
    if (length > 0) yield { bytes: Buffer.concat(parts), end: end + length };
  } finally {
    await handle.close();
  }
}
