/** What a process knows of the log that it writes: its end as the writer left it, and whether the log still has it. */
import type { ChainHead } from '../chain.js';
import { rewritten } from './append.js';
import type { End } from './messages.js';

type Log = { headAt(count: number): ChainHead | undefined };
export type KnownEnd = ReturnType<typeof createKnownEnd>;

/** @param onAltered called once. Must not throw */
export function createKnownEnd(onAltered: (message: string) => void) {
  let known: End | undefined;
  let altered: string | undefined;

  function refuse(message: string): void {
    if (altered !== undefined) return;
    altered = message;
    onAltered(message);
  }

  return {
    refuse,
    /** Of what was committed, as far as it is known here: more may be in the file. Undefined before the log is open. */
    end: (): End | undefined => known,
    learn: (end: End): void => void (known = end),
    /** Looks whether the log still has that end, and says why it is not trusted: nothing is appended to it then. Where it cannot be read, nothing new is known. */
    check(log: Log): string | undefined {
      if (known !== undefined && altered === undefined && !stillHas(log, known)) refuse(rewritten(known.count));
      return altered;
    },
  };
}

function stillHas(log: Log, { count, head }: End): boolean {
  try {
    return log.headAt(count)?.head === head;
  } catch {
    return true;
  }
}
