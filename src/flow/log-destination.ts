/** Standard output for the lines of a log. It cannot stop the service: no write blocks it, no error ends it, and it can always end. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A line waits at most this long for others: one write per line would cost a tenth of the throughput. */
const delayMs = 100;
const pieceLength = 8_192;
/** Held while the destination takes nothing. Lines beyond are dropped and counted. */
const mostHeld = 256 * 1024;
const retryMs = 1_000;
/** What the last lines get when the service ends. */
const closeMs = 300;

export type LogDestination = Pick<ReturnType<typeof createLogDestination>, 'write' | 'dropped' | 'close'>;

export type Send = (bytes: Buffer, done: (error: Error | null, written: number) => void) => void;

/** Pipes and sockets are written without blocking, which a call to `fs.write` is not: a full pipe would hold the process at its end. */
const standardOutputIsPipe = (): boolean => {
  const kind = fs.fstatSync(1);
  return kind.isFIFO() || kind.isSocket();
};

const toPipe: Send = (bytes, done) =>
  void process.stdout.write(bytes, (error) => done(error ?? null, error ? 0 : bytes.length));

const toFile: Send = (bytes, done) => fs.write(1, bytes, done);

export function openStandardOutput(): LogDestination {
  const isPipe = standardOutputIsPipe();
  // Reported to `done`; without a listener it would end the process.
  process.stdout.on('error', () => undefined);
  const destination = createLogDestination(isPipe ? toPipe : toFile);
  process.on('exit', () => {
    // A write to a stopped terminal or a dead file system would hold the process here for ever.
    if (!isPipe && destination.sendingFor() > closeMs) process.kill(process.pid, 'SIGKILL');
    const rest = destination.rest();
    if (isPipe) process.stdout.write(rest);
    else writeLast(rest);
  });
  return destination;
}

function writeLast(rest: Buffer): void {
  try {
    fs.writeSync(1, rest);
  } catch {
    // Nothing can be reported any more.
  }
}

const nothing = Buffer.alloc(0);

export function createLogDestination(send: Send) {
  let held = '';
  /** Being written, or left over by a write that failed. */
  let piece: Buffer = nothing;
  let sendingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dropped = 0;
  let untold = 0;

  function schedule(milliseconds: number): void {
    timer ??= setTimeout(flush, milliseconds).unref();
  }

  function tellDropped(): void {
    if (untold === 0 || held.length > mostHeld / 2) return;
    held += `{"level":40,"time":${Date.now()},"dropped":${untold},"msg":"${untold} log lines were dropped"}\n`;
    untold = 0;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (sendingSince !== undefined) return;
    if (piece.length === 0) {
      tellDropped();
      piece = Buffer.from(held);
      held = '';
    }
    if (piece.length === 0) return;
    sendingSince = performance.now();
    send(piece, sent);
  }

  function sent(error: Error | null, written: number): void {
    sendingSince = undefined;
    if (error !== null) return schedule(retryMs);
    piece = piece.subarray(written);
    if (piece.length > 0 || held.length >= pieceLength) flush();
    else if (held !== '' || untold > 0) schedule(delayMs);
  }

  return {
    write(lines: string): void {
      tellDropped();
      if (untold > 0 || held.length + lines.length > mostHeld) {
        const count = lines.split('\n').length - 1;
        dropped += count;
        untold += count;
        return;
      }
      held += lines;
      if (held.length >= pieceLength && piece.length === 0) flush();
      else schedule(delayMs);
    },
    dropped: (): number => dropped,
    rest: (): Buffer => Buffer.concat([sendingSince === undefined ? piece : nothing, Buffer.from(held)]),
    /** Milliseconds since the write in progress began; 0 when there is none. */
    sendingFor: (): number => (sendingSince === undefined ? 0 : performance.now() - sendingSince),
    /** Resolves when all is written, or cannot be within a moment. */
    async close(): Promise<void> {
      const end = performance.now() + closeMs;
      while (performance.now() < end) {
        flush();
        if (sendingSince === undefined && piece.length === 0 && held === '') return;
        await sleep(10);
      }
    },
  };
}
