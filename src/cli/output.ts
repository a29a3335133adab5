/** Standard output for commands: a write resolves when the text has been taken. */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { WriteStream } from 'node:tty';
import type { Output } from './shared/command-line.js';
import { CommandFailedError, InterruptedError } from '../failures.js';

export type OutputStream = Pick<NodeJS.WritableStream, 'write'> &
  Partial<Pick<WriteStream, 'isTTY' | 'columns'>> & { readonly fd?: number };

/** `onBroken` gets the error before the write rejects with it. */
export function createOutput(stream: OutputStream, onBroken: (error: Error) => void = () => undefined): Output {
  const { fd } = stream;
  // Node's own stream for files treats a write that was cut short, as on a full disk, as complete.
  const take = fd === undefined || stream instanceof Socket ? throughStream(stream) : throughDescriptor(fd);
  return {
    isTTY: stream.isTTY === true,
    columns: stream.columns,
    write: (text) =>
      take(text).catch((error: unknown) => {
        const broken = brokenOutput(error);
        onBroken(broken);
        throw broken;
      }),
  };
}

type Take = (text: string | Uint8Array) => Promise<void>;

function throughStream(stream: OutputStream): Take {
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
}

function throughDescriptor(fd: number): Take {
  return async (text) => {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
  };
}

/** A closed pipe, as after `| head`, is no failure. Everything else is one. */
export function brokenOutput(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason known';
  if (code === 'EPIPE') return new InterruptedError(0);
  return new CommandFailedError(`Standard output cannot be written to (${code}): what arrived there is not whole.`, {
    type: 'output',
  });
}
