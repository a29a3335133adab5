/** The outputs of commands. Text is written with codes in place of control characters, and data as it is. */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { WriteStream } from 'node:tty';
import { printableLines } from '../events/printable.js';
import type { Output } from './shared/command-line.js';
import type { Terminal } from './shared/progress-bar.js';
import { CommandFailedError, InterruptedError } from '../failures.js';

export type OutputStream = Pick<NodeJS.WritableStream, 'write'> &
  Partial<Pick<WriteStream, 'isTTY' | 'columns'>> & { readonly fd?: number };

/**
 * Creates the standard output. A write resolves when the text has been taken. A string is text for people or JSON, in which
 * codes replace control characters. Bytes are data. `onBroken` gets the error before the write rejects with it.
 */
export function createOutput(stream: OutputStream, onBroken: (error: Error) => void = () => undefined): Output {
  const { fd } = stream;
  // Node's own stream for files treats a write that was cut short, as on a full disk, as complete.
  const take = fd === undefined || stream instanceof Socket ? throughStream(stream) : throughDescriptor(fd);
  return {
    isTTY: stream.isTTY === true,
    columns: stream.columns,
    write: (text) =>
      take(typeof text === 'string' ? shown(text, stream) : text).catch((error: unknown) => {
        const broken = brokenOutput(error);
        onBroken(broken);
        throw broken;
      }),
  };
}

/** Matches the styles of src/cli/shared/colours.ts. */
const ownStyle = /(\u001b\[(?:1|22|3[1239])m)/;

/** Returns the text with codes in place of control characters. Keeps styles on a terminal. */
const shown = (text: string, { isTTY }: Pick<OutputStream, 'isTTY'>): string =>
  isTTY === true
    ? text
        .split(ownStyle)
        .map((part, index) => (index % 2 === 1 ? part : printableLines(part)))
        .join('')
    : printableLines(text);

/** Creates the standard error, with codes in place of all control characters except those of the progress bar. */
export function createErrorOutput(stream: Terminal): Terminal {
  const [home, wiped] = ['\r', '\u001b[K'];
  return {
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns ?? 80;
    },
    write(text) {
      const isRedrawn = stream.isTTY === true && text.startsWith(home) && text.endsWith(wiped);
      if (!isRedrawn) return stream.write(printableLines(text));
      return stream.write(home + printableLines(text.slice(home.length, -wiped.length)) + wiped);
    },
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
