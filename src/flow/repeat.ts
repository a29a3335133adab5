/** Repeats an action until it is stopped. */
import { pause as pauseFor } from './abort.js';

interface RepeatOptions {
  /** Milliseconds between the end of one turn and the next. */
  readonly pause: number;
  readonly signal: AbortSignal;
  /** Called with the first of several failures in a row. */
  readonly onFault: (error: unknown) => void;
}

export async function repeat(action: () => unknown, { pause, signal, onFault }: RepeatOptions): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    try {
      await action();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !signal.aborted) onFault(error);
      isFailing = true;
    }
    await pauseFor(pause, signal);
  }
}
