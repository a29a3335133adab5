/** Gathers the lines of requests on their way to the log's destination, which measures all that it holds at every write. */
import type { Lines } from './operator.js';

const charactersPerPiece = 4096;

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
