/** Standard output as commands need it: what is written has been taken before the next piece is made. */
import type { WriteStream } from 'node:tty';
import type { Output } from './command-line.js';

type Stream = Pick<NodeJS.WritableStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

export function createOutput(stream: Stream): Output {
  return {
    isTTY: stream.isTTY === true,
    columns: stream.columns,
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(error);
        });
      }),
  };
}
