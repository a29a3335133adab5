/** Where log lines go: standard output, in larger pieces. Lines of requests are gathered first, since pino's destination measures all that it holds at every write. */
import { pino } from 'pino';
import type { Config } from '../stores/config.js';
import type { Lines } from './operator.js';
import type { Logs } from './start-service.js';

/** A log line waits at most so long for company. */
const logDelayMs = 100;
const charactersPerPiece = 4096;

/** Lines go out in larger pieces, at the latest after a moment: one write a line would cost a tenth of the throughput. */
export function openLogs({ logLevel }: Pick<Config, 'logLevel'>): Logs {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 8192 });
  const lines = gatherLines(destination);
  const logger = pino(
    {
      level: logLevel,
      base: null,
      hooks: {
        logMethod(line, method, level) {
          lines.pass();
          method.apply(this, line);
          // What went wrong is not kept waiting, and not lost if the process ends of it.
          if (level >= 50) destination.flush();
        },
      },
    },
    destination,
  );
  // Before the destination's own last writing, which it does when the process exits, however it comes to that.
  process.prependListener('exit', () => lines.pass());
  setInterval(() => {
    lines.pass();
    destination.flush();
  }, logDelayMs).unref();
  return { logger, lines };
}

export interface GatheredLines extends Lines {
  /** Hands on what is held. */
  pass(): void;
}

/** Lines leave in pieces of about 4 KiB; whoever wants them sooner, or writes something else that must come after them, calls `pass`. */
export function gatherLines(destination: Lines): GatheredLines {
  let held = '';
  function pass(): void {
    if (held === '') return;
    const lines = held;
    held = '';
    destination.write(lines);
  }
  return {
    pass,
    write(line) {
      held += line;
      if (held.length >= charactersPerPiece) pass();
    },
  };
}
