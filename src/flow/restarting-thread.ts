/** A worker thread that is started again when it dies, later after each death in a row, and that answers requests. */
import { backOff } from './backoff.js';
import type { WorkerThread, WorkerThreadOptions } from './worker-thread.js';

interface RestartingThreadOptions<From, To> {
  /** In messages. */
  readonly name: string;
  readonly start: (hooks: Pick<WorkerThreadOptions<From>, 'onMessage' | 'onExit'>) => WorkerThread<To>;
  readonly onMessage: (message: From) => void;
  /** It has died and is started again soon. Not called after `close`. */
  readonly onDied: (error: string) => void;
}

interface ThreadRequests<Request, Answer> {
  /** Never rejects. */
  ask(request: Request): Promise<Answer>;
  /** The thread has answered the request that waits longest. */
  answer(answer: Answer): void;
}

const restartPauses = { first: 100, most: 5_000 };

export function startRestartingThread<From, To>(options: RestartingThreadOptions<From, To>) {
  const { name, onMessage, onDied } = options;
  let thread: WorkerThread<To> | undefined;
  let restart: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;
  let deaths = 0;
  /** Answer what the thread has not answered, when it has died. */
  const answering: ((reason: string) => void)[] = [];

  function start(): void {
    thread = options.start({ onMessage, onExit });
  }

  /** A machine without memory or threads may have some later. */
  function startAgain(): void {
    try {
      start();
    } catch (error) {
      onExit(`it did not start: ${error instanceof Error ? error.message : 'unexpected failure'}`);
    }
  }

  function onExit(error = 'it ended by itself'): void {
    thread = undefined;
    for (const answerAll of answering) answerAll(`the ${name}'s thread died: ${error}`);
    if (closing !== undefined) return;
    deaths += 1;
    onDied(error);
    restart = setTimeout(startAgain, backOff(deaths - 1, restartPauses));
  }

  async function stop(within: number): Promise<void> {
    clearTimeout(restart);
    await thread?.close(within);
  }

  start();
  return {
    /** Nothing is sent while it does not run. */
    send: (message: To): void => thread?.send(message),
    /** Requests of one kind, which it answers in their order. `unanswered`: the answer where it does not run, or dies before. */
    requests<Answer>(unanswered: (reason: string) => Answer): ThreadRequests<To, Answer> {
      let waiting: ((answer: Answer) => void)[] = [];
      answering.push((reason) => {
        for (const resolve of waiting) resolve(unanswered(reason));
        waiting = [];
      });
      return {
        ask(request) {
          if (thread === undefined) return Promise.resolve(unanswered(`the ${name} is not running`));
          thread.send(request);
          return new Promise((resolve) => waiting.push(resolve));
        },
        answer: (answer) => waiting.shift()?.(answer),
      };
    },
    /** It does its work: the next death counts as the first one. */
    worked(): void {
      deaths = 0;
    },
    /** See `close` of a thread; it is not started again. Safe to call twice. */
    close: (within: number): Promise<void> => (closing ??= stop(within)),
  };
}
