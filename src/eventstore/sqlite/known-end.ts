/** What a process knows of the log that it writes: its end as the writer left it, and whether the log still has it. */
import type { ChainHead } from '../chain.js';
import { leftFault } from '../sealed-head.js';
import type { LogEnd } from './messages.js';

interface WrittenLog {
  headAt(count: number): ChainHead | undefined;
  fileHead(): ChainHead;
  /** No append of this process is under way: events beyond the known end were written by another program. */
  isStill(): boolean;
}
export type KnownEnd = ReturnType<typeof createKnownEnd>;

/** @param onAltered called once. Must not throw */
export function createKnownEnd(onAltered: (message: string) => void) {
  let known: LogEnd | undefined;
  let altered: string | undefined;

  function refuse(message: string): void {
    if (altered !== undefined) return;
    altered = message;
    onAltered(message);
  }

  return {
    refuse,
    /** Of what was committed, as far as it is known here: more may be in the file. Undefined before the log is open. */
    end: (): LogEnd | undefined => known,
    learn: (end: LogEnd): void => void (known = end),
    /** Looks whether the log has that end and no other, and says why it is not trusted: nothing is appended to it then. Where it cannot be read, nothing new is known. */
    check(log: WrittenLog): string | undefined {
      const fault = known === undefined || altered !== undefined ? undefined : faultOf(log, known);
      if (fault !== undefined) refuse(fault);
      return altered;
    },
  };
}

function faultOf(log: WrittenLog, known: LogEnd): string | undefined {
  try {
    const { count } = log.fileHead();
    const linkThere = log.headAt(known.count)?.head;
    return leftFault({ count: log.isStill() ? count : Math.min(count, known.count), linkThere }, known);
  } catch {
    return undefined;
  }
}
