/** A queue per stream: one batch of commands under way at a time; those that arrive meanwhile go together into the next. */

export interface PendingCommand<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface StreamQueueOptions<Request, Answer> {
  /**
   * Answers as many pending commands as it handles together, from the first on, and resolves with their number.
   * When it rejects, none of them has been answered.
   */
  readonly handle: (stream: string, queue: readonly PendingCommand<Request, Answer>[]) => Promise<number>;
  /** The error of all pending commands when `handle` rejects. */
  readonly faultOf: (error: unknown) => Error;
}

/** Resolves with the answer to the request, after all that came before it on its stream. */
type Enqueue<Request, Answer> = (request: Request) => Promise<Answer>;

export function createStreamQueue<Request extends { readonly stream: string }, Answer>({
  handle,
  faultOf,
}: StreamQueueOptions<Request, Answer>): Enqueue<Request, Answer> {
  const queues = new Map<string, PendingCommand<Request, Answer>[]>();

  async function run(stream: string, queue: PendingCommand<Request, Answer>[]): Promise<void> {
    while (queue.length > 0) {
      try {
        queue.splice(0, await handle(stream, queue));
      } catch (error) {
        // All of them fail at once, instead of one after the other.
        for (const { reject } of queue.splice(0)) reject(faultOf(error));
      }
    }
    queues.delete(stream);
  }

  return (request) =>
    new Promise((resolve, reject) => {
      const pending = { request, resolve, reject };
      const running = queues.get(request.stream);
      if (running !== undefined) {
        running.push(pending);
        return;
      }
      const queue = [pending];
      queues.set(request.stream, queue);
      void run(request.stream, queue);
    });
}
