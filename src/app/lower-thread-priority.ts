/** Which thread goes first where there are more of them than processors. */
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import path from 'node:path';

/** A third of the share of others while processors are short, all that is left otherwise. It can't be taken back. */
const steps = 5;
const lowest = 19;

/** Lets request threads go before the calling one. Does nothing where the system does not tell threads apart (it is not Linux). */
export function lowerThreadPriority(): void {
  try {
    // Numbers of another namespace would be other threads.
    if (readlinkSync('/proc/self') !== String(process.pid)) return;
    const thread = Number(path.basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(lowest, getPriority(thread) + steps));
  } catch {
    // All threads stay equal.
  }
}
